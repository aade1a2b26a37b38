"""What groups that share caches save in frames, counted on the twin."""
