"""How long operations have interrupts off: their windows, and the worst cases that are known."""
