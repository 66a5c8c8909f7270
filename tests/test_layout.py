"""The house's rules that no other tool holds: who imports whom, who may know a benchmark, what git may keep."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path

import pytest

from benchmark.miniwob.tasks import task_infos

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("agent", "benchmark", "browser", "llm")
MAY_IMPORT = {
    "agent": {"agent", "browser", "llm"},
    "benchmark": {"agent", "benchmark", "browser", "llm"},
    "browser": {"browser"},
    "llm": {"llm"},
}
# Whole names of packages outside, or the beginnings of dotted ones.
MAY_NOT_KNOW = {
    "agent": ("playwright", "browsergym", "miniwob", "gymnasium"),
    # benchmark/miniwob/tasks.py hides the package of that name from a script; its pages are read as files instead.
    "benchmark": ("miniwob",),
    "browser": ("browsergym.miniwob", "browsergym.webarena", "browsergym.experiments", "miniwob", "openai"),
    "llm": ("playwright", "browsergym", "miniwob", "gymnasium"),
}
HOME_OR_WORK_FOLDER = r"(?<![\w.])/(?:home|Users|root|work)/\w"
INDEX_ADDRESS = r"index[-_]url|find[-_]links|pypi\.org|python[h]osted|registry\.npm|/simple[/]"


def modules(package: str) -> list[Path]:
    found = sorted((ROOT / package).rglob("*.py"))
    assert found, f"{package} has no module"
    return found


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def misplaced(package: str, source: str) -> list[str]:
    """The imports of a source text that a module of this package may not have."""
    names = set(imported(ast.parse(source)))
    inside = {name for name in names if name.split(".")[0] in PACKAGES}
    wrong = {name for name in inside if name.split(".")[0] not in MAY_IMPORT[package]}
    wrong |= {n for n in names - inside for known in MAY_NOT_KNOW[package] if f"{n}.".startswith(f"{known}.")}
    return sorted(wrong)


@pytest.mark.parametrize("package", PACKAGES)
def test_package_is_the_one_of_this_folder(package: str) -> None:
    spec = importlib.import_module(package).__spec__
    assert spec is not None
    places = [Path(place).resolve() for place in spec.submodule_search_locations or ()]
    assert places == [ROOT / package], f"another {package!r} is installed here; use the .venv that make setup makes"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package: str) -> None:
    wrong = {str(path.relative_to(ROOT)): misplaced(package, path.read_text("utf-8")) for path in modules(package)}
    assert {name: names for name, names in wrong.items() if names} == {}


@pytest.mark.parametrize(
    ("package", "source", "wrong"),
    [
        ("llm", "import browser.actions", ["browser.actions"]),
        ("browser", "def f():\n    from agent import loop", ["agent", "agent.loop"]),
        ("agent", "from playwright.sync_api import Page", ["playwright.sync_api", "playwright.sync_api.Page"]),
        ("browser", "from browsergym import miniwob", ["browsergym.miniwob"]),
        ("browser", "import browsergym.core\nfrom browser.errors import BrowserError", []),
        ("agent", "import browsergymnastics", []),
    ],
)
def test_the_rule_sees_a_wrong_import(package: str, source: str, wrong: list[str]) -> None:
    assert misplaced(package, source) == wrong


def test_no_module_of_benchmark_hides_another() -> None:
    """`python benchmark/run_miniwob.py` puts benchmark/ first on the path, before the standard library."""
    names = {path.stem if path.name != "__init__.py" else "" for path in (ROOT / "benchmark").glob("*.py")}
    names |= {path.parent.name for path in (ROOT / "benchmark").glob("*/__init__.py")}
    taken = sys.stdlib_module_names | metadata.packages_distributions().keys() | set(PACKAGES)
    # Harmless for as long as nobody imports the package `miniwob`: see MAY_NOT_KNOW.
    assert names & taken <= {"miniwob"}


@pytest.mark.parametrize("package", ["agent", "browser", "llm"])
def test_only_benchmark_knows_a_benchmark(package: str) -> None:
    names = [info.name for info in task_infos() if "-" in info.name]
    assert len(names) > 100
    known = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])|WOB_")
    # Weights say what they were trained on in a file beside them.
    sources = [*modules(package), *(ROOT / package).rglob("*.js"), *(ROOT / package).rglob("*.json")]
    found = {str(p.relative_to(ROOT)): known.findall(p.read_text("utf-8")) for p in sources}
    assert {name: hits for name, hits in found.items() if hits} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_says_what_it_is_for(package: str) -> None:
    silent = [path for path in modules(package) if not ast.get_docstring(ast.parse(path.read_text("utf-8")))]
    assert silent == []


def test_git_keeps_no_path_of_a_machine_and_no_index_address() -> None:
    listing = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    if listing.returncode:
        pytest.skip("this folder is no git clone")
    private = re.compile(f"{HOME_OR_WORK_FOLDER}|{INDEX_ADDRESS}")
    found = {}
    for name in filter(None, listing.stdout.split("\0")):
        path = ROOT / name
        if path.is_file() and path.name != "LICENSE":
            text = path.read_bytes().decode("utf-8", "replace")
            found[name] = [text[max(0, hit.start() - 40) : hit.end() + 40] for hit in private.finditer(text)]
    assert found
    assert {name: hits for name, hits in found.items() if hits} == {}


def test_every_folder_with_code_is_packaged() -> None:
    """One that is not listed works from a clone and is missing where the project is installed."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    folders = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("__init__.py")}
    assert sorted(listed) == sorted(".".join(folder.relative_to(ROOT).parts) for folder in folders)


def test_modules_import_in_no_circle() -> None:
    parts = {path: path.relative_to(ROOT).with_suffix("").parts for package in PACKAGES for path in modules(package)}
    names = {".".join(part).removesuffix(".__init__"): path for path, part in parts.items()}
    graph = {n: names.keys() & set(imported(ast.parse(p.read_text("utf-8")))) - {n} for n, p in names.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(names)
