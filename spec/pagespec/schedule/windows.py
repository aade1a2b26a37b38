"""How long interrupts are off at most: in frames and list nodes visited, as formulas.

A CPU with interrupts off answers nobody. So what an operation does between turning them off and on
again must stay within a bound, and the bound must follow from the machine: the batch and high of
the CPUs' lists, the top order, the size of a pageblock. How long a visit takes depends on the
hardware; how many there are does not.

A window is all that is visited from where interrupts go off until they are on again: under the
zone's lock, and where the era's guard turns them off, while a CPU's lists are used.

Source: derived; the thread of 2011 that measured the same in microseconds.
"""

from collections.abc import Callable
from typing import NamedTuple

from pagespec.choices import Fallback
from pagespec.frames import SIZES
from pagespec.guards import RULES
from pagespec.laws.law import Complaint, LawBook
from pagespec.machine import Machine
from pagespec.migratetype import FALLBACKS, UNMOVABLE
from pagespec.pcp.index import COSTLY, is_kept
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.state import Load
from pagespec.pcp.tuning import SCALE, Doubling
from pagespec.types import Order
from pagespec.verbs import Op, Verb

WALKS: dict[Fallback, int] = {
    "take-largest": 1,
    "steal-largest": 1,
    "move-then-retry": 2,
    "claim-or-single": 2,
}
"""How often a fallback looks at each frame of a pageblock: to move what is free, and since 5.0 to
count it before."""

SCANS: dict[Fallback, int] = {
    "take-largest": 1,
    "steal-largest": 1,
    "move-then-retry": 2,
    "claim-or-single": 2,
}
"""How often it looks at the lists of other types: for the largest block, and then the smallest."""


def take(machine: Machine, order: Order) -> int:
    """Take a block of that order off the lists of one type, and list what a split leaves.

    Each order may be looked at on the way up, and get a half on the way down; pair bitmaps have a
    bit to change for each block as well.
    """
    levels = machine.top - order
    return 3 * levels + 3 if machine.era.design == "bitmap" else 2 * levels + 2


def give(machine: Machine, order: Order) -> int:
    """Free a block of that order, which merges up to the top; larger than a pageblock, its parts.

    Each merge looks at a buddy and takes it off its list.
    """
    pageblock = machine.pageblock
    if machine.era.retypes_on_merge and pageblock is not None and order > pageblock:
        return SIZES[order - pageblock] * give(machine, pageblock)
    return 2 * (machine.top - order) + (2 if machine.era.design == "bitmap" else 1)


