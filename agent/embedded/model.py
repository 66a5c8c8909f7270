"""The embedded DecisionModel: scores every candidate of a tick in process. numpy only; knows no benchmark."""

import time

import numpy as np

from agent.candidates import Tick
from agent.decision_model import Decision, Ranked
from agent.embedded.features import FEATURES, tick_features
from agent.embedded.rules import WEIGHTS
from llm.decision import ModelCall, Usage

NAME = "embedded-rules-2"
# Alternatives told with a decision.
RUNNERS_UP = 5


class EmbeddedModel:
    """Rules as a weighted sum over named features, and a softmax over all candidates.

    Args:
        weights: by feature name; features without a weight count nothing.
    """

    def __init__(self, weights: dict[str, float] = WEIGHTS, name: str = NAME) -> None:
        self.name = name
        self._weights = np.array([weights.get(feature, 0.0) for feature in FEATURES])

    def decide(self, tick: Tick) -> Decision:
        """Return the most probable candidate; its operation's probability is the sum over that operation's.

        Where the tick is to be decided by heads, the most probable operation comes first, then its best candidate.
        """
        started = time.perf_counter()
        probabilities = softmax(tick_features(tick) @ self._weights)
        order = np.argsort(-probabilities, kind="stable")
        of_operation: dict[str, float] = {}
        for candidate, probability in zip(tick.candidates, probabilities, strict=True):
            of_operation[candidate.operation] = of_operation.get(candidate.operation, 0.0) + float(probability)
        if tick.joint is False:
            first = max(of_operation, key=of_operation.__getitem__)
            order = np.array(sorted(order, key=lambda i: tick.candidates[i].operation != first))
        best = tick.candidates[order[0]]
        operation = min(1.0, of_operation[best.operation])
        target = min(1.0, float(probabilities[order[0]]) / operation)
        others = sorted(order[1:], key=lambda i: -probabilities[i])[:RUNNERS_UP]
        return Decision(
            candidate=best,
            operation_probability=operation,
            target_probability=target,
            runners_up=tuple(
                Ranked(candidate=tick.candidates[i], probability=float(probabilities[i]))
                for i in others
            ),
            probabilities=tuple(probabilities.tolist()),
            call=ModelCall(
                kind="decision", model=self.name, usage=Usage(input_tokens=0, cached_tokens=0, output_tokens=0),
                cost_usd=0.0, cost_source="in process", latency_ms=(time.perf_counter() - started) * 1000,
            ),
        )  # fmt: skip


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the scores as probabilities."""
    raised = np.exp(scores - scores.max())
    result: np.ndarray = raised / raised.sum()
    return result
