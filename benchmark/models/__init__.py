"""The agent and the models it asks, from a command line's options. Knows no benchmark."""
