"""The twin's own text under a scheduler that switches at every load, store and atomic accessor."""
