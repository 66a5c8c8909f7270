"""Laya as a decision client: a model of this process with weights of the user's own. Knows nothing of pages.

The package brings torch along, so that it is an extra, `laya`, and imported only here.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from pydantic import JsonValue

from llm.decision import (
    MAX_OPTIONS,
    Answer,
    ChoiceQuestion,
    DecisionError,
    InvalidAnswer,
    ModelCall,
    Reply,
    in_process,
    one_call,
    validate,
)
from llm.tournament import Shares, decide, likeliest
from llm.wire import read_charged

# Beyond this many options Laya cuts their texts, and some can no longer be told apart.
OPTIONS_AT_ONCE = 20


class Predictor(Protocol):
    """What Laya loads."""

    def predict(self, state: str, questions: Mapping[str, Mapping[str, Any]]) -> Any: ...


def load_laya(weights: Path) -> "LayaClient":
    """Return a client of the model in a folder of weights, which runs on the processor.

    Raises:
        DecisionError: no such folder, or the extra is not installed.
    """
    if not weights.is_dir():  # Laya would look for one of this name on the network
        raise DecisionError(f"No folder of Laya's weights is at {weights}; name one with --model.")
    try:
        import laya
    except ModuleNotFoundError as error:
        if error.name != "laya":
            raise
        raise DecisionError("The model laya needs its package: pip install 'browser-agent-lab[laya]'.") from None
    return LayaClient(laya.load(str(weights.resolve()), device="cpu"), weights.name)


class LayaClient:
    """Asks all questions that fit at once, and each that does not by a tournament."""

    max_options = MAX_OPTIONS

    def __init__(self, model: Predictor, name: str) -> None:
        self.name = f"laya:{name}"
        self._model = model

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request."""
        return in_process(self.name)

    def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
        """Return validated answers; their one call sums up all that the model was asked.

        Raises:
            InvalidAnswer: an answer that does not fit its question.
        """
        started = time.perf_counter()
        calls: list[ModelCall] = []
        small = {key: question for key, question in questions.items() if len(question.criteria) <= OPTIONS_AT_ONCE}
        try:
            answers = self._predict(state, small, calls) if small else {}
            for key, question in questions.items():
                if key not in small:
                    answers[key] = self._tournament(state, key, question, calls)
        except InvalidAnswer as error:
            raise InvalidAnswer(str(error), (_summed(calls, started),)) from None
        return Reply(answers={key: answers[key] for key in questions}, call=_summed(calls, started))

    def _tournament(self, state: str, key: str, question: ChoiceQuestion, calls: list[ModelCall]) -> Answer:
        def vote(options: Sequence[str]) -> Shares:
            part = question.model_copy(update={"criteria": {option: question.criteria[option] for option in options}})
            return self._predict(state, {key: part}, calls)[key].probabilities

        shares = decide(list(question.criteria), OPTIONS_AT_ONCE, vote)
        return validate({key: {"choice": likeliest(shares), "probabilities": shares}}, {key: question})[key]

    def _predict(
        self, state: str, questions: Mapping[str, ChoiceQuestion], calls: list[ModelCall]
    ) -> dict[str, Answer]:
        raw = self._model.predict(state, {key: question.raw(nulls=False) for key, question in questions.items()})
        whole = raw if isinstance(raw, Mapping) else {}
        usage = read_charged(whole).usage
        # Its own name for every model is the same: the folder tells them apart.
        calls.append(ModelCall(kind="decision", model=self.name, usage=usage, cost_usd=0.0, cost_source="in process"))
        return validate(whole.get("answers"), questions)


def _summed(calls: Sequence[ModelCall], started: float) -> ModelCall:
    return one_call(calls, (time.perf_counter() - started) * 1000)
