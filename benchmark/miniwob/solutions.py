"""Hard-coded solutions of a few MiniWoB tasks through the action interface, no model involved.

They prove the environment (a task can be completed), drive parity and speed measurements, and are never an agent.
"""

import re
from collections.abc import Callable, Iterator

from browser.actions import BrowserAction, Click, Select, Type
from browser.observation import InteractiveElement, Observation

Solution = Callable[[Observation], Iterator[BrowserAction]]


def _named(observation: Observation, name: str, *roles: str) -> InteractiveElement:
    found = [e for e in observation.elements if e.name == name and (not roles or e.role in roles)]
    if not found:
        raise LookupError(f"{name!r} is not on the page")
    return found[0]


def _role(observation: Observation, *roles: str) -> list[InteractiveElement]:
    return [e for e in observation.elements if e.role in roles]


def _quoted(observation: Observation) -> list[str]:
    return re.findall(r'"([^"]+)"', observation.goal)


def _click_named(name: str) -> Solution:
    def solve(observation: Observation) -> Iterator[BrowserAction]:
        yield Click(element_id=_named(observation, name).id)

    return solve


def _click_quoted(observation: Observation) -> Iterator[BrowserAction]:
    yield Click(element_id=_named(observation, _quoted(observation)[0]).id)


def _click_first(*roles: str) -> Solution:
    def solve(observation: Observation) -> Iterator[BrowserAction]:
        yield Click(element_id=_role(observation, *roles)[0].id)

    return solve


def _submit(observation: Observation) -> BrowserAction:
    return Click(element_id=_role(observation, "button")[-1].id)


def _type_quoted(observation: Observation) -> Iterator[BrowserAction]:
    for field, text in zip(_role(observation, "textbox"), _quoted(observation), strict=False):
        yield Type(element_id=field.id, text=text)
    yield _submit(observation)


def _type_twice(observation: Observation) -> Iterator[BrowserAction]:
    for field in _role(observation, "textbox"):
        yield Type(element_id=field.id, text=_quoted(observation)[0])
    yield _submit(observation)


def _choose_from_list(observation: Observation) -> Iterator[BrowserAction]:
    wanted = re.fullmatch(r"Select (.+) from the list and click Submit\.", observation.goal)
    assert wanted
    yield Select(element_id=_role(observation, "combobox")[0].id, option=wanted[1])
    yield _submit(observation)


def _check_listed(observation: Observation) -> Iterator[BrowserAction]:
    listed = observation.goal.removeprefix("Select ").removesuffix(" and click Submit.")
    for name in [] if listed == "nothing" else listed.split(", "):
        yield Click(element_id=_named(observation, name, "checkbox").id)
    yield _submit(observation)


def _choose_radio(observation: Observation) -> Iterator[BrowserAction]:
    wanted = observation.goal.removeprefix("Select ").removesuffix(" and click Submit.")
    yield Click(element_id=_named(observation, wanted, "radio").id)
    yield _submit(observation)


def _type_date(observation: Observation) -> Iterator[BrowserAction]:
    month, day, year = re.findall(r"\d+", observation.goal)
    yield Type(element_id=_role(observation, "date")[0].id, text=f"{year}-{month}-{day}")
    yield _submit(observation)


SOLUTIONS: dict[str, Solution] = {
    "click-test": _click_first("button"),
    "click-test-2": _click_named("ONE"),
    "click-button": _click_quoted,
    "click-link": _click_quoted,
    "click-dialog": _click_first("button"),
    "focus-text": _click_first("textbox"),
    "enter-text": _type_quoted,
    "enter-password": _type_twice,
    "login-user": _type_quoted,
    "enter-date": _type_date,
    "choose-list": _choose_from_list,
    "click-checkboxes": _check_listed,
    "click-option": _choose_radio,
}
