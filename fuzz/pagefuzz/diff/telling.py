"""A parting as a trace that says what differs at its end, and as a row of a table."""

from pagefuzz.diff.parting import Group, Parting
from pagefuzz.record import Recorder
from pagespec.trace import Trace


def trace_of(parting: Parting) -> Trace:
    """The requests by name with the first side's answers; comments tell what differs."""
    one, other = parting.sides
    names = one.name, other.name
    recorder = Recorder(one.machine)
    requests = tuple(
        recorder.request_of(op, outcome, {pfn: slot for slot, pfn in slots})
        for op, outcome, slots in parting.steps
    )
    _, what, here, there = parting.difference
    comments = (
        f"{one.name} and {other.name} part at {place_of(parting)}: {kind_of(names, parting.group)}",
        f"{one.name}: {what} is {here}",
        f"{other.name}: {what} is {there}",
    )
    return Trace(one.machine, requests, comments=comments)


def place_of(parting: Parting) -> str:
    """At which request, in words."""
    return f"request {parting.length}" if parting.length else "boot"


def kind_of(names: tuple[str, str], group: Group) -> str:
    """The group in one line."""
    ways = ways_text(names, group)
    return f"{group.law or 'both allowed'}; {group.aspect}" + (f"; {ways}" if ways else "")


def law_id(group: Group) -> str:
    """The law alone, without whose it is and who breaks it; empty if both are allowed.

    >>> law_id(Group("BUD-refuse of 6.1, broken by 6.12", "refusal", None, ("", "")))
    'BUD-refuse'
    """
    return group.law.partition(",")[0].partition(" ")[0]


def ways_text(names: tuple[str, str], group: Group) -> str:
    """The branches that both sides took, or those that only one took."""
    one, other = group.ways
    if one == other:
        return one
    return ", ".join(
        f"only {name}: {way}" for name, way in zip(names, group.ways, strict=True) if way
    )
