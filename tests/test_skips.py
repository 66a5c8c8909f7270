"""The rule of conftest.py, seen from outside: a pytest of its own runs a test that skips."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parent / "conftest.py"
IN_TEST = "import pytest\ndef test_one():\n    pytest.skip('no such thing here')\n"
BY_MARK = "import pytest\n@pytest.mark.skip(reason='no such thing here')\ndef test_one(): pass\n"
WHOLE_MODULE = "import pytest\npytest.skip('no such thing here', allow_module_level=True)\n"
EXPECTED_FAILURE = "import pytest\n@pytest.mark.xfail\ndef test_one(): assert False\n"
RAN = "def test_two(): pass\n"


@pytest.mark.parametrize(
    ("body", "ci", "code"),
    [
        (IN_TEST, "true", 1),
        (BY_MARK, "true", 1),
        (WHOLE_MODULE, "true", 2),
        (EXPECTED_FAILURE, "true", 0),
        (IN_TEST, "", 0),
        (WHOLE_MODULE, "", 0),
    ],
)
def test_a_skip_fails_in_ci_only(tmp_path: Path, body: str, ci: str, code: int) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "test_it.py").write_text(body)
    (tmp_path / "test_other.py").write_text(RAN)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path, env=os.environ | {"CI": ci}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    assert ("may not be skipped in CI" in done.stdout) == (code != 0)
    assert code == 0 or "no such thing here" in done.stdout
