"""Decisions as rows to train other models on: `python -m benchmark.decisions.export RUN --out decisions.jsonl`.

A row holds exactly what `/v1/systemone` is asked (state and questions), the option that was chosen for each question,
and what became of it. No browser, no model.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.carrying_out import to_action
from agent.questions import JOINT_HEAD, OPERATION_HEAD, Request, build_request, joint_id, target_head
from agent.tick import Candidate
from benchmark.command import run_command
from benchmark.errors import UsageError
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, read_rows
from benchmark.records.ticks import TickRecord, read_run
from llm.decision import MAX_OPTIONS
from llm.systemone import TYPESAFE_MODEL

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def run(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The --out folder of a run with --keep-ticks.")],
    out: Annotated[Path, typer.Option(help="The JSONL file to write.")],
    solved_only: Annotated[bool, typer.Option("--solved-only", help="Only of episodes with the full reward.")] = False,
    model: Annotated[str, typer.Option(help="The name that each request asks for.")] = TYPESAFE_MODEL,
    max_options: Annotated[int, typer.Option(help="Targets of an operation that a model takes.", min=2)] = MAX_OPTIONS,
) -> int:
    """Write a row for each decision of a run."""
    ticks = read_run(folder)
    episodes = {record.episode_id: record for record in read_rows(folder / EPISODES, EpisodeRecord) if record.scored}
    rows = 0
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w", encoding="utf-8") as file:
            for row in decision_rows(ticks, episodes, max_options, model):
                if solved_only and not row["outcome"]["full_reward"]:
                    continue
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                rows += 1
    except OSError as error:
        raise UsageError(f"Cannot write {out}: {error.strerror}; give another --out.") from None
    typer.echo(f"{rows} decisions written to {out}. Goals are kept as they stand, passwords in them too.")
    return 0


def decision_rows(
    ticks: Sequence[TickRecord],
    episodes: dict[str, EpisodeRecord],
    max_options: int = MAX_OPTIONS,
    model: str = TYPESAFE_MODEL,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each tick of these episodes on which a question had to be asked and was answered.

    Args:
        episodes: by id.
        model: the name that each request asks for.
    """
    following = {(tick.episode_id, tick.index): tick for tick in ticks}
    for tick in ticks:
        episode, decided = episodes.get(tick.episode_id), tick.decided
        if episode is None or decided is None or decided.chosen is None or not decided.tick.candidates:
            continue
        request = build_request(decided.tick, max_options)
        chosen = chosen_options(request, decided.chosen)
        if not request.questions or chosen is None:
            continue
        after = following.get((tick.episode_id, tick.index + 1))
        past = after.decided.tick.history if after is not None and after.decided is not None else ()
        yield {
            "request": {
                "model": model,
                "state": request.state,
                "questions": {key: question.raw() for key, question in request.questions.items()},
            },
            "chosen": {key: option for key, option in chosen.items() if key in request.questions},
            "outcome": {
                "step": tick.index,
                "steps": episode.steps,
                "end": episode.end,
                "reward": episode.reward,
                "raw_reward": episode.raw_reward,
                "full_reward": episode.full_reward,
                # None where no later step tells.
                "page_changed": past[-1].page_changed if past else None,
            },
            "source": {
                "benchmark": tick.benchmark,
                "task": tick.task,
                "seed": tick.seed,
                "trial": tick.trial,
                "episode_id": tick.episode_id,
                "decided_by": tick.config.get("model"),
            },
        }


def chosen_options(request: Request, chosen: Candidate) -> dict[str, str] | None:
    """Return the option of each question that a choice means; None where it was left out of the request."""
    deed = to_action(chosen)
    for operation, options in request.options.items():
        for key, candidate in options.items():
            if to_action(candidate) == deed:  # two candidates that would do the same thing are one option
                if request.joint:
                    return {JOINT_HEAD: joint_id(operation, key)}
                return {OPERATION_HEAD: operation, target_head(operation): key}
    return None


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 damaged records, 2 wrong usage."""
    return run_command(app, argv, "export")


if __name__ == "__main__":
    raise SystemExit(main())
