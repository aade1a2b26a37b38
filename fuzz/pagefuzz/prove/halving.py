"""Symbolic numbers made plain, one path for each."""


def concrete(value: int, end: int) -> int:
    """The value, which is from 0 to below the end, as a plain number: found by halving.

    So each path has a zone of its own, and the solver never sees a list.
    """
    low = 0
    while end - low > 1:
        middle = (low + end) // 2
        if value < middle:
            end = middle
        else:
            low = middle
    return low
