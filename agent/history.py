"""What an agent remembers of one episode: its actions and what each did, and these in words. Knows no model."""

from agent.prompt import CHAT_CHANGED, CHAT_FAILED, CHAT_UNCHANGED
from agent.tick import PastStep
from browser.actions import BrowserAction, Drag, DragBy
from browser.observation import Observation

# Characters of an error or an address, and of a name or a value, in one line about the past.
BLOCK_CHARS = 240
NAME_CHARS = 80


class History:
    """The actions of the episode under way. An action joins it when the next observation shows what it did."""

    def __init__(self) -> None:
        self.run = 0
        """Which episode this is: another number, another goal or another try at it."""
        self.clear()

    def clear(self) -> None:
        """Forget the episode, and begin another."""
        self.run += 1
        self.steps: list[PastStep] = []
        self._goal: str | None = None
        self._pending: tuple[BrowserAction, Observation] | None = None
        self._finished = False

    def see(self, observation: Observation) -> None:
        """Take in what the last action led to; after an end, or with another goal, begin anew."""
        if self._finished or self._goal not in (None, observation.goal):
            self.clear()
        self._goal = observation.goal
        if self._pending is None:
            return
        action, before = self._pending
        element_id = getattr(action, "element_id", None)
        row = next((n for n, e in enumerate(before.elements) if e.id == element_id), None)
        element = None if row is None else before.elements[row]
        self.steps.append(
            PastStep(
                action=action,
                role=element.role if element else "",
                name=element.name if element else "",
                page_changed=observation.page_key != before.page_key or _has_moved(action, before, observation),
                error=observation.last_action_error,
                url=observation.url,
                page_key=observation.page_key,
                from_url=before.url,
                from_key=before.page_key,
                row=row,
            )
        )
        self._pending = None

    def decided(self, action: BrowserAction | None, observation: Observation) -> None:
        """Keep the action decided on this observation; None, or to finish, is the episode's end."""
        self._finished = action is None or action.type == "finish"
        self._pending = None if action is None else (action, observation)


def _has_moved(action: BrowserAction, before: Observation, after: Observation) -> bool:
    """Tell whether a drag moved or resized what it took hold of, which a page's key does not tell."""
    if not isinstance(action, Drag | DragBy) or after.scroll != before.scroll:
        return False
    here, there = before.element(action.element_id), after.element(action.element_id)
    return here is not None and there is not None and here.box != there.box


def past_line(step: PastStep) -> str:
    """Return a past action and its result on one line, with the address it led to."""
    parts = [step.action.type.upper(), quoted(value) if (value := _value(step)) else "", *_element(step)]
    return f"{' '.join(filter(None, parts))} -> {_result(step)}"


def action_words(step: PastStep) -> str:
    """Return a past action with its element's number, as a chat model knows it, on one line."""
    element_id = getattr(step.action, "element_id", None)
    parts = [step.action.type, "" if element_id is None else f"[{element_id}]", *_element(step)]
    parts += [quoted(value)] if (value := _value(step)) else []
    parts += _places(step.action)
    return " ".join(filter(None, parts))


def numbered_line(step: PastStep) -> str:
    """Return a past action for a chat model, and its result, on one line."""
    result = CHAT_CHANGED if step.page_changed else CHAT_UNCHANGED
    if step.error:
        result = CHAT_FAILED.format(error=one_line(step.error, BLOCK_CHARS))
    return f"{action_words(step)} -> {result}"


def _value(step: PastStep) -> str:
    fields = ("text", "option", "key", "keys", "direction", "url")
    return next((value for name in fields if (value := getattr(step.action, name, None))), "")


def _places(action: BrowserAction) -> list[str]:
    """Return in words where the pointer went: to another element, to a place inside one, by an offset."""
    said = action.model_dump(include={"to_element_id", "x", "y", "dx", "dy"}, exclude_none=True)
    where = [f"at {said['x']},{said['y']}"] if "x" in said else []
    where += [f"by {said['dx']},{said['dy']}"] if "dx" in said else []
    return where + ([f"to [{said['to_element_id']}]"] if "to_element_id" in said else [])


def _element(step: PastStep) -> tuple[str, str]:
    return step.role, quoted(step.name) if step.name else ""


def _result(step: PastStep) -> str:
    if step.error:
        return f"failed: {one_line(step.error, BLOCK_CHARS)}"
    if not step.page_changed:
        return "the page did not change"
    address = f", now at {one_line(step.url, BLOCK_CHARS)}" if step.url else ""
    return f"the page changed{address}"


def quoted(text: str) -> str:
    """Return a text of the page or the model in quotes that it cannot close, short and on one line."""
    return '"' + one_line(text, NAME_CHARS).replace('"', "'") + '"'


def one_line(text: str, limit: int) -> str:
    """Return a text as one line of at most `limit` characters: a page can never begin a line of its own."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
