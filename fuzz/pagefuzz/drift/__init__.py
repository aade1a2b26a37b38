"""What CPUs keep back of a machine's counters, and what that buys: tables, pictures, answers."""
