"""The embedded decision model: a tick's candidates as features, scored by weights. In process, numpy only."""

from agent.embedded.model import EmbeddedModel

__all__ = ["EmbeddedModel"]
