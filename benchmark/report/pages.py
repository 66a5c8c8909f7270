"""A run as a folder of static pages that open without a network: `python -m benchmark.report RUN`. Knows no benchmark.

The index lists the episodes; each has a page with what the agent saw, decided and caused, step by step.
"""

import hashlib
import io
import os
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple

import typer
from jinja2 import Environment, PackageLoader, StrictUndefined, Template, select_autoescape
from pydantic import ValidationError
from rich.console import Console
from rich.progress import track

from benchmark.command import run_command
from benchmark.errors import RecordDamaged, UsageError
from benchmark.records.pictures import picture_path
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS
from benchmark.records.traces import trace_path
from benchmark.report import metrics, view
from benchmark.report.load import read_episodes
from browser import render

PAGES = "episodes"
INDEX = "index.html"
TEMPLATES = Path(__file__).parent / "templates"

# The first of a row is the row's own: it comes before all that a page wrote, and inside a JSON text quotes are escaped.
_EPISODE_ID = re.compile(rb'"episode_id":\s*"([^"\\]*)"')
# Ids become names of files.
_SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


class Written(NamedTuple):
    """What writing a report came to."""

    start: Path
    """The page to open."""
    episodes: int
    pages: int
    """Pages written; the others were there as they should be."""


@dataclass
class _StepRows:
    """Where the step rows of one episode begin in the file, and a checksum of them."""

    offsets: list[int] = field(default_factory=list)
    checksum: int = 0


def write_report(run: Path, out: Path, *, quiet: bool = True) -> Written:
    """Write the report of a run's folder; of several attempts at a job the last is shown.

    A page that is there and would not change is left alone. The steps of one episode at a time are in memory.

    Raises:
        UsageError: there are no records, or a file cannot be read or written.
        RecordDamaged: a row cannot be read.
    """
    records = read_episodes(run)
    try:
        (out / PAGES).mkdir(parents=True, exist_ok=True)
        pages = _write_pages(run, out, records, quiet=quiet)
        _write(out / INDEX, _template(INDEX).render(_index(run, records)))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(f"Cannot make the report of {run} in {out}: {reason}; give another folder.") from None
    return Written(out / INDEX, len(records), pages)


def _write_pages(run: Path, out: Path, records: Sequence[EpisodeRecord], *, quiet: bool) -> int:
    """Write the pages that are missing or would change; return how many."""
    template, version, written = _template("episode.html"), _version(), 0
    source = run / STEPS
    # Where no episode got as far as a step there may be no file.
    with source.open("rb") if source.exists() else io.BytesIO() as file:
        found = _find_steps(file)
        for record in track(records, "Pages", console=Console(stderr=True), disable=quiet):
            path = out / PAGES / f"{_file_name(record)}.html"
            at = found.get(record.episode_id, _StepRows())
            trace = _link(trace_path(run, record.episode_id), path)
            picture = _link(picture_path(run, record.episode_id), path)
            kept = [str(len(at.offsets)), str(at.checksum), str(trace), str(picture)]
            mark = _digest([version, record.model_dump_json(), *kept])
            if _is_marked(path, mark):
                continue
            shown = view.episode_view(record, _read_steps(file, at.offsets))
            _write(path, template.render(shown, mark=mark, trace=trace, picture=picture, index=f"../{INDEX}"))
            written += 1
    return written


def _find_steps(file: BinaryIO) -> dict[str, _StepRows]:
    """Return where each episode's rows are: workers write theirs in turn, so that they lie between one another.

    A last line without its end belongs to an episode that is still under way, or was killed.
    """
    found: dict[str, _StepRows] = {}
    offset = 0
    for line in file:
        match = _EPISODE_ID.search(line)
        if match and line.endswith(b"\n"):
            rows = found.setdefault(match[1].decode("utf-8", "replace"), _StepRows())
            rows.offsets.append(offset)
            rows.checksum = zlib.crc32(line, rows.checksum)
        offset += len(line)
    return found


def _read_steps(file: BinaryIO, offsets: Iterable[int]) -> list[StepRecord]:
    steps = []
    for offset in offsets:
        file.seek(offset)
        try:
            steps.append(StepRecord.model_validate_json(file.readline()))
        except ValidationError:
            raise RecordDamaged(
                f"{STEPS} holds a row at byte {offset} that is not a step; run the command that made it with --repair."
            ) from None
    return sorted(steps, key=lambda step: step.index)


def _index(run: Path, records: Sequence[EpisodeRecord]) -> dict[str, Any]:
    """Return what the index shows."""
    labels = view.agent_labels(records)
    summary = metrics.summarize(records)
    table = metrics.readable(summary)
    return {
        "run": run.resolve().name,
        "heads": list(table.columns),
        "rows": table.to_numpy().tolist(),
        "rates": summary[["success", "success_low", "success_high"]].to_dict("records"),
        "begun": sorted({record.started_at[:10] for record in records}),
        "unscored": sum(not record.scored for record in records),
        "episodes": [view.index_row(r, labels[r.agent, r.model, r.settings_hash]) for r in records],
        "pages": PAGES,
    }


def _template(name: str) -> Template:
    environment = Environment(
        loader=PackageLoader("benchmark.report"), autoescape=select_autoescape(("html",)), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"ms": _duration, "probability": _probability}
    return environment.get_template(name)


def _duration(ms: float) -> str:
    if ms >= 1000:
        return f"{ms / 1000:.1f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


def _probability(value: float) -> str:
    return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"


def _version() -> str:
    """Return a digest of all the code that decides how a page looks."""
    sources = [Path(__file__), Path(view.__file__), Path(render.__file__), *sorted(TEMPLATES.iterdir())]
    return _digest(path.read_text(encoding="utf-8") for path in sources if path.is_file())


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(part.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


def _file_name(record: EpisodeRecord) -> str:
    if not _SAFE_ID.fullmatch(record.episode_id):
        raise RecordDamaged(f"The episode id {record.episode_id!r} cannot name a file; correct it in {EPISODES}.")
    return record.episode_id


def _link(target: Path, page: Path) -> str | None:
    """Return a page's link to a file, or None where the file is not there."""
    return Path(os.path.relpath(target, page.parent)).as_posix() if target.exists() else None


def _is_marked(path: Path, mark: str) -> bool:
    """Whether the page is there and was made from the same rows by the same code; it says so in its first line."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        return mark.encode() in file.readline()


def _write(path: Path, text: str) -> None:
    # Replaced in one go: a page that is there is whole.
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8", errors="replace")
    new.replace(path)


@app.command()
def run(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="Folder that a run wrote its records to.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the pages; without it, RUN/report.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> int:
    """Write a run as pages that a browser opens without a network, and say where they are."""
    written = write_report(folder, out or folder / "report", quiet=quiet)
    typer.echo(f"{written.episodes} episodes, {written.pages} pages written: open {written.start}")
    return 0


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_command(app, argv, "report")
