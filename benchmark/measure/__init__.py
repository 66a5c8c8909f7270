"""Measurements of the house itself, most of them beside stock BrowserGym: speed, size, parity, what a kill leaves."""
