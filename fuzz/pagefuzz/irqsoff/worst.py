"""The worst cases that are known for each operation: zones in which its windows are longest.

Each is laid out on a zone of 2 GiB with 128 CPUs, so that batches are as large as they get, a CPU
may keep several of them, and each frame that is drained finds a block of its own to complete.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from pagefuzz.irqsoff.windows import measure
from pagespec.bitmap import toggle_pair
from pagespec.buddy import add_to_free_list
from pagespec.era import ERAS, Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import HIGHATOMIC, ISOLATE, MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.pcp.index import list_index
from pagespec.pcp.tuning import SCALE, Doubling, Tuned
from pagespec.schedule.windows import BOUNDS, most_refilled
from pagespec.types import Order, Pfn
from pagespec.verbs import Op, Verb
from pagespec.zone import Held, Zone, account, empty_zone, list_add

PAGES, TOP, PAGEBLOCK, CPUS = SIZES[15] * 16, 10, 9, 128
SLOTS = 256
"""The slots of a bulk request."""
RANGE_PAGES = 4 * SIZES[PAGEBLOCK]
"""The frames of a range."""


class Case(NamedTuple):
    """A zone and the request whose window is long there. what: why it is."""

    what: str
    zone: Zone
    op: Op


class Row(NamedTuple):
    """An operation of an era: what its longest window visits at most, and in the worst case known.

    what: which case that is.
    """

    era: str
    verb: Verb
    bound: int
    seen: int
    what: str


COLUMNS = ("era", "operation", "at most", "worst case", "where")


def cells(row: Row) -> tuple[object, ...]:
    """A row, as COLUMNS names it."""
    return row.era, row.verb.value, row.bound, row.seen, row.what


def machine_of(era: Era) -> Machine:
    """The machine on which the cases of an era are laid out."""
    pageblock = None if era.numbering is None else PAGEBLOCK
    return Machine(PAGES, TOP, era, pageblock=pageblock, cpus=CPUS)


@dataclass
class Layout:
    """A zone under construction. busy: the frames that have a place already, one byte each."""

    zone: Zone
    busy: bytearray

    def free(self, pfn: Pfn, order: Order, mt: MigrateType = MOVABLE) -> None:
        """Let a block be free, on the list of that type if there are any."""
        zone = self.zone
        listed = mt if zone.machine.pageblock is not None else UNMOVABLE
        if zone.machine.era.design == "bitmap":
            list_add(zone, pfn, order, listed, to_tail=True)
            toggle_pair(zone, pfn, order)
        else:
            add_to_free_list(zone, pfn, order, listed, to_tail=True)
        account(zone, SIZES[order], listed)
        self.take(pfn, order)

    def around(self, pfn: Pfn, order: Order = 0, mt: MigrateType = MOVABLE) -> None:
        """Let all be free of a largest block but the first block of that order in it."""
        for level in range(order, self.zone.machine.top):
            self.free(pfn + SIZES[level], level, mt)

    def keep(self, pfns: Iterable[Pfn], kind: int = 0) -> None:
        """Let the first CPU keep frames on its list of movable ones, hot or cold where it has both.

        kind: the number of the set.
        """
        zone = self.zone
        pcp = zone.pcps[0][kind]
        typed = zone.machine.pageblock is not None
        mt = MOVABLE if typed else UNMOVABLE
        index = list_index(zone.machine.era.lists, 0, mt)
        for pfn in pfns:
            pcp.lists[index][pfn] = mt
            pcp.count += 1
            self.take(pfn, 0)

    def hold(self, pfn: Pfn, order: Order, mt: MigrateType = UNMOVABLE) -> None:
        """Let somebody hold a block."""
        self.zone.held[pfn] = Held(order, 1, compound=False, mt=mt)
        self.take(pfn, order)

    def take(self, pfn: Pfn, order: Order) -> None:
        """Note that a block has a place."""
        self.busy[pfn : pfn + SIZES[order]] = b"\1" * SIZES[order]

    def finished(self) -> Zone:
        """The zone, with all that has no place held: frame by frame, largest blocks where none of
        their frames has one."""
        size = SIZES[self.zone.machine.top]
        for head in range(0, self.zone.machine.pages, size):
            if not any(self.busy[head : head + size]):
                self.hold(head, self.zone.machine.top)
            for pfn in range(head, head + size):
                if not self.busy[pfn]:
                    self.hold(pfn, 0)
        self.zone.given.update(self.zone.held)
        self.zone.log.clear()
        return self.zone


def blank(machine: Machine) -> Layout:
    """A zone in which no frame has a place yet."""
    return Layout(empty_zone(machine), bytearray(machine.pages))


def hungry(zone: Zone) -> None:
    """Let the first CPU's lists have learnt to ask for as much as they can."""
    pcp = zone.pcps[0][0]
    if isinstance(pcp.load, Tuned):
        pcp.load = pcp.load._replace(factor=SCALE, high=pcp.load.high_max)


