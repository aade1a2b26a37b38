"""Last in, first out: requests take the front of their list, drains take the back.

A block that is not there was put there, left, or is hidden for a reason, or a law is broken. What a
bulk request takes has no event; so whatever it took must be freed next, or never be seen again.
Source: mm/page_alloc.c of 6.1 and 6.12 (__rmqueue_pcplist, free_unref_page_commit,
free_pcppages_bulk).
"""

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.percpu import causes
from pagefuzz.kernel.percpu.lists import (
    CpuLists,
    Entry,
    Judge,
    Spot,
    front_of,
    lists_of,
    put_on,
    take_off,
    until,
)
from pagefuzz.kernel.percpu.outcome import broken, explained
from pagefuzz.kernel.percpu.records import Allocated, Fate, Freed, Next, Refill, Returned
from pagespec.frames import SIZES
from pagespec.migratetype import MigrateType
from pagespec.pcp.index import list_index, list_type
from pagespec.types import Pfn

STACK_FRAMES = 4
"""A thread's stack: a bulk request where the kernel maps stacks page by page."""


def freed(judge: Judge, record: Freed, future: Next) -> bool:
    """Put a freed block on its list; return whether it went there at all."""
    pfn, order = record.block
    returned(judge, pfn)
    if not judge.keeps(order):
        return False
    if future.fate is Fate.TAKEN:
        explained(judge, law.LIFO, "free", causes.PAST)
        return False
    listed = list_type(record.mt) if record.mt is not None else future.mt
    if record.mt is not None and listed is None:  # isolated pageblocks are kept off the lists
        return False
    sure = listed is not None
    guessed = listed if sure else judge.types.get(pfn >> judge.huge)
    if guessed is None:
        cpu = lists_of(judge, record.cpu, record.zone)
        cpu.count += SIZES[order]
        cpu.loose += SIZES[order]
        judge.loose[pfn] = record.cpu, record.zone, order
    else:
        index = list_index(judge.era.lists, order, guessed)
        spot = Spot(record.cpu, record.zone, index)
        put_on(judge, spot, pfn, Entry(future, sure), front=True)
    return True


def returned(judge: Judge, pfn: Pfn) -> None:
    """Take a block off its list without an event: it is freed, so it had been taken in bulk."""
    judge.direct.discard(pfn)
    if pfn in judge.where:
        take_off(judge, pfn, silently=True)
    elif pfn in judge.loose:
        cpu, zone, order = judge.loose.pop(pfn)
        lists = lists_of(judge, cpu, zone)
        if lists.loose:  # unless a drain of everything has settled it
            lists.loose -= SIZES[order]
            lists.depart(SIZES[order])


def allocated(judge: Judge, record: Allocated) -> None:
    """Take a block from the front of its list."""
    pfn, order = record.block
    if record.mt is None or not judge.keeps(order) or pfn in judge.direct:
        judge.direct.discard(pfn)
        if pfn in judge.where:
            take_off(judge, pfn)
        return
    if record.captured:
        explained(judge, law.LIFO, "allocation", causes.CAPTURED)
        return
    cpu = lists_of(judge, record.cpu, record.zone)
    cpu.load.requested()
    index = list_index(judge.era.lists, order, record.mt)
    wanted = Spot(record.cpu, record.zone, index)
    spot = judge.where.get(pfn)
    if spot is None:
        cause = hidden(judge, cpu, index, order)
    elif spot != wanted:
        cause = None
    else:
        cause = _passed(judge, until(iter(cpu.lists[index].items()), pfn), order)
    if cause is not None:
        explained(judge, law.LIFO, "allocation", cause)
    else:
        got = _place(judge, spot, pfn)
        front = cpu.lists[index]
        first = f"pfn {front_of(front):#x}" if front else "nothing known"
        broken(
            judge,
            law.LIFO,
            "allocation",
            record.line,
            f"mm_page_alloc pfn {pfn:#x} order {order}: expected the front of"
            f" {name_of(wanted, record.mt, order)}, {first}, got {got}.",
        )
    if spot is not None:
        take_off(judge, pfn)


