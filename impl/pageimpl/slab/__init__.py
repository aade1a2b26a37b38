"""Caches of objects in flat memory: SLUB and SLAB over a zone's frames, as compiled kernels."""
