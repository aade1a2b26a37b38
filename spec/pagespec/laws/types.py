"""Laws about migratetypes: which list a free block is on, and which pageblocks it may join."""

from collections.abc import Iterable, Sequence

from pagespec.era import Era
from pagespec.frames import SIZES, buddy_of
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.swept import Swept, changes
from pagespec.laws.ways import leaks_isolated
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MigrateType
from pagespec.types import Block, Pfn
from pagespec.verbs import Verb
from pagespec.zone import Zone

LIST_LAWS: LawBook[Swept] = LawBook()
MERGE_LAWS: LawBook[Transition] = LawBook()


def has_pageblocks(era: Era) -> bool:
    """Whether the era has migratetypes at all."""
    return era.numbering is not None


def has_barrier(era: Era) -> bool:
    """Whether some types keep free buddies apart."""
    return era.barrier != "none"


def types_of(zone: Zone, block: Block) -> Sequence[MigrateType]:
    """The types of the pageblocks that a block lies in or covers; none for frames outside."""
    machine = zone.machine
    first = max(0, machine.pageblock_number(block.pfn))
    last = machine.pageblock_number(block.pfn + SIZES[block.order] - 1)
    return zone.pageblocks[first : last + 1]


def mergers_of(era: Era, mt: MigrateType) -> MigrateType | None:
    """What types that may merge with one another have in common; None for the ordinary ones.

    Isolated memory must not leave with a neighbour. Later, neither may memory that no fallback
    reaches.
    """
    apart: dict[str, tuple[MigrateType, ...]] = {
        "none": (),
        "isolate": (ISOLATE,),
        "unmergeable": (HIGHATOMIC, CMA, ISOLATE),
    }
    return mt if mt in apart[era.barrier] else None


def isolates_cleanly(machine: Machine) -> bool:
    """Whether isolating a range touches nothing beyond its ends.

    6.1 isolates the first and the last pageblock before those between them. Where a free block has
    four pageblocks or more, what it cuts at the end merges again, and goes whole. No configuration
    of that release had such blocks.
    """
    gap = machine.top - (machine.pageblock or 0)
    return machine.era.isolation != "split-ends" or gap <= 1


@LIST_LAWS.law(
    "MT-list",
    eras=has_pageblocks,
    source="mm/page_alloc.c, __free_one_page and move_freepages_block; 6.12 for all types",
)
def listed_by_type(swept: Swept) -> Complaint:
    """Isolated and CMA memory is on lists of its own, and nothing else is; in 6.12 all types are.

    What is on another list is handed out to those whom the pageblock's type was to keep away. Until
    6.1 the ordinary types part from their lists, by fallbacks and at the ends of the zone; until
    2.6.39 isolated memory too, by way of CPUs' lists.
    """
    zone = swept.zone
    machine = zone.machine
    if machine.pageblock is None:
        return None
    size, first = SIZES[machine.pageblock], machine.pageblock_number(0)
    for order, lists in enumerate(zone.free_area):
        # The first pageblock of every block, and of larger ones the others as well.
        covered = range(1 << max(0, order - machine.pageblock))
        for mt, heads in lists.items():
            for pfn in heads:
                number = pfn // size + first
                for own in zone.pageblocks[max(0, number) : number + len(covered)]:
                    if own is not mt and _parted(machine, own, mt):
                        return (
                            f"free block {Block(pfn, order)} is on the list of {mt.name}, its "
                            f"pageblock is {own.name}"
                        )
    return None


def _parted(machine: Machine, own: MigrateType, mt: MigrateType) -> bool:
    """Whether a block of a pageblock of a type must not be on the list of another."""
    clean = isolates_cleanly(machine) and not leaks_isolated(machine)
    kept = clean and not {own, mt}.isdisjoint((ISOLATE, CMA))
    return kept or machine.era.retypes_on_merge


