"""Are the spec and the fast version the same? Engines, command line and reports.

Nothing is imported here: `pagefuzz --help` must not pay for numba or Hypothesis.
"""
