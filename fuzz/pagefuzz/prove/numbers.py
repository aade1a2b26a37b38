"""The spec's arithmetic and the twin's, number by number on a small domain.

The twin's form is the compiled one: the width of its integers is what CrossHair can't see.
"""

from collections.abc import Callable, Iterator
from inspect import signature
from itertools import product
from typing import TypeAlias

from pagespec.migratetype import MigrateType
from pagespec.types import MAX_TOP

RANGES: dict[tuple[str, ...], tuple[range, ...]] = {
    ("index", "order"): (range(2**16), range(MAX_TOP + 1)),
    ("index", "pages", "top"): (range(128), range(1, 129), range(9)),
    ("pages", "rule"): (range(0, 2**19, 16), range(3)),
    ("kbytes", "rule"): (range(0, 2**24, 2**8), range(3)),
    ("kbytes", "pages", "era"): (range(0, 2**16, 97), range(1, 2**20, 9973), range(4)),
    ("mt",): (range(len(MigrateType)),),
    ("mark", "high", "harder", "rule"): (range(2**12), range(2), range(2), range(4)),
    ("free", "mark", "order", "one", "two"): (
        range(32),
        range(16),
        range(3),
        range(8),
        range(8),
    ),
    ("free", "unusable", "mark", "reserve", "wraps"): (
        range(-8, 24),
        range(16),
        range(16),
        range(8),
        range(2),
    ),
    ("high", "high_min", "batch", "count"): (range(64), range(8), range(1, 5), range(0, 256, 3)),
    ("diff", "threshold"): (range(-(2**7), 2**7), range(126)),
    ("diff", "delta", "threshold"): (range(-126, 127, 3), range(-280, 281, 7), range(126)),
    ("diff", "delta", "threshold", "lean"): (
        range(-126, 127, 3),
        range(-280, 281, 7),
        range(0, 126, 5),
        range(-1, 2),
    ),
    ("free", "cma"): (range(-(2**7), 2**7), range(-(2**7), 2**7)),
    ("cpus", "pages"): (range(1, 2**10), range(0, 2**27, 2**20 - 1)),
    ("cpus", "gap"): (range(1, 2**8), range(2**10)),
    ("order", "size"): (range(11), range(1, 2**14, 3)),
    ("limit",): (range(1, 2**10),),
    ("cpus", "batch", "objects"): (range(1, 2**10, 7), range(1, 2**8, 5), range(1, 2**6)),
    ("size", "top"): (range(1, 2**16, 8), range(11)),
    ("cpus", "kept", "gap", "least"): (
        range(1, 2**10, 13),
        range(126),
        range(0, 2**7, 5),
        range(0, 64, 9),
    ),
}
"""The numbers that are tried, by the parameters of a function."""


Form: TypeAlias = Callable[..., int | tuple[int, ...] | None]
"""One of the two forms."""


def cases_of(function: Form) -> Iterator[tuple[int, ...]]:
    """Every tuple of arguments that is tried."""
    return product(*RANGES[tuple(signature(function).parameters)])


def first_difference(one: Form, other: Form) -> tuple[int, str]:
    """How many arguments were tried, and a sentence about the first on which the two differ."""
    tried = 0
    for tried, arguments in enumerate(cases_of(one), start=1):
        due, got = one(*arguments), other(*arguments)
        if due != got:
            return tried, f"{one.__name__}{arguments} is {due}, by bits {got}"
    return tried, ""
