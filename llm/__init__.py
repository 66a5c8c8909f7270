"""Clients of models, decision models and chat models, and a server for small ones. Knows nothing of browsers."""
