"""The bench beside BrowserGym's WebArena task class, before anything starts: that class is too heavy for a test."""

import pytest

from benchmark.measure.webarena import TASKS, main, with_real_addresses
from benchmark.standins.tasks import select_standins, standin_rows


def test_without_the_original_evaluator_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmark.webarena.original.PACKAGE", "no-such-package")
    assert main([]) == 2
    assert "no-such-package is not installed; run make setup EXTRA=webarena" in capsys.readouterr().err


def test_its_tasks_are_on_one_site_each() -> None:
    assert {len(task.start_urls) for task in select_standins(TASKS)} == {1}


def test_every_address_of_a_configuration_is_a_real_one() -> None:
    addresses = {"shopping": "http://s.test", "shopping_admin": "http://s.test/dashboard", "reddit": "http://f.test"}
    rows = [with_real_addresses(row, addresses) for row in standin_rows().values()]
    assert "__" not in str(rows)
    assert rows[6]["eval"]["program_html"][0]["url"] == "http://s.test/accounts/orders/100012/"
    assert rows[6]["require_login"] is True
