"""Measurements of the twin. Nothing here is a test: a loaded machine makes them slower, not wrong."""
