"""The worst cases that are known for compaction's scanners: zones in which they walk farthest.

Each is laid out on the machine of `worst`, in which everything is held but what the case needs;
what is to be moved are the first 32 frames. Where the bound does not depend on how large the zone
is, a smaller one will do, which is laid out sooner.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from pagefuzz.irqsoff.stepped import Stepped
from pagefuzz.irqsoff.stretches import WORDS
from pagefuzz.irqsoff.worst import PAGEBLOCK, PAGES, TOP, Layout, blank, machine_of
from pagespec.compaction.design import CLUSTER
from pagespec.compaction.laws.windows import Scanner, bound
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.era import ERAS
from pagespec.frames import SIZES
from pagespec.migratetype import MOVABLE
from pagespec.types import Pfn
from pagespec.zone import Held

SIZE = SIZES[PAGEBLOCK]
FEW_PAGES = 4 * SIZE
FOR_ALL = CompactionOp(CompactionVerb.COMPACT, whole=True)
FOR_ONE = CompactionOp(CompactionVerb.COMPACT, order=PAGEBLOCK)


class ScanRow(NamedTuple):
    """A scanner of an era: what its longest window visits at most, and in the worst case known.

    what: which case that is.
    """

    era: str
    scanner: Scanner
    bound: int
    seen: int
    what: str


COLUMNS = ("era", "in compaction", "at most", "worst case", "where")


def cells(row: ScanRow) -> tuple[object, ...]:
    """A row, as COLUMNS names it."""
    return row.era, WORDS[row.scanner], row.bound, row.seen, row.what


class ScanCase(NamedTuple):
    """What is free in a zone of so many frames, and the request that meets it.

    what: why the walk is long.
    """

    what: str
    lay_out: Callable[[Layout], None]
    pages: int = FEW_PAGES
    op: CompactionOp = FOR_ALL


def last(layout: Layout) -> Pfn:
    """The first frame of the last pageblock."""
    return layout.zone.machine.pages - SIZE


def crowded(layout: Layout) -> None:
    """Too few frames are free above to be enough, and in the pageblock reached last every other."""
    for number in range(CLUSTER - 1):
        layout.free(last(layout) - SIZE * number, 0)
    for pfn in range(2 * SIZE, 3 * SIZE, 2):
        layout.free(pfn, 0)


def one_block(layout: Layout) -> None:
    """A free block of the top order, which is two pageblocks."""
    layout.free(last(layout) - SIZE, TOP)


def speckled(layout: Layout) -> None:
    """Every other frame of a pageblock is free."""
    for pfn in range(last(layout), last(layout) + SIZE, 2):
        layout.free(pfn, 0)


def out_of_step(layout: Layout) -> None:
    """The last pageblock is full, so that in the one below it only every other frame is looked at.

    A pair is free at its beginning, and as many odd frames behind it as are not yet enough, and the
    last.
    """
    below = last(layout) - SIZE
    layout.free(below, 1)
    for number in range(1, CLUSTER - 2):
        layout.free(below + 2 * number + 1, 0)
    layout.free(below + SIZE - 1, 0)


def halves(layout: Layout) -> None:
    """Of a pageblock the first half is free, and every other frame of the second."""
    layout.free(last(layout), PAGEBLOCK - 1)
    for pfn in range(last(layout) + SIZE // 2, last(layout) + SIZE, 2):
        layout.free(pfn, 0)


def listed(layout: Layout) -> None:
    """As many blocks as are looked at lie on a list, the last one alone where one is wanted: above.

    Single frames are free besides, so that what is missing is contiguity and not memory.
    """
    looked_at = SIZE // 2
    layout.free(last(layout), PAGEBLOCK - 1)
    for number in range(looked_at - 1):
        layout.free(SIZE * number + SIZE // 2, PAGEBLOCK - 1)
        layout.free(SIZE * number + CLUSTER, 0)


CROWDED = ScanCase("every pageblock is walked for the last frame that is missing", crowded, PAGES)
ONE_BLOCK = ScanCase("a free block larger than the pageblock", one_block)
SPECKLED = ScanCase("every other frame is free", speckled)
HALVES = ScanCase("a block of half a pageblock is taken, which makes it movable", halves)
OUT_OF_STEP = ScanCase("wider steps miss every frame at which the lock is released", out_of_step)
LISTED = ScanCase("the last block looked at on a list is the one", listed, SIZE * SIZE, FOR_ONE)
NEXT = ScanCase("a pageblock is left, and the next one has nothing to move", speckled)
SPELL = ScanCase("32 frames are walked", speckled)


def cases_of(machine: CompactionMachine) -> Iterator[tuple[Scanner, ScanCase]]:
    """The scanners that a machine has, each with its worst case."""
    design = machine.design
    lazy = OUT_OF_STEP if design.seeks else SPECKLED
    if machine.era.retypes_on_merge:
        lazy = HALVES
    yield "free", {"locked": CROWDED, "rechecks": ONE_BLOCK, "lazy": lazy}[design.scan]
    if design.seeks:
        yield "lists", LISTED
    yield "migrate", NEXT if design.released == "pageblock" else SPELL


def longest(machine: CompactionMachine, scanner: Scanner, case: ScanCase) -> int:
    """The most that a window of the scanner visits in a case."""
    layout = blank(machine.zone)
    case.lay_out(layout)
    for pfn in range(CLUSTER):
        layout.zone.held[pfn] = Held(0, 1, compound=False, mt=MOVABLE)
        layout.take(pfn, 0)
    engine = Stepped(machine)
    engine.compaction.zone = layout.finished()
    engine.compaction.lru.update(range(CLUSTER))
    engine.serve([case.op])
    return engine.visits[scanner]


def scan_rows(eras: Iterable[str] = ERAS) -> Iterator[ScanRow]:
    """Each scanner of each era that compacts: its bound, and what its worst case comes to."""
    for name in eras:
        if ERAS[name].compaction is None:
            continue
        zone = machine_of(ERAS[name])
        for scanner, case in cases_of(CompactionMachine(zone)):
            machine = CompactionMachine(replace(zone, pages=case.pages))
            most = bound(machine, scanner, strays=False)
            yield ScanRow(name, scanner, most, longest(machine, scanner, case), case.what)