@MERGE_LAWS.law(
    "MT-barrier",
    eras=has_barrier,
    source="mm/page_alloc.c, __free_one_page, 4.10, 5.15 and 6.1 (migratetype_is_mergeable)",
)
def kept_apart(step: Transition) -> Complaint:
    """No merge crosses pageblocks of types that the era keeps apart.

    Until 5.15 isolated memory merges with no other, later also that of CMA and of the reserve.
    Merged with a neighbour it would be handed out as that neighbour's. What was given out in one
    piece comes back in one piece until 6.1, whatever its pageblocks have become; and a block that a
    CPU kept merges as what it was when it was listed.
    """
    after = step.after.zone
    pending = [] if drains_stale(step) else _merged(step)
    while pending:
        block = pending.pop()
        types = types_of(after, block)
        if not types:
            continue
        lower, upper = types[0], types[len(types) // 2]
        if mergers_of(after.machine.era, lower) is not mergers_of(after.machine.era, upper):
            return f"{block} was merged over a barrier, from {lower.name} and {upper.name}"
        half = block.order - 1
        pending += _news(step, (Block(block.pfn, half), Block(block.pfn + SIZES[half], half)))
    return None


def drains_stale(step: Transition) -> bool:
    """Whether a block left a CPU's list as what its pageblock is no longer, as far as merges go.

    Until 6.1 drains trust the type with which a block was listed. Its pageblock may have joined the
    reserve since, or left it.
    """
    zone = step.before.zone
    machine = zone.machine
    if machine.pageblock is None or machine.era.retypes_on_merge:
        return False
    gone = set(step.before.kept_blocks) - set(step.after.kept_blocks)
    return any(
        mergers_of(machine.era, kept.mt) is not mergers_of(machine.era, own)
        for kept in gone
        for own in types_of(zone, kept.block)[:1]
    )


def _merged(step: Transition) -> list[Block]:
    """The free blocks above a pageblock that only merges of this request can have made."""
    if step.after.zone.machine.pageblock is None:
        return []
    return _news(step, [block for block, _ in changes(step.before, step.after).come])


def _news(step: Transition, blocks: Iterable[Block]) -> list[Block]:
    """Those of the blocks that are larger than a pageblock and were in one piece nowhere before."""
    machine, before = step.after.zone.machine, step.before
    large = [block for block in blocks if block.order > (machine.pageblock or 0)]
    if not large:
        return []
    whole = [*before.blocks, *(Block(pfn, held.order) for pfn, held in before.zone.held.items())]
    return [block for block in large if not any(covers(other, block) for other in whole)]


def _restored(step: Transition, *blocks: Block) -> bool:
    """Whether the request gave the pageblocks of one of the blocks back their use."""
    op = step.op
    end = op.pfn + op.pages
    return op.verb is Verb.RESTORE and any(op.pfn <= block.pfn < end for block in blocks)


def is_free(zone: Zone, block: Block) -> bool:
    """Whether the block is free as it is, neither in a larger one nor in pieces."""
    return any(block.pfn in heads for heads in zone.free_area[block.order].values())


def covers(other: Block, block: Block) -> bool:
    """Whether all of the block lies in the other."""
    return other.pfn <= block.pfn and end_of(block) <= end_of(other)


def end_of(block: Block) -> Pfn:
    """One past the block's last frame."""
    return block.pfn + SIZES[block.order]


@MERGE_LAWS.law(
    "MT-merge", eras=has_pageblocks, source="mm/page_alloc.c, __free_one_page, 2.6.37 to 6.12"
)
def merged(step: Transition) -> Complaint:
    """Two free buddies of whole pageblocks merge, unless their types keep them apart.

    Else memory that is free twice over serves no large request. Buddies that a barrier kept apart
    may stay so when their types become alike later: only restoring one of them looks at them again.
    So may two that are isolated one after the other: halves of a block that 6.12 cuts; in 4.10 what
    CPUs gave back in between; and until 6.1 what a CPU kept since before its pageblock changed.
    """
    before, after = step.before.zone, step.after.zone
    machine = after.machine
    if machine.pageblock is None or drains_stale(step):
        return None
    between = machine.cpus > 0 and machine.era.drains_each_pageblock
    cuts = step.op.verb is Verb.ISOLATE and (machine.era.isolation == "split-large" or between)
    for block, _ in changes(step.before, step.after).come:
        if not machine.pageblock <= block.order < machine.top:
            continue
        buddy = Block(machine.base + buddy_of(block.pfn - machine.base, block.order), block.order)
        if not is_free(after, buddy):
            continue
        if is_free(before, block) and is_free(before, buddy) and not _restored(step, block, buddy):
            continue
        mts = [mt for half in (block, buddy) for mt in types_of(after, half)[:1]]
        if cuts and mts == [ISOLATE, ISOLATE]:
            continue
        if len({mergers_of(machine.era, mt) for mt in mts}) == 1:
            return f"{block} and its buddy {buddy} are both free and were not merged"
    return None
