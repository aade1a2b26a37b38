"""Counters that every CPU keeps a part of: the twin beside the spec, judged by every law."""
