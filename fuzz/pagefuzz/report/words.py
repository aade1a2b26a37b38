"""Counts in sentences."""


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number and what it counts, in the singular for one.

    The plural is the singular with an s unless given; both may be phrases with their verb.

    >>> counted(1, "request"), counted(0, "request")
    ('1 request', '0 requests')
    >>> counted(1, "line is no event", "lines are no events")
    '1 line is no event'
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"
