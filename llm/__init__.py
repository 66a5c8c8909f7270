"""Clients of models: decision models now, chat models beside them. Knows nothing of browsers."""
