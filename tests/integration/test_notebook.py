"""The notebook on small runs: every cell runs, and its tables, figures and sentences come out."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

from benchmark.miniwob.pages import URL_VARIABLE
from benchmark.records.rows import EpisodeRecord
from benchmark.records.store import EPISODES, STEPS, read_rows
from benchmark.report.load import COLUMNS, load_runs
from benchmark.run_miniwob import main

NOTEBOOK = Path(__file__).resolve().parents[2] / "results" / "compare.ipynb"
FIGURES = {"success", "cost", "tasks", "time"}
# Starting a kernel takes 2 s, a figure less than 1 s.
CELL_S = 60


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two agents on three tasks."""
    folder = tmp_path_factory.mktemp("runs") / "small"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(URL_VARIABLE, raising=False)
        for agent in ("jev", "submit-once"):
            tasks = ["--tasks", "click-test,click-test-2,enter-text", "--seeds", "2", "--max-steps", "3"]
            assert main(["--agent", agent, *tasks, "--out", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture(scope="module")
def charged(run: Path) -> Path:
    """Rows as chat agents would leave them: one with prices and a crash, one of which one price is unknown."""
    folder = run.parent / "charged"
    folder.mkdir()
    rows = [row for row in read_rows(run / EPISODES, EpisodeRecord) if row.agent == "jev"]
    lost = {"end": "browser_crash", "error": "The browser is gone.", "reward": 0.0, "full_reward": None}
    made: list[dict[str, Any]] = [{"agent": "priced", "models": ("m-1",), "cost_usd": 0.02} for _ in rows]
    made += [{"agent": "unknown", "models": ("m-2",), "cost_usd": None if i == 0 else 0.01} for i in range(len(rows))]
    made[0] |= lost
    lines = [row.model_copy(update=fields).model_dump_json() for row, fields in zip(rows * 2, made, strict=True)]
    (folder / EPISODES).write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def execute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., dict[str, list[Any]]]:
    """Run the notebook on these folders and return the outputs of its cells, by the cell's id."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))

    def on(*folders: Path) -> dict[str, list[Any]]:
        notebook = nbformat.read(NOTEBOOK, as_version=4)
        [runs] = [cell for cell in notebook.cells if cell.id == "runs"]
        runs.source = f"RUNS = {[str(folder) for folder in folders]!r}"
        NotebookClient(notebook, timeout=CELL_S, resources={"metadata": {"path": str(tmp_path)}}).execute()
        return {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}

    return on


def text(outputs: list[Any]) -> str:
    return "\n".join(o.data.get("text/markdown", o.data.get("text/html", "")) for o in outputs if "data" in o)


def figures(outputs: dict[str, list[Any]]) -> set[str]:
    return {cell for cell, shown in outputs.items() if any("image/png" in o.get("data", {}) for o in shown)}


def complaints(outputs: dict[str, list[Any]]) -> list[Any]:
    return [o for shown in outputs.values() for o in shown if o.output_type in ("stream", "error")]


def test_every_cell_runs_on_two_runs(run: Path, charged: Path, execute: Callable[..., dict[str, list[Any]]]) -> None:
    outputs = execute(run, charged)
    assert figures(outputs) == FIGURES
    assert complaints(outputs) == []
    table = text(outputs["table"])
    assert all(agent in table for agent in ("jev", "submit-once", "priced", "unknown"))
    assert "unpriced in 1 of 6" in table
    assert "$0.1200" in table
    assert "5 (+1 unscored)" in table
    paired = text(outputs["paired"])
    assert "On 6 pairs jev solves" in paired
    assert "1 of 6 pairs left out as unscored" in paired
    assert "browser_crash" in text(outputs["episodes"])


def test_one_agent_alone_has_its_figures_and_no_pair(run: Path, execute: Callable[..., dict[str, list[Any]]]) -> None:
    outputs = execute(Path(f"{run}:jev"))
    assert figures(outputs) == FIGURES
    assert complaints(outputs) == []
    assert "name another" in text(outputs["paired"])


def test_it_is_kept_without_outputs_and_shows_the_example_run() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    [assigned] = ast.parse(code[0].source).body
    assert isinstance(assigned, ast.Assign)
    assert ast.literal_eval(assigned.value) == ["example/miniwob"]


def test_pandas_reads_records_without_this_package(run: Path) -> None:
    episodes = pd.read_json(run / EPISODES, lines=True)
    steps = pd.read_json(run / STEPS, lines=True)
    assert len(episodes) == 12
    # Those that are not in a row but made from it.
    assert set(COLUMNS) - set(episodes) == {"run", "scored", "decide_ms"}
    assert set(steps["episode_id"]) <= set(episodes["episode_id"])
    assert episodes["reward"].mean() == load_runs([run])["reward"].mean()
