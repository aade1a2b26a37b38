"""Compaction: free frames gathered at one end of a zone, movable blocks moved there."""
