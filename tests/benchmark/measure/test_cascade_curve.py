"""The command line of the curve; tests/integration/test_chat_agents.py runs it."""

import pytest

from benchmark.errors import UsageError
from benchmark.measure.cascade_curve import THRESHOLDS, main, parse_thresholds


def test_thresholds_are_distinct_numbers_in_rising_order() -> None:
    assert parse_thresholds("1.01, 0,0.5,0.50,") == (0.0, 0.5, 1.01)
    assert len(parse_thresholds(THRESHOLDS)) >= 5


@pytest.mark.parametrize("text", ["", "0.5", "half,1", "-0.1,1", "0,inf", "nan,0"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--thresholds is"):
        parse_thresholds(text)


def test_what_run_miniwob_refuses_ends_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--thresholds", "0,1"]) == 2
    assert capsys.readouterr().err.startswith("The agent cascade needs a chat model; give --model")
