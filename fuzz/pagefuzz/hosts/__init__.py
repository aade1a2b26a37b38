"""Hosts of several zones and nodes: whole allocators beside the spec, judged by every law."""