def flushing(zone: Zone) -> None:
    """Let them have learnt to drain as much as they can."""
    pcp = zone.pcps[0][0]
    if isinstance(pcp.load, Tuned):
        load = pcp.load
        pcp.load = load._replace(high=load.high_max, freed=load.batch, high_order=True)
    elif isinstance(pcp.load, Doubling):
        pcp.load = pcp.load._replace(factor=SCALE)


def most_kept(zone: Zone, kind: int = 0) -> int:
    """From how many frames on the first CPU's lists drain."""
    load = zone.pcps[0][kind].load
    return load.high_max if isinstance(load, Tuned) else load.high


def refilling(machine: Machine, verb: Verb, slots: int) -> Case:
    """A request whose every refill is as expensive as can be, for so many frames in all.

    With pageblocks: each frame comes from another pageblock of another type, which has no more.
    """
    layout = blank(machine)
    zone = layout.zone
    hungry(zone)
    batch = most_refilled(zone.pcps[0][0].load, 0)
    if machine.pageblock is None:
        layout.free(0, machine.top)
        return Case("a refill from one largest block", layout.finished(), Op(verb))
    size = SIZES[machine.pageblock]
    for number in range(-(-slots // batch) * batch):
        layout.free(number * size, 0)
    mt = RECLAIMABLE if machine.era.fallback == "take-largest" else UNMOVABLE
    what = "refills of which each frame takes a fallback to another pageblock"
    return Case(what, layout.finished(), Op(verb, mt=mt, pages=slots))


def draining(machine: Machine, verb: Verb) -> Case:
    """A CPU keeps as much as it may, and each frame of it completes a largest block."""
    layout = blank(machine)
    zone = layout.zone
    size = SIZES[machine.top]
    # Where a free of a larger block empties the lists, it is such a free.
    order = int(machine.era.tuning in ("doubling-flush", "tuned") and verb is Verb.FREE)
    kept = most_kept(zone) - (SIZES[order] if verb is Verb.FREE else 0)
    if machine.era.tuning == "pair" and verb is Verb.FREE:
        kept += 1  # There the drain comes first.
    layout.keep(number * size for number in range(kept))
    if verb is Verb.DRAIN_ALL and machine.era.tuning == "pair":
        cold = most_kept(zone, 1)
        layout.keep((number * size for number in range(kept, kept + cold)), 1)
        kept += cold
    for number in range(kept):
        layout.around(number * size)
    layout.hold(kept * size, order, MOVABLE)
    layout.around(kept * size, order)
    if verb is Verb.FREE:
        flushing(zone)
    op = Op(verb, order if verb is Verb.FREE else 0, kept * size if verb is Verb.FREE else 0)
    return Case("a drain of which each frame completes a largest block", layout.finished(), op)


def speckled(machine: Machine, verb: Verb, mt: MigrateType) -> Case:
    """Every other frame of a pageblock is free, so that each is moved by itself."""
    layout = blank(machine)
    zone = layout.zone
    size = SIZES[PAGEBLOCK]
    pages = SIZES[machine.isolation_order]
    for pfn in range(0, pages, 2):
        layout.free(pfn, 0, mt)
    for number in range(pages // size):
        zone.pageblocks[number] = mt
    zone.nr_reserved = pages if mt is HIGHATOMIC else 0
    op = Op(verb, mt=MOVABLE, pages=0 if verb is Verb.UNRESERVE else pages, force=True)
    return Case("a pageblock of which every other frame is free", layout.finished(), op)


def ranged(machine: Machine, verb: Verb) -> Case:
    """A range of which every frame is free, or offline."""
    layout = blank(machine)
    zone = layout.zone
    mt = ISOLATE if verb in (Verb.OFFLINE, Verb.ONLINE) else MOVABLE
    size = SIZES[PAGEBLOCK]
    # Of what is offline no block may reach over an end, so one alone is as good as a range.
    order = machine.isolation_order if mt is ISOLATE else TOP
    pages = SIZES[order] if mt is ISOLATE else RANGE_PAGES
    for head in range(0, pages, size):
        zone.pageblocks[head // size] = mt
        if verb is Verb.ONLINE:
            zone.offline.add(head)
            layout.take(head, PAGEBLOCK)
    if verb is Verb.ONLINE and order < TOP:
        layout.free(pages, order)
    for head in range(0, pages if verb is not Verb.ONLINE else 0, SIZES[order]):
        layout.free(head, order, mt)
    op = Op(verb, mt=MOVABLE, pages=pages)
    return Case("a range that is free throughout", layout.finished(), op)


def failed(machine: Machine, verb: Verb) -> Case:
    """A frame that has failed, or may fail, in the midst of a largest block that is free."""
    layout = blank(machine)
    if verb is Verb.HEAL:
        layout.zone.poisoned.add(0)
        layout.take(0, 0)
        layout.around(0)
    else:
        layout.free(0, TOP)
    pfn = 0 if verb is Verb.HEAL else SIZES[TOP] - 1
    return Case("a frame of a largest block that is free", layout.finished(), Op(verb, pfn=pfn))


CASES: dict[Verb, Callable[[Machine], Case]] = {
    Verb.ALLOC: lambda machine: refilling(machine, Verb.ALLOC, 1),
    Verb.BULK: lambda machine: refilling(machine, Verb.BULK, SLOTS),
    Verb.FREE: lambda machine: draining(machine, Verb.FREE),
    Verb.DRAIN: lambda machine: draining(machine, Verb.DRAIN),
    Verb.DRAIN_ALL: lambda machine: draining(machine, Verb.DRAIN_ALL),
    Verb.EXPIRE: lambda machine: draining(machine, Verb.EXPIRE),
    Verb.AGE: lambda machine: draining(machine, Verb.AGE),
    Verb.ISOLATE: lambda machine: speckled(machine, Verb.ISOLATE, MOVABLE),
    Verb.RESTORE: lambda machine: speckled(machine, Verb.RESTORE, ISOLATE),
    Verb.UNRESERVE: lambda machine: speckled(machine, Verb.UNRESERVE, HIGHATOMIC),
    Verb.CONTIG: lambda machine: ranged(machine, Verb.CONTIG),
    Verb.OFFLINE: lambda machine: ranged(machine, Verb.OFFLINE),
    Verb.ONLINE: lambda machine: ranged(machine, Verb.ONLINE),
    Verb.POISON: lambda machine: failed(machine, Verb.POISON),
    Verb.HEAL: lambda machine: failed(machine, Verb.HEAL),
}
"""Per verb that has interrupts off at all, the case in which it has them off for longest."""


def offers(era: Era, verb: Verb) -> bool:
    """Whether the era has the operation."""
    if verb in (Verb.ISOLATE, Verb.RESTORE, Verb.OFFLINE, Verb.ONLINE):
        return era.numbering is not None
    return {
        Verb.BULK: era.bulk != "none",
        Verb.EXPIRE: era.tuning != "pair",
        Verb.AGE: era.tuning == "tuned",
        Verb.UNRESERVE: era.reserve != "none",
        Verb.CONTIG: era.numbering is not None and era.isolation != "move",
        Verb.POISON: era.takes_poisoned,
        Verb.HEAL: era.returns_poisoned,
    }.get(verb, True)


def rows(eras: Iterable[str] = ERAS) -> Iterator[Row]:
    """Each operation of each era: its bound, and what its worst case comes to."""
    for name in eras:
        machine = machine_of(ERAS[name])
        for verb, case_of in CASES.items():
            if offers(machine.era, verb):
                what, zone, op = case_of(machine)
                window = measure(zone, op).window
                bound = BOUNDS[verb](machine, op, window.lists)
                yield Row(name, verb, bound, window.visited, what)
