"""The spec's arithmetic and the twin's, number by number on a small domain.

The twin's form is the compiled one: the width of its integers is what CrossHair can't see.
"""

from collections.abc import Callable, Iterator
from inspect import signature
from itertools import product

from pagespec.types import MAX_TOP

RANGES: dict[tuple[str, ...], tuple[range, ...]] = {
    ("index", "order"): (range(2**16), range(MAX_TOP + 1)),
    ("index", "pages", "top"): (range(128), range(1, 129), range(9)),
}
"""The numbers that are tried, by the parameters of a function."""


def cases_of(function: Callable[..., int | None]) -> Iterator[tuple[int, ...]]:
    """Every tuple of arguments that is tried."""
    return product(*RANGES[tuple(signature(function).parameters)])


def first_difference(
    one: Callable[..., int | None], other: Callable[..., int | None]
) -> tuple[int, str]:
    """How many arguments were tried, and a sentence about the first on which the two differ."""
    tried = 0
    for tried, arguments in enumerate(cases_of(one), start=1):
        due, got = one(*arguments), other(*arguments)
        if due != got:
            return tried, f"{one.__name__}{arguments} is {due}, by bits {got}"
    return tried, ""
