"""Compaction under test: the twin beside the spec, judged by every law."""
