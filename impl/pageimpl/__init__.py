"""The fast twin of the spec: the same operations over one flat buffer, compiled by numba.

Importing the package costs nothing; numba comes with the first kernel module. Read in this order:
`memory` (a frame's record and its accessors), `layout`, `frames`, `zone`, `pageblock`, `buddy`,
`bitmap`, `fallback`, `rmqueue`, `checks`, `highatomic`, `alloc`, `isolation`, `contig`, `places`,
`ops`, `boot`; then `allocator` (the class), `refine` (memory to spec state), `stream` (random
requests, with `dice` and `ranges`) and `source` (the kernels from patched text). `era`,
`migratetype` and `verbs` have the spec's words as numbers.
"""
