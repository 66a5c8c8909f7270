"""sparrow-decider as a decision client: a small real model, in process, that proves the wire's path end to end.

It is weak, and no result to compare with; importing this module needs the `sparrow` extra.
"""

import time
from collections.abc import Mapping

from pydantic import JsonValue
from sparrow_decider import Decider

from llm.decision import ChoiceQuestion, InvalidAnswer, ModelCall, Reply, in_process, validate


class SparrowClient:
    """The bundled general model, or another of the package's models by name."""

    # It rounds each probability to four digits: with 200 options the sum stays within 0.01 of 1.
    max_options = 200

    def __init__(self, model: str | None = None) -> None:
        self._decider = Decider.load(model)
        self.name: str = self._decider.name

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request."""
        return in_process(self.name)

    def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
        """Return validated answers to questions of at least two options each.

        Raises:
            InvalidAnswer: an answer that does not fit; the same request gets the same answer again.
        """
        started = time.perf_counter()
        raw = self._decider.ask(state, {key: question.raw() for key, question in questions.items()})
        # It runs in this process, so that its price is known to be nothing; it counts no tokens.
        call = ModelCall(
            kind="decision",
            model=self.name,
            cost_usd=0.0,
            cost_source="in process",
            latency_ms=(time.perf_counter() - started) * 1000,
        )
        try:
            return Reply(answers=validate(raw, questions), call=call)
        except InvalidAnswer as error:
            raise InvalidAnswer(str(error), (call,)) from None
