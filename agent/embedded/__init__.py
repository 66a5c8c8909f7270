"""The embedded decision model: a tick's candidates as features, scored by weights. In process, numpy only."""

from agent.embedded.model import EmbeddedModel, RulesModel

__all__ = ["EmbeddedModel", "RulesModel"]
