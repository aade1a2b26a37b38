"""Counters drawn: a table of what is told and kept, updates under way, and each zone's marks."""

from collections.abc import Iterator, Sequence

from pagefuzz.drawing_cells import name_of, table
from pagefuzz.drawing_words import fitted, labelled
from pagefuzz.report.words import counted
from pagespec.vmstat.counters import Counters, Update

SHOWN = 12
"""Counters, zones or changes that are drawn before the rest is counted."""


def counters_drawn(
    counters: Counters, before: Counters | None = None, owed: Sequence[int] = ()
) -> list[str]:
    """The counters that are not 0 throughout, what is under way, and each zone's marks.

    before: how they stood one request ago. Of many counters or zones those are drawn that have
    changed since. owed: what is under way beside what the counters know of, by place and then by
    item; or none.

    >>> from pagespec.era import ERAS
    >>> from pagespec.vmstat.counters import boot_counters
    >>> from pagespec.vmstat.machine import CountedZone, CounterMachine
    >>> from pagespec.vmstat.ops import perform
    >>> from pagespec.vmstat.verbs import CounterOp, CounterVerb
    >>> machine = CounterMachine(ERAS["6.1"], (0, 0), (CountedZone(0, 500),), 64, normal=5)
    >>> counters = boot_counters(machine)
    >>> for cpu, by in ((0, -3), (1, -7)):
    ...     done = perform(counters, CounterOp(CounterVerb.MOD, cpu, by=by, open=True))
    >>> print("\\n".join(counters_drawn(counters)))
    counter         told  cpu 0  cpu 1  under way  truth  threshold
    free zone 0      500     -3      .         -7    490          5
    free in all      500     -3      .         -7    490
    update 0        cpu 1, free zone 0, -7 pages: tell the zone or node; its cell will hold 0
    zone 0          pages 500, min 16 low 20 high 24, drift mark 34
    told            0 times
    """
    return [
        line
        for text in (
            *_table(counters, before, owed),
            *_updates(counters),
            *_zones(counters, before),
            *_switches(counters),
            labelled("told", [counted(counters.told_times, "time")]),
        )
        for line in fitted(text)
    ]


def changes_told(before: Counters, after: Counters) -> list[str]:
    """What a request made of all that is not a CPU's own, a line each."""
    pairs = [
        (f"{name_of(place)}: told", before.told[at], after.told[at])
        for at, place in enumerate(after.places)
    ]
    pairs += [
        (f"{item.value} in all: told", before.totals[item], total)
        for item, total in after.totals.items()
    ]
    for name, was, now in (
        ("pages", before.pages, after.pages),
        ("threshold", before.thresholds, after.thresholds),
        ("drift mark", before.drift_marks, after.drift_marks),
    ):
        both = enumerate(zip(was, now, strict=True))
        pairs += [(f"zone {zone}: {name}", *sizes) for zone, sizes in both]
    pairs += [
        (f"node {node}: threshold", before.node_thresholds[node], size)
        for node, size in after.node_thresholds.items()
    ]
    lines = [f"{what} {was} -> {now}" for what, was, now in pairs if was != now]
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], *([counted(more, "more change")] if more > 0 else [])]


def _table(counters: Counters, before: Counters | None, owed: Sequence[int]) -> Iterator[str]:
    numbers = [
        number
        for number in range(len(counters.places))
        if _is_any(counters, number) or (owed and owed[number])
    ]
    shown = numbers
    if len(numbers) > SHOWN:
        shown = [at for at in numbers if before is None or _differs(before, counters, at)][:SHOWN]
    if shown:
        yield from table(counters, shown, owed)
    if len(shown) < len(numbers):
        yield labelled("counters", [f"{len(numbers) - len(shown)} more"])


def _is_any(counters: Counters, number: int) -> bool:
    """Whether there is anything to say of a counter."""
    return (
        counters.told[number] != 0
        or any(cells[number] for cells in counters.cells)
        or any(update.place == number for update in counters.updates)
    )


def _differs(before: Counters, after: Counters, number: int) -> bool:
    """Whether a request has changed a counter, or left something under way."""

    def stand(counters: Counters) -> tuple[int, list[int], list[Update]]:
        updates = [update for update in counters.updates if update.place == number]
        return counters.told[number], [cells[number] for cells in counters.cells], updates

    return stand(before) != stand(after)


def _updates(counters: Counters) -> Iterator[str]:
    """Those under way, by the numbers that `land` takes."""
    for number, update in enumerate(counters.updates[:SHOWN]):
        place = name_of(counters.places[update.place])
        then = "" if update.left is None else f"; its cell will hold {update.left}"
        yield labelled(
            f"update {number}",
            [f"cpu {update.cpu}", place, f"{update.pages} pages: {update.stage.value}{then}"],
        )
    if len(counters.updates) > SHOWN:
        yield labelled("updates", [f"{len(counters.updates) - SHOWN} more"])


def _zones(counters: Counters, before: Counters | None) -> Iterator[str]:
    """How many frames each zone has, and the marks that what is free of them is held against."""
    zones = list(range(len(counters.pages)))
    shown = zones
    if len(zones) > SHOWN:
        shown = [
            zone
            for zone in zones
            if before is None or _of_zone(before, zone) != _of_zone(counters, zone)
        ][:SHOWN]
    for zone in shown:
        yield labelled(f"zone {zone}", _of_zone(counters, zone))
    if len(shown) < len(zones):
        yield labelled("zones", [f"{len(zones) - len(shown)} more"])


def _of_zone(counters: Counters, zone: int) -> list[str]:
    marks, drift = counters.marks[zone], counters.drift_marks[zone]
    return [
        f"pages {counters.pages[zone]}",
        f"min {marks.min} low {marks.low} high {marks.high}",
        f"drift mark {drift}" if drift else "no drift mark",
    ]


def _switches(counters: Counters) -> Iterator[str]:
    """What is not as boot leaves it."""
    gone = [cpu for cpu in range(len(counters.cells)) if cpu not in counters.running]
    if gone:
        yield labelled("unplugged", [f"cpu {cpu}" for cpu in gone])
    if counters.reclaiming:
        yield labelled("kswapd awake", [f"node {node}" for node in sorted(counters.reclaiming)])
    if not counters.numa_on:
        yield labelled("NUMA statistics", ["off"])
