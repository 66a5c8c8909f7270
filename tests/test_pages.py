"""docs/pages.md has a row for every fixture page, and every test that it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = (ROOT / "docs" / "pages.md").read_text(encoding="utf-8")


def test_every_fixture_page_has_a_row() -> None:
    named = set(re.findall(r"`([\w-]+\.html)`", TABLE))
    assert named == {path.name for path in (ROOT / "tests" / "pages").glob("*.html")}


def test_every_test_that_the_table_names_is_there() -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", TABLE)
    assert len(named) > 30
    folder = ROOT / "tests" / "integration"
    missing = [t for file, t in named if f"def {t}(" not in (folder / file).read_text(encoding="utf-8")]
    assert missing == []


def test_every_row_names_a_test() -> None:
    rows = [
        line for line in TABLE.splitlines() if line.startswith("| ") and not line.startswith(("| page", "| what |"))
    ]
    assert [row for row in rows if "::test_" not in row] == []
