"""Counts in sentences, and cells of tables."""

from decimal import Decimal


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number and what it counts, in the singular for one.

    The plural is the singular with an s unless given; both may be phrases with their verb.

    >>> counted(1, "request"), counted(0, "request")
    ('1 request', '0 requests')
    >>> counted(1, "line is no event", "lines are no events")
    '1 line is no event'
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def cell(value: object) -> str:
    """Return what a cell of a table shows: a number with all its digits, never as a power of ten.

    Thousands stand apart; None is an empty cell.

    >>> cell(14000), cell(0.0831), cell(1e-06), cell("6.10"), cell(True), cell(None)
    ('14,000', '0.0831', '0.000001', '6.10', 'True', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{Decimal(str(value)):,f}"
