"""Exploring from the command line: scenarios over all cores, what they came to, and the counts."""
