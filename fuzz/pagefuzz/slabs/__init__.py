"""Allocators of objects: random requests, laws and the spec beside them, and what sharing saves."""
