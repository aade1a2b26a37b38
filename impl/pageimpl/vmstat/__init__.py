"""Counters: what each CPU keeps in cells of its own, and when it tells zones, nodes and all."""
