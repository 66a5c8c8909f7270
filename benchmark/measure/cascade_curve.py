"""A cascade's success against what it costs, over thresholds on the same episodes: `make cascade MODEL=local`.

All that is not named here goes to run_miniwob, which runs each threshold into a folder of its own; the table and the
plot are made from its records.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from agent.registry import CASCADE
from benchmark import run_miniwob
from benchmark.command import ALL_SCORED, NOT_ALL_SCORED, run_command
from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord, StepRecord
from benchmark.records.store import EPISODES, STEPS, read_rows
from benchmark.report.metrics import measure

# From the decision model alone to the chat model alone.
THRESHOLDS = "0,0.25,0.5,0.75,0.9,1.01"
COLUMNS = ("episodes", "unscored", "success", "success_low", "success_high", "steps", "input_tokens", "output_tokens")
CHAT_KINDS = frozenset({"chat"})

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run(
    context: typer.Context,
    thresholds: Annotated[
        str, typer.Option(help="Probabilities, by commas; 0 never chats, above 1 only.")
    ] = THRESHOLDS,
    out: Annotated[Path, typer.Option(help="Folder of the runs, the table and the plot.")] = Path(
        "results/runs/cascade"
    ),
) -> int:
    """Run the cascade over thresholds, and write curve.csv, curve.json and curve.png from the records."""
    values = parse_thresholds(thresholds)
    _check_plotting()
    code = ALL_SCORED
    for value in values:
        code = run_miniwob.main(_arguments(context.args, value, out))
        if code not in (ALL_SCORED, NOT_ALL_SCORED):
            return code
    table = curve({value: folder(out, value) for value in values})
    table.to_csv(out / "curve.csv", index=False)
    rows: list[dict[str, Any]] = json.loads(table.to_json(orient="records"))
    (out / "curve.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    plot(table, out / "curve.png")
    typer.echo(table.to_string(index=False, float_format="%.3f"))
    typer.echo(f"Written: {out / 'curve.csv'}, curve.json and curve.png.")
    return NOT_ALL_SCORED if table["unscored"].sum() else ALL_SCORED


def parse_thresholds(text: str) -> tuple[float, ...]:
    """Return the distinct thresholds in rising order.

    Raises:
        UsageError: not numbers of 0 or more, or fewer than two.
    """
    try:
        values = sorted({float(part) for part in text.split(",") if part.strip()})
    except ValueError:
        raise UsageError(f"--thresholds is {text!r}; give numbers by commas, such as {THRESHOLDS}.") from None
    if len(values) < 2 or not 0 <= values[0] <= values[-1] < float("inf"):
        raise UsageError(f"--thresholds is {text!r}; give two or more numbers from 0 on, such as {THRESHOLDS}.")
    return tuple(values)


def folder(out: Path, threshold: float) -> Path:
    """Return where the run of a threshold is."""
    return out / f"threshold-{threshold:g}"


def _arguments(more: Sequence[str], threshold: float, out: Path) -> list[str]:
    arguments = ["--agent", CASCADE, "--threshold", f"{threshold:g}", "--out", str(folder(out, threshold)), *more]
    # One folder for all: a curve can be made again without any call.
    arguments += [] if "--llm-cache" in more else ["--llm-cache", "record"]
    return arguments + ([] if "--llm-cache-dir" in more else ["--llm-cache-dir", str(out / "llm-cache")])


def curve(runs: dict[float, Path]) -> pd.DataFrame:
    """Return a row for each threshold, from the records of its run.

    `chat_share` is the part of the steps in which a chat model was called; tokens, steps and seconds are means of an
    episode. What is unknown is missing.
    """
    return pd.DataFrame(_row(threshold, run) for threshold, run in runs.items())


def _row(threshold: float, run: Path) -> dict[str, object]:
    latest = {row.key: row for row in read_rows(run / EPISODES, EpisodeRecord)}
    measured = measure(list(latest.values()))
    kept = {row.episode_id for row in latest.values() if row.scored}
    chats = [_chats(step) for step in read_rows(run / STEPS, StepRecord) if step.episode_id in kept]
    return {
        "threshold": threshold,
        **{name: measured[name] for name in COLUMNS},
        "chat_calls": sum(chats) / len(kept) if kept else None,
        "chat_share": sum(1 for calls in chats if calls) / len(chats) if chats else None,
        "seconds": measured["seconds"],
        "cost_usd": measured["cost_usd"],
    }


def _chats(step: StepRecord) -> int:
    return sum(1 for call in step.calls if call.kind in CHAT_KINDS)


def plot(table: pd.DataFrame, path: Path) -> None:
    """Draw success with its interval against the share of steps that asked the chat model, a point per threshold."""
    from matplotlib.figure import Figure  # a second to import, and only there with the extra "notebook"

    known = table.dropna(subset=["success", "chat_share"]).sort_values("threshold")
    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    below, above = known["success"] - known["success_low"], known["success_high"] - known["success"]
    axes.errorbar(known["chat_share"], known["success"], yerr=[below, above], marker="o", capsize=3)
    for _, row in known.iterrows():
        axes.annotate(
            f"{row['threshold']:g}", (row["chat_share"], row["success"]), xytext=(5, 5), textcoords="offset points"
        )
    axes.set(
        xlabel="share of steps that asked the chat model", ylabel="success, 95 % interval", xlim=(-0.05, 1.05),
        ylim=(0, 1), title="Cascade: a decision model first, a chat model below the threshold",
    )  # fmt: skip
    figure.savefig(path, dpi=120)


def _check_plotting() -> None:
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        raise UsageError("The plot needs matplotlib: make cascade installs it, or sh setup.sh notebook.") from None


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code, as run_miniwob does."""
    return run_command(app, argv, "cascade_curve")


if __name__ == "__main__":
    raise SystemExit(main())
