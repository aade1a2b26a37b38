"""The CPUs' lists as replayed: what is on them in order, how many frames, and what is hidden."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from pagefuzz.kernel.findings import Findings
from pagefuzz.kernel.percpu.doubling import DoublingLoad
from pagefuzz.kernel.percpu.load import Counts, Load
from pagefuzz.kernel.percpu.records import Freed, Next, Record
from pagefuzz.kernel.percpu.tuned import TunedLoad
from pagefuzz.kernel.snapshots import Snapshot, Zone
from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.migratetype import MigrateType
from pagespec.pcp.index import LISTS, is_kept, order_of_list
from pagespec.types import Order, Pfn


class Entry(NamedTuple):
    """A block on a list, and what is next seen of it. sure: whether the list is known."""

    next: Next
    sure: bool

    @property
    def may_be_gone(self) -> bool:
        """Whether it may have left already, or have been on another list."""
        return self.next.fate.silent


Entries: TypeAlias = OrderedDict[Pfn, Entry]


class Spot(NamedTuple):
    """A list: whose, of which zone, and its number among the lists of that CPU and zone."""

    cpu: int
    zone: int
    number: int


@dataclass
class CpuLists:
    """One CPU's lists of one zone.

    lists: the blocks that events have shown, front first. count: the frames on all of them, those
    that went without event included; silent: how many may have gone so; gone: how many have, at
    least. hidden: those that no event has shown yet, beneath all others; complete: the lists that
    have none. loose: those that were freed and whose list no event shows. load: the sizes; sized:
    whether zoneinfo has told them.
    """

    lists: list[Entries]
    count: int
    hidden: int
    load: Load
    silent: int = 0
    gone: int = 0
    loose: int = 0
    complete: set[int] = field(default_factory=set)
    sized: bool = False

    def counts(self) -> Counts:
        """Return how many frames are there."""
        least = self.count - self.silent - self.hidden - self.loose
        return Counts(least, self.count - self.gone)

    def depart(self, pages: int) -> None:
        """Let frames be gone that left without event."""
        self.count -= pages
        self.gone = max(0, self.gone - pages)


@dataclass
class Judge:
    """The second pass over the records: what is known when a record is judged.

    where: the list that each block is on; loose: the CPU and zone of each that is on an unknown
    one. direct: blocks that went from the buddy to a request without a list. types: the type that
    each pageblock's last event showed. triggers: the frees that drained. awake: whether a node's
    reclaimer may be at work, as far as its events tell.
    """

    era: Era
    zones: tuple[Zone, ...]
    huge: Order
    records: list[Record | None]
    fates: list[tuple[Next, ...]]
    findings: Findings
    snapshots: dict[str, Snapshot]
    cpus: dict[tuple[int, int], CpuLists] = field(default_factory=dict)
    where: dict[Pfn, Spot] = field(default_factory=dict)
    loose: dict[Pfn, tuple[int, int, Order]] = field(default_factory=dict)
    types: dict[int, MigrateType] = field(default_factory=dict)
    triggers: dict[int, Freed] = field(default_factory=dict)
    direct: set[Pfn] = field(default_factory=set)
    awake: dict[int, bool] = field(default_factory=dict)
    at: int = 0

    def sizes_of(self, index: int) -> int:
        """Return the frames of a block of a list."""
        return SIZES[order_of_list(index, self.huge)]

    def keeps(self, order: Order) -> bool:
        """Return whether blocks of the order go through lists."""
        return is_kept(self.era.lists, order, self.huge)


def front_of(entries: Entries) -> Pfn:
    """Return the first block of a list that has some."""
    return next(iter(entries))


def until(entries: Iterator[tuple[Pfn, Entry]], pfn: Pfn) -> list[tuple[Pfn, Entry]]:
    """Return what comes before a block."""
    passed = []
    for item in entries:
        if item[0] == pfn:
            break
        passed.append(item)
    return passed


def lists_of(judge: Judge, cpu: int, zone: int) -> CpuLists:
    """Return a CPU's lists of a zone; those of one that comes late are empty."""
    if (cpu, zone) not in judge.cpus:
        lists: list[Entries] = [OrderedDict() for _ in range(LISTS[judge.era.lists])]
        load = TunedLoad() if judge.era.tuning == "tuned" else DoublingLoad()
        judge.cpus[cpu, zone] = CpuLists(lists, 0, 0, load, complete=set(range(len(lists))))
    return judge.cpus[cpu, zone]


def take_off(judge: Judge, pfn: Pfn, *, silently: bool = False) -> None:
    """Take a block off the list that it is on; silently: it had gone without event."""
    spot = judge.where.pop(pfn)
    cpu = judge.cpus[spot[:2]]
    entry = cpu.lists[spot.number].pop(pfn)
    pages = judge.sizes_of(spot.number)
    if entry.may_be_gone:
        cpu.silent -= pages
    if silently:
        cpu.depart(pages)
    else:
        cpu.count -= pages


def put_on(judge: Judge, spot: Spot, pfn: Pfn, entry: Entry, *, front: bool) -> None:
    """Put a block on a list: freed ones at the front, those of a refill at the back."""
    cpu = lists_of(judge, spot.cpu, spot.zone)
    cpu.lists[spot.number][pfn] = entry
    if front:
        cpu.lists[spot.number].move_to_end(pfn, last=False)
    pages = judge.sizes_of(spot.number)
    cpu.count += pages
    cpu.silent += pages if entry.may_be_gone else 0
    judge.where[pfn] = spot


def empty(judge: Judge, cpu: CpuLists) -> None:
    """Let all be gone that may be: the lists have just been drained to the end."""
    for entries in cpu.lists:
        for pfn in [pfn for pfn, entry in entries.items() if entry.may_be_gone]:
            take_off(judge, pfn, silently=True)
    cpu.count -= cpu.hidden + cpu.loose
    cpu.hidden = cpu.loose = cpu.gone = 0
    cpu.complete.update(range(len(cpu.lists)))
