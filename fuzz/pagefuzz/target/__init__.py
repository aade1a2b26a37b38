"""Allocators under test: what one must offer, and how ours and others' are brought in."""
