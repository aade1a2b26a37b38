"""Where two eras or two allocators part: the shortest traces, and what differs at their end."""
