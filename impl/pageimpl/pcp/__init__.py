"""Per-CPU page lists: how large they are, which list a block is on, and what a drain takes."""
