"""What is known of a zone: its stamped blocks, and what else decides where blocks go."""

from dataclasses import dataclass, field
from typing import NamedTuple

from pagespec.frames import SIZES, head_of
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE, MigrateType
from pagespec.pcp.state import Load
from pagespec.types import Block, Order, Pfn
from pagespec.vmstat.kept import Cells
from pagespec.watermark.marks import Marks


class Kept(NamedTuple):
    """Where a block is that a CPU keeps: in which of its sets, hot or cold, and on which list.

    stamp: as a free block's. mt: the type that its pageblock, or the list that it was taken from,
    had when it came.
    """

    cpu: int
    cold: bool
    number: int
    stamp: int
    mt: MigrateType


@dataclass(slots=True)
class Stamps:
    """The free blocks of a zone by stamp, and what else decides where blocks go.

    Frames are counted from `origin`, the last frame up to the zone's start at which a block of the
    top order may start; so masks are short.

    stamp: the stamp of each free block. listed: the type of its list.
    clock: how many stamps have been given.
    guards: halves that are neither free nor anybody's, yet merge.
    movable: one bit per frame that is held and could be moved elsewhere.
    pageblocks: the type of each pageblock. reserved: frames of the reserve for atomic requests.
    offline: how many frames are offline.

    kept: the blocks that CPUs keep. loads: per CPU and set, the sizes of its lists and what they
        have learnt. sizes: what their sizes were last set to. unplugged: the CPUs that are not
        running. disabled: whether the lists keep nothing for now.
    slots: the slot of each frame that the array of bulk requests holds.
    marks: the zone's marks, if it has any. boost: what is added to each. boosted: whether kswapd
        has yet to hear of it. below_high: whether a request found the zone below its high mark.
        reclaiming: whether kswapd is at work.
    cells: what CPUs keep of the counts of free frames, and what the zone has been told of them,
        if the machine has them do so. at_work: the CPU that counts.
    """

    machine: Machine
    origin: Pfn
    pageblocks: list[MigrateType]
    reserved: int
    stamp: dict[Block, int] = field(default_factory=dict)
    listed: dict[Block, MigrateType] = field(default_factory=dict)
    clock: int = 0
    guards: set[Block] = field(default_factory=set)
    movable: int = 0
    offline: int = 0
    kept: dict[Block, Kept] = field(default_factory=dict)
    loads: list[list[Load]] = field(default_factory=list)
    sizes: tuple[Load, ...] = ()
    unplugged: set[int] = field(default_factory=set)
    disabled: bool = False
    slots: dict[Pfn, int] = field(default_factory=dict)
    marks: Marks | None = None
    boost: int = 0
    boosted: bool = False
    below_high: bool = False
    reclaiming: bool = False
    cells: Cells | None = None
    at_work: int = 0


def origin_of(machine: Machine) -> Pfn:
    """The frame from which a machine's frames are counted: it keeps every alignment as it is."""
    return machine.base + head_of(machine.start - machine.base, machine.top)


def mask_of(index: int, order: Order) -> int:
    """The frames of a block as bits of an integer."""
    return ((1 << SIZES[order]) - 1) << index


def pageblock_order(stamps: Stamps) -> Order:
    """The order of a pageblock; a machine without any is one that never ends."""
    pageblock = stamps.machine.pageblock
    return stamps.machine.top if pageblock is None else pageblock


def type_at(stamps: Stamps, index: int) -> MigrateType:
    """The type of the frame's pageblock."""
    if stamps.machine.pageblock is None:
        return UNMOVABLE
    return stamps.pageblocks[stamps.machine.pageblock_number(stamps.origin + index)]


def retype(stamps: Stamps, block: Block, mt: MigrateType) -> None:
    """Give a type to the block's pageblock, or to all that it covers."""
    first = stamps.machine.pageblock_number(stamps.origin + block.pfn)
    count = SIZES[max(block.order - pageblock_order(stamps), 0)]
    stamps.pageblocks[first : first + count] = [mt] * count


def running(stamps: Stamps) -> list[int]:
    """The CPUs that run, lowest first; one where CPUs keep nothing."""
    return sorted(set(range(max(1, stamps.machine.cpus))) - stamps.unplugged)


def sharers(stamps: Stamps) -> int:
    """How many CPUs share what may be kept of the zone: those near it, or all if none is."""
    return len(set(running(stamps)) - stamps.machine.far) or len(running(stamps))


def managed(stamps: Stamps) -> int:
    """How many frames the zone's allocator looks after."""
    return stamps.machine.managed_pages - stamps.offline
