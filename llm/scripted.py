"""A decision client and a chat model that answer from a script: for tests and for trying a path without a model."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from pydantic import JsonValue

from llm.chat import ChatError, ChatReply, ChatRequest
from llm.decision import MAX_OPTIONS, ChoiceQuestion, DecisionError, ModelCall, Reply, in_process, validate

Script = Mapping[str, object]
"""Question id -> the choice; or a raw answer, sound or not; or None for no answer. Other questions get their first
option."""
Scripter = Callable[[str, Mapping[str, ChoiceQuestion]], Script]


class ScriptedDecisions:
    """One script entry per request, or a function of the request that returns one. What it says is validated like any
    other model's answer, so that a script can hold faults."""

    def __init__(
        self,
        answers: Sequence[Script] | Scripter,
        *,
        doubt: float = 0.1,
        max_options: int = MAX_OPTIONS,
        name: str = "scripted",
    ) -> None:
        """`doubt` is the probability shared by the options that were not chosen, below one half."""
        if not 0 <= doubt < 0.5:
            raise ValueError("doubt must be at least 0 and below 0.5, or the choice would not be the most probable.")
        self.name = name
        self.max_options = max_options
        self.requests: list[tuple[str, dict[str, ChoiceQuestion]]] = []
        """What was asked so far."""
        self._answers = answers
        self._doubt = doubt

    @property
    def identity(self) -> dict[str, JsonValue]:
        """What decides an answer beside the request."""
        return in_process(self.name)

    def ask(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Reply:
        """Return the script's next answers.

        Raises:
            InvalidAnswer: the script's answers do not fit the questions.
            DecisionError: the script is at its end.
        """
        started = time.perf_counter()
        self.requests.append((state, dict(questions)))
        script = self._next(state, questions)
        raw = {key: value for key, value in script.items() if key not in questions and value is not None}
        for key, question in questions.items():
            value = script.get(key, next(iter(question.criteria)))
            if value is not None:
                raw[key] = self._shares(value, question) if isinstance(value, str) else value
        answers = validate(raw, questions)
        latency_ms = (time.perf_counter() - started) * 1000
        call = ModelCall(
            kind="decision", model=self.name, cost_usd=0.0, cost_source="in process", latency_ms=latency_ms
        )
        return Reply(answers=answers, call=call)

    def _next(self, state: str, questions: Mapping[str, ChoiceQuestion]) -> Script:
        if callable(self._answers):
            return self._answers(state, questions)
        if len(self.requests) > len(self._answers):
            raise DecisionError(f"The script has {len(self._answers)} answers and was asked once more.")
        return self._answers[len(self.requests) - 1]

    def _shares(self, choice: str, question: ChoiceQuestion) -> dict[str, Any]:
        others = len(question.criteria) - (choice in question.criteria)
        doubt = self._doubt if others else 0.0
        shares = {option: doubt / others if option != choice else 1 - doubt for option in question.criteria}
        return {"choice": choice, "probabilities": shares}


ChatAnswer: TypeAlias = str | ChatReply | Exception
"""A text, a whole reply with the call it should report, or what is raised."""


class ScriptedChat:
    """One entry per request, or a function of the request that returns one."""

    def __init__(
        self, answers: Sequence[ChatAnswer] | Callable[[ChatRequest], ChatAnswer], name: str = "scripted-chat"
    ) -> None:
        self.name = name
        self.requests: list[ChatRequest] = []
        """What was asked so far."""
        self._answers = answers

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the script's next answer; a text comes with a call that is free of charge and counts no tokens.

        Raises:
            ChatError: the script is at its end.
            Exception: the one that the script holds.
        """
        started = time.perf_counter()
        self.requests.append(request)
        answer = self._next(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ChatReply):
            return answer
        latency_ms = (time.perf_counter() - started) * 1000
        call = ModelCall(kind="chat", model=self.name, cost_usd=0.0, cost_source="in process", latency_ms=latency_ms)
        return ChatReply(text=answer, call=call)

    def _next(self, request: ChatRequest) -> ChatAnswer:
        if callable(self._answers):
            return self._answers(request)
        if len(self.requests) > len(self._answers):
            raise ChatError(f"The script has {len(self._answers)} answers and was asked once more.")
        return self._answers[len(self.requests) - 1]
