"""An executable reference of the Linux page allocator: what is true, and why.

Read it in this order: `types`, `era`, `machine`, `frames`, `zone`, `buddy`, `alloc`, `laws`.
Standard library only; nothing here is written for speed.
"""
