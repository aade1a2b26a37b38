"""The CPUs' page lists of a zone drawn beside its free lists, its counts and its watermarks.

Per CPU how much it keeps and the sizes by which it refills and drains; below that its lists, the
block that is served next first and the one that is drained first last.
"""

from collections.abc import Iterator

from pagefuzz.drawing_words import LABEL, chained, labelled, pages
from pagespec.migratetype import LETTER_OF, REQUESTED, MigrateType
from pagespec.pcp.index import COSTLY, order_of_list
from pagespec.pcp.state import Load, Pcp
from pagespec.zone import Zone

SHOWN_CPUS = 8
"""CPUs that are drawn before the rest is counted."""


def cpus_drawn(zone: Zone) -> Iterator[str]:
    """Each CPU and its lists; of many CPUs those that keep something."""
    numbers = list(range(zone.machine.cpus))
    if len(numbers) > SHOWN_CPUS:
        numbers = [cpu for cpu in numbers if any(pcp.count for pcp in zone.pcps[cpu])]
    for cpu in numbers[:SHOWN_CPUS]:
        for kind, pcp in enumerate(zone.pcps[cpu]):
            heat = f" {'cold' if kind else 'hot'}" if len(zone.pcps[cpu]) > 1 else ""
            away = "unplugged, " if cpu in zone.unplugged else ""
            yield f"{f'cpu {cpu}{heat}':<{LABEL}}{away}count {pcp.count}, {_sizes(pcp.load)}"
            yield from _lists(zone, pcp)
    shown = min(SHOWN_CPUS, len(numbers))
    if shown < zone.machine.cpus:
        yield labelled("cpus", [f"{zone.machine.cpus - shown} more"])
    if zone.disabled:
        yield labelled("cpus", ["their lists are disabled"])


def _sizes(load: Load) -> str:
    """The sizes of lists by name, and of what they have learnt what is so."""
    told = []
    for name, size in zip(load._fields, load, strict=True):
        if size is True:
            told.append(name)
        elif size is not False:
            told.append(f"{name} {size}")
    return " ".join(told)


def _lists(zone: Zone, pcp: Pcp) -> Iterator[str]:
    machine = zone.machine
    for index, blocks in enumerate(pcp.lists):
        if not blocks:
            continue
        order = order_of_list(index, machine.huge)
        mt = REQUESTED[index % 3] if order <= COSTLY and len(pcp.lists) > 1 else None
        letter = "" if mt is None or machine.pageblock is None else f" {LETTER_OF[mt]}"
        yield chained(
            f"  list[{order}]{letter}",
            (pages(pfn, order) + _listed_as(zone, was, mt) for pfn, was in blocks.items()),
        )


def _listed_as(zone: Zone, was: MigrateType, mt: MigrateType | None) -> str:
    """The type that a block was listed with, where the list does not say it."""
    return "" if was is mt or zone.machine.pageblock is None else f" {LETTER_OF[was]}"


def marks_drawn(zone: Zone) -> Iterator[str]:
    """What is free beside the marks that it is held against."""
    levels = zone.levels
    if levels is None:
        return
    marks = levels.marks
    told = [f"free {zone.free_pages}", f"min {marks.min} low {marks.low} high {marks.high}"]
    told += [f"boost {levels.boost}"] if levels.boost else []
    told += [f"reserve {' '.join(map(str, levels.reserve))}"] if any(levels.reserve) else []
    told += ["below high"] if levels.below_high else []
    told += ["kswapd at work"] if levels.reclaiming else []
    yield labelled("watermarks", told)


def counts_drawn(zone: Zone) -> Iterator[str]:
    """What the zone has been told of its free frames, and what each CPU keeps to itself."""
    cells = zone.cells
    if cells is None:
        return
    told = [f"free {cells.free.told} cma {cells.cma.told}", f"threshold {cells.threshold}"]
    told += [f"drift mark {cells.drift_mark}"] if cells.drift_mark else []
    yield labelled("told", told)
    kept = enumerate(zip(cells.free.kept, cells.cma.kept, strict=True))
    yield labelled(
        "kept", (f"cpu {cpu} free {free} cma {cma}" for cpu, (free, cma) in kept if free or cma)
    )


def slots_drawn(zone: Zone) -> Iterator[str]:
    """The array of bulk requests, as far as it is filled."""
    if zone.slots:
        filled = sorted((slot, pfn) for pfn, slot in zone.slots.items())
        yield labelled("slots", (f"{slot}: {pages(pfn, 0)}" for slot, pfn in filled))
