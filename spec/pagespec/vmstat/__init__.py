"""Counters that every CPU keeps a part of, so that they need not share a cache line."""
