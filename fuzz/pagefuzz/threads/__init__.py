"""Allocators on several threads of this machine: what they leave, and what they answered when."""
