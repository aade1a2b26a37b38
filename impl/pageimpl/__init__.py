"""The fast twin of the spec: the same operations over one flat buffer, compiled by numba.

Importing the package costs nothing; numba comes with the first kernel module. Read in this order:
`memory` (the record of a frame and its accessors), `layout`, `frames`, `zone`, `buddy`, `bitmap`,
`alloc`, `boot`; then `allocator` (the class), `refine` (memory to spec state) and `source` (the
kernels from patched text).
"""
