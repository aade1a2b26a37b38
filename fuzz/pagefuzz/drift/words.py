"""Numbers in sentences and labels: three figures, and the unit that suits."""

from pagefuzz.drift.machine import PAGES_A_GIB, PAGES_A_MIB

UNITS = ((2**28, "TiB"), (PAGES_A_GIB, "GiB"), (PAGES_A_MIB, "MiB"))


def number(value: float) -> str:
    """A number with three figures, or all of a larger one's before the point.

    >>> [number(value) for value in (0.0152587, 5.3191, 54.6875, 250, 14336.4)]
    ['0.0153', '5.32', '54.7', '250', '14,336']
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def memory(pages: int) -> str:
    """How much memory so many frames are.

    >>> [memory(pages) for pages in (1, 100, 14000, 31 * 2**18, 2**28)]
    ['4 KiB', '400 KiB', '54.7 MiB', '31 GiB', '1 TiB']
    """
    for size, unit in UNITS:
        if pages >= size:
            return f"{number(pages / size)} {unit}"
    return f"{4 * pages} KiB"


def times(value: int, unit: int) -> str:
    """How many times the unit a value is; whatever is none of nothing is beyond measure.

    >>> times(14000, 8126), times(5, 0)
    ('1.72 times', 'endlessly many times')
    """
    return f"{number(value / unit)} times" if unit else "endlessly many times"


def of(count: int, one: str) -> str:
    """A count and what it counts.

    >>> of(1, "CPU"), of(1024, "CPU")
    ('1 CPU', '1,024 CPUs')
    """
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"