def splits(blocks: int, levels: int) -> int:
    """How often so many takes in a row split a block, of which the first is `levels` larger.

    What a split leaves serves the next takes: of two that split as often as j times, one after the
    other, 2**j - 1 are between.

    >>> [splits(blocks, 3) for blocks in (1, 2, 3, 4, 8, 9)]
    [3, 3, 4, 4, 7, 10]
    """
    return sum(-(-blocks // SIZES[level]) for level in range(1, levels + 1))


def search(machine: Machine, order: Order) -> int:
    """Look in vain at all lists that may refill a CPU's list of that order: those of its own type,
    CMA's, and those of other types."""
    era = machine.era
    if machine.pageblock is None:
        return machine.top - order + 1
    lists = 1 + SCANS[era.fallback] * len(FALLBACKS[UNMOVABLE])
    lists += {"none": 0, "last": 1, "balanced": 2}[era.cma]
    lists += era.fallback == "take-largest"
    return lists * (machine.top - order + 1)


def walk(machine: Machine) -> int:
    """Look at each frame of a pageblock, and move each block of it that is free to another list.

    Of two buddies one at most is free by itself, so these are half of the frames at most.
    """
    return 2 * SIZES[machine.pageblock or 0]


def fall_back(machine: Machine) -> int:
    """Look at the frames of a pageblock of another type as often as the era does; nothing moved."""
    if machine.pageblock is None:
        return 0
    covered = SIZES[machine.top - machine.pageblock]
    return WALKS[machine.era.fallback] * SIZES[machine.pageblock] + covered


def serve(machine: Machine, order: Order) -> int:
    """One block from the buddy, by way of a fallback if need be.

    The reserve for atomic requests is asked first, or last as well.
    """
    if machine.pageblock is None:
        return take(machine, order)
    asked = {"none": 0, "at-least-one": 1, "one-percent": 2}[machine.era.reserve]
    reserved = asked * (machine.top - order + 1)
    moved = SIZES[machine.pageblock]
    return reserved + search(machine, order) + fall_back(machine) + moved + take(machine, order)


def reserve(machine: Machine) -> int:
    """Give a pageblock to the reserve for atomic requests, or take one from it."""
    if machine.pageblock is None or machine.era.reserve == "none":
        return 0
    covered = SIZES[machine.top - machine.pageblock] + 2
    return machine.top + 1 + max(walk(machine), covered)


def refill(machine: Machine, blocks: int, order: Order) -> int:
    """Fetch so many blocks of that order for a CPU's list.

    Without pageblocks what a split leaves serves the next. With them each block may need a fallback
    of its own: from a pageblock that had no more to give.
    """
    if machine.pageblock is None:
        each, more = (4, 3) if machine.era.design == "bitmap" else (3, 2)
        return blocks * each + more * splits(blocks, machine.top - order)
    each = 1 + search(machine, order) + fall_back(machine) + take(machine, order)
    moved = SIZES[machine.pageblock] * (1 if order == 0 else blocks)
    # Single frames that were moved are all used up before the next fallback.
    return blocks * each + moved + (2 * blocks if order == 0 else 0)


def drain(machine: Machine, pages: int) -> int:
    """Give back so many frames of a CPU's lists, each of which merges up to the top."""
    return pages * (1 + give(machine, 0))


def isolate(machine: Machine) -> int:
    """Isolate a pageblock or restore it: move its free blocks, or cut the block that covers it."""
    top, pageblock = machine.top, machine.pageblock or 0
    alone = {
        "move": 0,
        "account": 0,
        # At either end of a range a block may reach over.
        "split-ends": 2 * (top + 2 + 2 * (top - pageblock) * give(machine, pageblock)),
        "split-large": top + 1,
    }[machine.era.isolation]
    cut = 2 + SIZES[top - pageblock] * give(machine, pageblock)
    return alone + max(walk(machine), cut)


def gather(machine: Machine, pages: int) -> int:
    """Take the free blocks that cover a run, and make each of its frames a block of its own.

    The first block is searched for, as is one in vain behind a gap; the others are where the last
    one ends. Within a pageblock they are as large as can be, and those at the ends smaller.
    """
    blocks = 2 * machine.top + pages // SIZES[machine.pageblock or 0] + 2
    return pages + 2 * (machine.top + 1) + 2 * blocks


def take_offline(machine: Machine, pages: int) -> int:
    """Take the free blocks of a range off their lists, each of which is found where it begins."""
    return 2 * (pages // SIZES[machine.isolation_order])


def hand_over(machine: Machine, pages: int) -> int:
    """Free a range as at boot, in blocks of which ranges are made."""
    order = machine.isolation_order
    return pages // SIZES[order] * give(machine, order)


def most_refilled(load: Load, order: Order) -> int:
    """How many blocks a list of that order is refilled with at most."""
    batch = load.batch
    if isinstance(load, Pageset):
        return batch
    if order > 0 or isinstance(load, Doubling):
        return max(batch >> order, 2) if batch > 1 else batch
    return max(2, min(batch << SCALE, max(load.high_max - batch, batch)))


def most_drained(machine: Machine, load: Load, kept: int) -> int:
    """How many frames a free drains at most, of so many on the lists."""
    if isinstance(load, Pageset):
        return min(kept, load.batch)
    if isinstance(load, Doubling) and machine.era.tuning == "doubling":
        return min(kept, max(load.batch, load.high - load.batch))
    return kept


class Lists(NamedTuple):
    """The lists of CPUs as far as a bound heeds them.

    loads: their sizes. kept: the frames that the fullest set holds, with those that a request
    frees; on_a_cpu: those of both sets of a CPU, where hot and cold ones are kept apart.
    """

    loads: tuple[Load, ...] = ()
    kept: int = 0
    on_a_cpu: int = 0


def drain_set(machine: Machine, lists: Lists) -> int:
    """A drain of one set of lists."""
    return drain(machine, lists.kept) if lists.loads else 0


def drain_visit(machine: Machine, lists: Lists) -> int:
    """A drain of all that a CPU keeps, by whoever wants it of all CPUs.

    Where each is visited in an interrupt, interrupts stay off there until that one is done.
    """
    if not lists.loads:
        return 0
    in_interrupt = machine.era.visits == "interrupt" and not machine.era.drains_remotely
    return drain(machine, lists.on_a_cpu if in_interrupt else part(machine, lists))


def part(machine: Machine, lists: Lists) -> int:
    """How many frames are drained of a set of lists before the guard is released.

    Where there are parts, the last block of one may be a huge one of which a frame was wanted.
    """
    if not machine.era.drains_in_parts:
        return lists.kept
    most = max(load.batch for load in lists.loads) << SCALE
    return min(lists.kept, most + SIZES[max(0, machine.huge)] - 1)


def _refilled(machine: Machine, lists: Lists) -> int:
    orders = [*range(min(COSTLY, machine.top) + 1), max(0, machine.huge)]
    rule = machine.era.lists
    return max(
        (
            refill(machine, most_refilled(load, order), order)
            for load in lists.loads
            for order in orders
            if is_kept(rule, order, machine.huge)
        ),
        default=0,
    )


def _with_guard(machine: Machine, visits: int) -> int:
    """With the one frame that the guard is taken for, if interrupts are off while it is held."""
    return visits + RULES[machine.era.guard].irqs_off


def alloc_bound(machine: Machine, op: Op, lists: Lists) -> int:
    """The longest of: a refill, a block from the buddy, the reserve; and where a request would
    fail, a drain of all that a CPU keeps."""
    failing = drain_visit(machine, lists) if machine.era.drains_on_failure else 0
    by_list = _with_guard(machine, _refilled(machine, lists)) if lists.loads else 0
    # A request that would be refused may name an order that is none.
    order = min(max(0, op.order), machine.top)
    return max(by_list, serve(machine, order), reserve(machine), failing)


def free_bound(machine: Machine, op: Op, lists: Lists) -> int:
    """The longer of a drain and a block that goes to the buddy itself."""
    loads = lists.loads
    pages = max((most_drained(machine, load, lists.kept) for load in loads), default=0)
    by_list = _with_guard(machine, drain(machine, pages)) if loads else 0
    return max(by_list, give(machine, 0), give(machine, machine.top))


def bulk_bound(machine: Machine, op: Op, lists: Lists) -> int:
    """A refill; as many as the slots need, one after the other, where interrupts stay off for all
    of them. Then one frame in the ordinary way."""
    single = alloc_bound(machine, op._replace(order=0), lists)
    if not RULES[machine.era.guard].irqs_off:
        return single
    all_of_them = max(
        (
            -(-op.pages // most_refilled(load, 0)) * refill(machine, most_refilled(load, 0), 0)
            for load in lists.loads
        ),
        default=0,
    )
    return max(single, all_of_them + search(machine, 0) + op.pages)


def drain_bound(machine: Machine, op: Op, lists: Lists) -> int:
    """A drain of one set of lists, or of a part of it."""
    return drain(machine, part(machine, lists)) if lists.loads else 0


def drain_all_bound(machine: Machine, op: Op, lists: Lists) -> int:
    """A drain of all that one CPU keeps."""
    return drain_visit(machine, lists)


def expire_bound(machine: Machine, op: Op, lists: Lists) -> int:
    """A drain of one batch."""
    batch = max((load.batch for load in lists.loads), default=0)
    return drain_set(machine, lists._replace(kept=min(lists.kept, batch)))


def isolate_bound(machine: Machine, op: Op, lists: Lists) -> int:
    """The longer of: one pageblock; and a drain of all that one CPU keeps."""
    return max(isolate(machine), drain_visit(machine, lists))


def contig_bound(machine: Machine, op: Op, lists: Lists) -> int:
    """The longest of: one pageblock, a drain of all that one CPU keeps, and the whole range."""
    back = give(machine, 0)
    return max(isolate(machine), drain_visit(machine, lists), gather(machine, op.pages), back)


BOUNDS: dict[Verb, Callable[[Machine, Op, Lists], int]] = {
    Verb.ALLOC: alloc_bound,
    Verb.FREE: free_bound,
    Verb.GET: lambda machine, op, lists: 0,
    Verb.PUT: free_bound,
    Verb.SPLIT: lambda machine, op, lists: 0,
    Verb.UNRESERVE: lambda machine, op, lists: reserve(machine),
    Verb.ISOLATE: isolate_bound,
    Verb.RESTORE: lambda machine, op, lists: isolate(machine),
    Verb.CONTIG: contig_bound,
    Verb.POISON: lambda machine, op, lists: 2 * machine.top + 2,
    Verb.HEAL: lambda machine, op, lists: give(machine, 0),
    Verb.OFFLINE: lambda machine, op, lists: take_offline(machine, op.pages),
    Verb.ONLINE: lambda machine, op, lists: hand_over(machine, op.pages),
    Verb.DRAIN: drain_bound,
    Verb.DRAIN_ALL: drain_all_bound,
    Verb.DISABLE: drain_all_bound,
    Verb.ENABLE: lambda machine, op, lists: 0,
    Verb.AGE: lambda machine, op, lists: drain_set(machine, lists),
    Verb.UNPLUG: drain_bound,
    Verb.PLUG: lambda machine, op, lists: 0,
    Verb.REFRESH: drain_bound,
    Verb.EXPIRE: expire_bound,
    Verb.REST: lambda machine, op, lists: 0,
    Verb.BULK: bulk_bound,
}
"""Per verb, how many frames and list nodes one window visits at most."""


class Window(NamedTuple):
    """The longest that an operation had interrupts off. lists: as they were before it."""

    machine: Machine
    op: Op
    lists: Lists
    visited: int


WINDOW_LAWS: LawBook[Window] = LawBook()


@WINDOW_LAWS.law(
    "IRQ-window", source="derived; mm/page_alloc.c and mm/page_isolation.c, 2.6.8 to 6.12"
)
def is_within_bound(window: Window) -> Complaint:
    """Interrupts are never off for longer than the operation's bound, in frames and nodes visited.

    Whoever waits for an interrupt waits that long.
    """
    machine, op, lists, visited = window
    bound = BOUNDS[op.verb](machine, op, lists)
    if visited <= bound:
        return None
    return f"{op.verb.value} visited {visited} places with interrupts off, at most {bound} are due"
