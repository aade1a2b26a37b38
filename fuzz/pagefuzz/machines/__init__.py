"""Hypothesis: machines as values, and an allocator in lockstep as a state machine."""
