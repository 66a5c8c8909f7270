"""The embedded models by name: the trained one, the rules alone, and what each part of it is worth. No benchmark."""

from collections.abc import Callable
from pathlib import Path

from agent.decision_model import DecisionModel
from agent.embedded.blinded import Blinded, Blindfold, without_computed, without_hints
from agent.embedded.exploring import Exploring
from agent.embedded.model import NAME, RULES_NAME, EmbeddedModel, RulesModel
from agent.embedded.scorer import LEARNED, SHIPPED, Scorer, WeightsError, load


def make_embedded(name: str, weights: str | None = None) -> DecisionModel:
    """Return the embedded model of this name, with the weights of the package or of a file.

    Raises:
        KeyError: there is no such model.
        WeightsError: the file cannot be used, or the model has no weights.
    """
    if name in _LEARNED:
        own = LEARNED if name == "embedded-learned" else SHIPPED
        return _LEARNED[name](load(Path(weights) if weights else own))
    model = _RULES[name]()
    if weights:
        raise WeightsError(f"The decision model {name} has no weights; leave out {weights!r}, or name {NAME[:8]}.")
    return model


def _blinded(part: str, hide: Blindfold) -> Callable[[Scorer], DecisionModel]:
    def make(scorer: Scorer) -> DecisionModel:
        model = EmbeddedModel(scorer)
        return Blinded(model, hide, f"{model.name}-without-{part}")

    return make


_LEARNED: dict[str, Callable[[Scorer], DecisionModel]] = {
    "embedded": EmbeddedModel,
    "embedded-learned": lambda scorer: EmbeddedModel(scorer, f"{NAME}-learned"),
    "embedded-hintless": _blinded("hints", without_hints),
    "embedded-uncomputed": _blinded("computed", without_computed),
    "embedded-exploring": lambda scorer: Exploring(EmbeddedModel(scorer), "exploring"),
}
_RULES: dict[str, Callable[[], DecisionModel]] = {
    "embedded-rules": RulesModel,
    "embedded-rules-literal": lambda: RulesModel(name=f"{RULES_NAME}-literal", literally=True),
    "embedded-rules-exploring": lambda: Exploring(RulesModel(), "exploring"),
}
