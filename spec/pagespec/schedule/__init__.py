"""Several contexts at once: tasks on CPUs, the interrupts that come between, and the locks."""
