"""Real web applications that stand in for WebArena's sites on one machine."""
