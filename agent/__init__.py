"""Agents: they decide one browser action at a time. Knows neither Playwright nor any benchmark."""
