"""The CPUs' own page lists, replayed: which block each event must have taken, and how many."""
