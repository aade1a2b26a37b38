"""Caches of objects, which live on slabs of frames: SLUB, SLAB and what groups are charged."""
