"""Known bugs, planted one at a time to see that each is found and named."""
