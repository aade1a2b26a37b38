"""Watermarks: how low a zone's free memory may fall, and for whom."""
