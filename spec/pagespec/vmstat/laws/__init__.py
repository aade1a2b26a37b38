"""Laws about counters that CPUs keep parts of."""
