"""Reports for people and machines."""