def drained(judge: Judge, spot: Spot, each: Returned) -> None:
    """Take a block from the back of a list."""
    line, block, mt = each
    cpu = lists_of(judge, spot.cpu, spot.zone)
    entries = cpu.lists[spot.number]
    if block.pfn not in judge.where:
        cause = hidden(judge, cpu, spot.number, block.order, from_back=True)
    else:
        cause = _passed(judge, until(reversed(entries.items()), block.pfn), block.order)
        cause = causes.TAIL if cause == causes.HEAD else cause
        cpu.complete.add(spot.number)  # whatever was hidden lay beneath
    if cause is not None:
        explained(judge, law.LIFO, "drained block", cause)
    else:
        got = _place(judge, judge.where.get(block.pfn), block.pfn)
        broken(
            judge,
            law.LIFO,
            "drained block",
            line,
            f"mm_page_pcpu_drain pfn {block.pfn:#x} order {block.order}: expected the back of"
            f" {name_of(spot, mt, block.order)}, got {got}.",
        )
    if block.pfn in judge.where:
        take_off(judge, block.pfn)


def refilled(judge: Judge, record: Refill, spot: Spot, futures: tuple[Next, ...]) -> None:
    """Put the blocks of a refill at the back of its list, which was empty."""
    cpu = lists_of(judge, spot.cpu, spot.zone)
    left = list(cpu.lists[spot.number].items())
    if any(not entry.may_be_gone for _, entry in left):
        pfn = next(pfn for pfn, entry in left if not entry.may_be_gone)
        broken(
            judge,
            law.LIFO,
            "refill",
            record.line,
            f"{len(record.blocks)} blocks from pfn {record.blocks[0]:#x} order {record.order}:"
            f" expected {name_of(spot, record.mt, record.order)} to be empty, got pfn {pfn:#x}"
            " on it.",
        )
    else:
        _passed(judge, left, record.order)
        explained(judge, law.LIFO, "refill", causes.EMPTIED if left else causes.EMPTY)
    cpu.complete.add(spot.number)
    append(judge, record, spot, futures)


def append(judge: Judge, record: Refill, spot: Spot, futures: tuple[Next, ...]) -> None:
    """Put the blocks of a refill at the back of its list."""
    for pfn, future in zip(record.blocks, futures, strict=True):
        if pfn in judge.where:
            take_off(judge, pfn)
        put_on(judge, spot, pfn, Entry(future, sure=True), front=False)


def hidden(
    judge: Judge, cpu: CpuLists, index: int, order: int, *, from_back: bool = False
) -> str | None:
    """Say that a block was listed since before the start, if there may be one."""
    covered = not from_back and any(not entry.may_be_gone for entry in cpu.lists[index].values())
    if index in cpu.complete or covered or cpu.hidden < SIZES[order]:
        return None
    cpu.hidden -= SIZES[order]
    cpu.count -= SIZES[order]
    return causes.HIDDEN


def _passed(judge: Judge, passed: list[tuple[Pfn, Entry]], order: int) -> str | None:
    """Explain the blocks before the one that was taken, and take them off."""
    if not passed:
        return causes.HEAD
    if not all(entry.may_be_gone for _, entry in passed) or order:
        return None
    sure = sum(entry.sure for _, entry in passed)
    for pfn, _ in passed:
        take_off(judge, pfn, silently=True)
    if sure < len(passed):
        return causes.MAYBE
    return causes.BULK if sure % STACK_FRAMES else causes.STACK


def _place(judge: Judge, spot: Spot | None, pfn: Pfn) -> str:
    if spot is None:
        return "a block of no list"
    entries = judge.cpus[spot[:2]].lists[spot.number]
    depth = len(until(iter(entries.items()), pfn))
    return f"number {depth + 1} of {len(entries)} on list {spot.number} of CPU {spot.cpu}"


def name_of(spot: Spot, mt: MigrateType | None, order: int) -> str:
    """Name a list."""
    kind = f" for {mt.name}" if mt is not None else ""
    return f"CPU {spot.cpu}'s list of order {order}{kind}"
