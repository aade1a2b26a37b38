"""Where two states of slabs part first, in words that fit on a line or two."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import chain

from pagespec.slab.state import Slabs

FIELDS = (*("caches", "frames", "held", "withheld", "large", "groups", "stocks", "slots", "zone"),)
"""What two who were asked the same must agree in."""

MOST = 120
"""The letters of a value that are told: a long list is known by its beginning."""


def difference(one: Slabs, other: Slabs) -> str | None:
    """The first part of the states that is not the same in both; None if all are.

    A state has thousands of parts, and who looks for a fault wants the one that is wrong.
    """
    for name in FIELDS:
        got, due = getattr(one, name), getattr(other, name)
        if got != due:
            return _first(name, got, due)
    return None


def _first(place: str, one: object, other: object) -> str:
    """The first part within two values that differ."""
    for deeper, got, due in _parts(one, other):
        if got != due:
            return _first(f"{place}{deeper}", got, due)
    return f"{place} is {_short(one)} and {_short(other)}"


def _parts(one: object, other: object) -> Iterator[tuple[str, object, object]]:
    """The parts that two values both have; none of those whose parts do not pair."""
    if isinstance(one, dict) and isinstance(other, dict):
        keys = dict.fromkeys(chain(one, other))
        yield from ((f"[{key}]", one.get(key), other.get(key)) for key in keys)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (got, due) in enumerate(zip(one, other, strict=True)):
            yield f"[{number}]", got, due
    elif is_dataclass(one) and type(one) is type(other):
        for each in fields(one):
            if each.compare:
                yield f".{each.name}", getattr(one, each.name), getattr(other, each.name)


def _short(value: object) -> str:
    text = str(list(value) if isinstance(value, dict) else value)
    return text if len(text) <= MOST else f"{text[:MOST]}..."
