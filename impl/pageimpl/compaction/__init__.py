"""Compaction as compiled kernels: the twin of the spec's `compaction`, over a zone's memory."""
