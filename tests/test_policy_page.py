"""docs/policy.md: every rule has its code and its tests, and each of these names the rule."""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RULES = [
    "S1", *(f"P{n}" for n in range(1, 11)), *(f"A{n}" for n in range(1, 8)), *(f"Q{n}" for n in range(1, 8)),
    "T1", "T2", "T3", "W1", "W2", "G1", "G2", "G3", "G4", "E1", "E2", "E3", "B1", "R1", "R2",
]  # fmt: skip


def rows() -> dict[str, list[str]]:
    """Return the cells of each rule."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / "docs" / "policy.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and re.fullmatch(r"[A-Z]\d+", cells[0]):
            assert cells[0] not in found, f"{cells[0]} is there twice"
            found[cells[0]] = cells[1:]
    return found


def quoted(cell: str) -> list[str]:
    """Return what a cell names; it holds nothing else."""
    names = re.findall(r"`([^`]+)`", cell)
    assert cell == "<br>".join(f"`{name}`" for name in names)
    return names


@cache
def names_of(path: str) -> dict[str, str]:
    """Return what a Python file defines, methods as Class.name, each with its docstring."""
    found: dict[str, str] = {}
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = ast.get_docstring(node) or ""
        if isinstance(node, ast.ClassDef):
            inner = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            found |= {f"{node.name}.{part.name}": ast.get_docstring(part) or "" for part in inner}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id: "" for target in targets if isinstance(target, ast.Name)}
    return found


def test_every_rule_has_one_row_without_an_empty_cell() -> None:
    assert list(rows()) == RULES
    assert all(len(cells) == 3 and all(cells) for cells in rows().values())


@pytest.mark.parametrize("rule", RULES)
def test_its_code_is_where_the_table_says(rule: str) -> None:
    for place in quoted(rows()[rule][1]):
        path, name = place.split(":")
        if path.endswith(".py"):
            assert name in names_of(path), place
        else:
            text = (ROOT / path).read_text(encoding="utf-8")
            assert re.search(rf"\bfunction {re.escape(name)}\(", text), place


@pytest.mark.parametrize("rule", RULES)
def test_its_tests_are_there_and_name_it(rule: str) -> None:
    tests = quoted(rows()[rule][2])
    assert tests
    for test in tests:
        path, name = test.split("::")
        assert name in names_of(path), test
        says = f"{name} {names_of(path)[name]}"
        assert re.search(rf"(?<![A-Za-z0-9]){rule}(?![0-9])", says, re.IGNORECASE), test


def test_its_tests_are_collected(request: pytest.FixtureRequest) -> None:
    tests = {test for cells in rows().values() for test in quoted(cells[2])}
    if tests <= {item.nodeid.split("[")[0] for item in request.session.items}:
        return  # the whole suite runs, so that it has collected them itself
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *sorted(tests)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
