"""Measurements of the twin, not tests: a loaded machine makes them slower, never wrong."""
