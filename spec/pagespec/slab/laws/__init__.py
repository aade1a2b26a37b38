"""Laws about objects on slabs, and who pays for them."""
