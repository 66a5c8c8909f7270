"""How the embedded model is made: episodes are collected, read as lessons, fitted and checked."""
