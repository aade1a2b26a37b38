"""The laws of compaction: at rest, between two states, at every step, and how long it may take."""
