"""The embedded DecisionModels: score every candidate of a tick in process. numpy only; know no benchmark."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agent.decision_model import Decision, Ranked
from agent.embedded.features import RULE_FEATURES, read_tick, rule_features, tick_features
from agent.embedded.rules import WEIGHTS
from agent.embedded.scorer import Scorer, load
from agent.tick import Tick
from llm.decision import ModelCall, Usage

NAME = "embedded-4"
RULES_NAME = "embedded-rules-4"
# Alternatives told with a decision.
RUNNERS_UP = 5

Floats = NDArray[np.float64]
_RULE_WEIGHTS = np.array([WEIGHTS[feature] for feature in RULE_FEATURES])


class RulesModel:
    """Rules as a weighted sum over named features, and a softmax over all candidates; nothing in it is learned.

    Args:
        weights: by feature name; features without a weight count nothing.
        literally: word vectors are not asked what else the page may call a thing.
    """

    def __init__(self, weights: dict[str, float] = WEIGHTS, name: str = RULES_NAME, *, literally: bool = False) -> None:
        self.name = name
        self._literally = literally
        self._weights = np.array([weights.get(feature, 0.0) for feature in RULE_FEATURES])

    def decide(self, tick: Tick) -> Decision:
        """Return the most probable candidate; see `decided`."""
        return decided(tick, self.name, lambda: softmax(self._scores(tick)))

    def _scores(self, tick: Tick) -> Floats:
        scores: Floats = rule_features(read_tick(tick, literally=self._literally)) @ self._weights
        return scores


class EmbeddedModel:
    """The rules with a learned residual, and "none of these" beside the candidates; see `Scorer`.

    Args:
        scorer: other weights than those of the package; the name then says which.
    """

    def __init__(self, scorer: Scorer | None = None, name: str = NAME) -> None:
        self._scorer = scorer or load()
        self.name = f"{name}-{self._scorer.digest}"

    def decide(self, tick: Tick) -> Decision:
        """Return the most probable candidate; see `decided`.

        What all probabilities leave to 1 is that none of the candidates leads to the goal.
        """
        return decided(tick, self.name, lambda: self._scorer.probabilities(*scored_features(tick)))


def scored_features(tick: Tick) -> tuple[NDArray[np.float32], Floats]:
    """Return what a scorer reads of a tick: all features of each candidate, and the rules' scores."""
    reading = read_tick(tick)
    rules = rule_features(reading) @ _RULE_WEIGHTS
    return tick_features(tick, rules, reading), rules


def decided(tick: Tick, name: str, probabilities_of: Callable[[], Floats]) -> Decision:
    """Return the decision for the candidate that these probabilities favour, with the time that they took.

    Where the tick is to be decided by heads, the most probable operation comes first, then its best candidate. An
    operation's probability is the sum over its candidates.
    """
    started = time.perf_counter()
    probabilities = probabilities_of()
    order = np.argsort(-probabilities, kind="stable")
    if tick.joint is False:
        of_operation = _sums(tick, probabilities)
        first = max(of_operation, key=of_operation.__getitem__)
        order = np.array(sorted(order, key=lambda i: tick.candidates[i].operation != first))
    decision = decision_for(tick, probabilities, int(order[0]))
    call = ModelCall(
        kind="decision", model=name, usage=Usage(input_tokens=0, cached_tokens=0, output_tokens=0), cost_usd=0.0,
        cost_source="in process", latency_ms=(time.perf_counter() - started) * 1000,
    )  # fmt: skip
    return decision.model_copy(update={"call": call})


def decision_for(tick: Tick, probabilities: Floats, index: int) -> Decision:
    """Return the decision for one candidate, whatever the probabilities of all say."""
    best = tick.candidates[index]
    operation = min(1.0, _sums(tick, probabilities)[best.operation])
    others = [i for i in np.argsort(-probabilities, kind="stable") if i != index][:RUNNERS_UP]
    return Decision(
        candidate=best,
        operation_probability=operation,
        target_probability=min(1.0, float(probabilities[index]) / operation) if operation else 0.0,
        runners_up=tuple(
            Ranked(candidate=tick.candidates[i], probability=min(1.0, float(probabilities[i]))) for i in others
        ),
        probabilities=tuple(probabilities.tolist()),
    )


def _sums(tick: Tick, probabilities: Floats) -> dict[str, float]:
    """Return each operation's probability."""
    sums: dict[str, float] = {}
    for candidate, probability in zip(tick.candidates, probabilities, strict=True):
        sums[candidate.operation] = sums.get(candidate.operation, 0.0) + float(probability)
    return sums


def softmax(scores: Floats) -> Floats:
    """Return the scores as probabilities."""
    raised = np.exp(scores - scores.max())
    result: Floats = raised / raised.sum()
    return result
