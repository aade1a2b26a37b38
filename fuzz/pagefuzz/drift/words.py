"""Numbers in sentences and labels: three figures, and the unit that suits."""

from pagefuzz.drift.machine import PAGES_A_GIB, PAGES_A_MIB

LEAST_SHARE = 0.01
"""In percent; of a smaller share only its size matters."""

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
    """How many times the unit a value is, or what share of it, to be followed by the unit.

    Whatever is none of nothing is beyond measure.

    >>> times(14000, 8126), times(8000, 8126), times(1, 9600), times(1, 16800), times(5, 0)
    ('1.72 times', '98.4 % of', '0.0104 % of', 'less than 0.01 % of', 'endlessly many times')
    """
    if not unit:
        return "endlessly many times"
    if value >= unit:
        return f"{number(value / unit)} times"
    share = 100 * value / unit
    return f"less than {LEAST_SHARE} % of" if 0 < share < LEAST_SHARE else f"{number(share)} % of"


def how_often(count: float, among: int, what: str) -> str:
    """How often something happens: so many times among so many, or once in more than those.

    >>> how_often(5.3191, 1000, "updates"), how_often(0.0152592, 1000, "updates")
    ('5.32 times in 1,000 updates', 'once in 65,534 updates')
    """
    if count >= 1:
        return f"{number(count)} times in {among:,} {what}"
    return f"once in {number(among / count)} {what}"


def of(count: int, one: str) -> str:
    """A count and what it counts.

    >>> of(1, "CPU"), of(1024, "CPU")
    ('1 CPU', '1,024 CPUs')
    """
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"
