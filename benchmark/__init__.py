"""Runs benchmarks and measures. The only folder that knows MiniWoB and WebArena."""
