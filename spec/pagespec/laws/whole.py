"""Laws about a zone that nobody holds anything of: after boot, and after everything came back."""

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise

from pagespec.frames import SIZES, blocks_of_run, runs_of
from pagespec.laws.buddies import frames_listed
from pagespec.laws.cells import due_mark, has_cells, normal
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import lowest_of, managed_frames
from pagespec.laws.swept import Swept
from pagespec.laws.types import mergers_of
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE, REQUESTED, MigrateType
from pagespec.types import Block, Pfn
from pagespec.zone import Zone

BOOT_LAWS: LawBook[Swept] = LawBook()
RETURN_LAWS: LawBook[Swept] = LawBook()


def whole_zone(machine: Machine) -> set[Block]:
    """The canonical decomposition of every managed frame, whatever its type."""
    return set(_maximal(machine, machine.managed))


def _maximal(machine: Machine, runs: Iterable[tuple[Pfn, Pfn]]) -> Iterator[Block]:
    for first, end in runs:
        for index, order in blocks_of_run(first - machine.base, end - machine.base, machine.top):
            yield Block(machine.base + index, order)


def runs_that_merge(zone: Zone) -> Iterator[tuple[Pfn, Pfn]]:
    """The runs [first, end) of managed frames whose pageblocks' types the era lets merge."""
    machine = zone.machine
    if machine.pageblock is None:
        yield from machine.managed
        return
    size = SIZES[machine.pageblock]
    for first, end in machine.managed:
        edges = [first, *range((first // size + 1) * size, end, size), end]
        for _, group in groupby(pairwise(edges), key=lambda run: _merger_at(zone, run[0])):
            runs = list(group)
            yield runs[0][0], runs[-1][1]


def _merger_at(zone: Zone, pfn: Pfn) -> MigrateType | None:
    return mergers_of(zone.machine.era, zone.pageblocks[zone.machine.pageblock_number(pfn)])


@BOOT_LAWS.law("INIT", source="mm/page_alloc.c, managed pages")
def handed_over(swept: Swept) -> Complaint:
    """After boot every managed frame is free, and the count of free frames is the zone's size.

    Memory that boot forgets is never seen again; memory that it invents is given out. Isolated
    memory does not count since 4.10. Blocks are maximal as far as their pageblocks may merge, and
    these have the types that the machine gives them; but in 6.12 a merge makes types alike.
    """
    zone = swept.zone
    machine = zone.machine
    whole = set(_maximal(machine, runs_that_merge(zone)))
    due = sum(SIZES[block.order] for block in whole)
    if machine.pageblock is not None and machine.era.isolation != "move":
        due -= frames_listed(zone, ISOLATE)
    if zone.free_pages != due or swept.block_set != whole:
        return f"{zone.free_pages} frames are free after boot, expected {due} in maximal blocks"
    for number, (got, mt) in enumerate(zip(zone.pageblocks, machine.first_types, strict=False)):
        merges = machine.era.retypes_on_merge and {got, mt} <= set(REQUESTED)
        if got is not mt and not merges:
            return f"pageblock {number} is {got.name} after boot, expected {mt.name}"
    return None


@BOOT_LAWS.law(
    "CELL-boot", eras=has_cells, source="mm/vmstat.c, refresh_zone_stat_thresholds, to 6.12"
)
def tuned_at_boot(swept: Swept) -> Complaint:
    """After boot the threshold is the formula's, and the drift mark stands where one is due.

    After 4.10 CPUs come up before there are marks. What two of them may keep is then more than the
    gap of 0, and the drift mark that is so set stays where no other is due.
    """
    zone = swept.zone
    cells, machine = zone.cells, zone.machine
    if cells is None:
        return None
    threshold = normal(zone)
    early = zone.levels is not None and machine.era.early_drift_marks and machine.cpus > 1
    mark = due_mark(zone, threshold, threshold * machine.cpus if early else 0)
    if (cells.threshold, cells.drift_mark) == (threshold, mark):
        return None
    return (
        f"boot left threshold {cells.threshold} and drift mark {cells.drift_mark}, "
        f"expected {threshold} and {mark}"
    )


@RETURN_LAWS.law("BUD-order-free", source="derived; the coalescing faults of other allocators")
def order_does_not_matter(swept: Swept) -> Complaint:
    """When everything has been given back, the free set is the one after boot.

    It must not depend on the order of the frees; the order of the lists may. Frames that have
    failed or are offline stay away. Where a barrier or a guard has kept blocks apart, the frames
    are free all the same; and so may they be on a CPU's list.
    """
    zone = swept.zone
    machine = zone.machine
    frames = managed_frames(machine) & ~swept.poisoned & ~swept.offline
    lost = frames & ~(swept.free | swept.guards | swept.kept)
    if lost:
        return f"everything was given back, and frame {lowest_of(machine, lost)} is not free"
    if (
        zone.guards
        or swept.kept
        or (machine.pageblock is not None and machine.era.barrier != "none")
    ):
        return None
    runs = runs_of(
        pfn for pfn in range(machine.start, machine.end) if frames >> pfn - machine.start & 1
    )
    missing = set(_maximal(machine, runs)) - swept.block_set
    if not missing and swept.pages == frames.bit_count():
        return None
    return f"everything was given back, and {min(missing, default='nothing')} is not a free block"
