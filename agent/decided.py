"""What one decision was made from and all that was answered: for the record. Knows neither models nor benchmarks."""

from agent.tick import Candidate, Tick
from browser.observation import Frozen
from llm.decision import Answer, ChoiceQuestion


class Exchange(Frozen):
    """One request to a decision client, word for word, and its validated answers with every probability."""

    state: str
    questions: dict[str, ChoiceQuestion]
    """Those that were asked; a head with one option is filled in by code."""
    answers: dict[str, Answer]
    max_options: int
    """Targets of an operation that the client takes: what the request was cut to."""


class Before(Frozen):
    """What a run did before a tick that neither page nor past tells of, and that its candidates follow from."""

    since: int = 0
    """Where in the past the guards began to count."""
    unwritten: tuple[int, ...] = ()
    """The fields for which the writer gave no text."""
    plan: str = ""
    """The plan of a recovery, for this tick alone."""


class DecidedTick(Frozen):
    """A tick, and what its model made of it."""

    tick: Tick
    before: Before
    chosen: Candidate | None
    """None where the model gave no usable answer."""
    exchange: Exchange | None = None
    """None for a model in process, and where there was no usable answer."""
    probabilities: tuple[float, ...] = ()
    """Of each candidate, in the tick's order, from a model in process; one behind a wire has them in `exchange`."""
