"""Campaigns: random requests in volume, as units of work that are pure functions of their seeds."""
