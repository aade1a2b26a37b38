"""From which list a block is taken, and to which it returns: what the types in events say.

A block leaves the list that it is on. A page returns with its pageblock's type: read under the
lock where lists and pageblocks agree, else as it was cached when the page entered the per-CPU list.
Source: mm/page_alloc.c of 6.1 and 6.12; docs/traces.md.
"""

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.mobility import (
    Mobility,
    Took,
    blur,
    cache,
    forget_list,
    learn,
    list_of,
    pageblock_type,
    pageblocks_of,
    put_on,
    retype,
)
from pagefuzz.kernel.places import BUDDY, FREED, maximal_block, runs_in
from pagefuzz.kernel.search import Census
from pagefuzz.kernel.snapshots import Zone
from pagefuzz.kernel.state import Replay, zone_of
from pagefuzz.kernel.tracefs import Event, type_number_in
from pagespec.frames import SIZES, blocks_of_run
from pagespec.migratetype import MOVABLE, REQUESTED, MigrateType


def took(replay: Replay, mobility: Mobility, event: Event, pfn: int, order: int) -> None:
    """Judge the list that a block leaves; call it before the block does.

    Where lists and pageblocks agree, a claim of the pageblock may explain another list: its event
    follows at once on the same CPU, so the judgement waits for it.
    """
    mt = type_in(replay, mobility, event)
    if mt is None:
        return
    listed = list_of(mobility, pfn)
    zone = zone_of(replay, pfn, order)
    _judge_owed(replay, mobility, event, (order, mt))
    if mobility.agree and listed is not mt and zone is not None:
        free = census(replay, mobility, zone) if listed is not None else {}
        mobility.took[event.cpu] = Took(event, pfn, order, mt, listed, free)
    else:
        judge_list(replay, Took(event, pfn, order, mt, listed, {}))
    join(replay, mobility, event.line, pfn, order, mt)


def drained(replay: Replay, mobility: Mobility, event: Event, pfn: int, order: int) -> None:
    """Judge the type that a page returns with; call it when the page is in the buddy again."""
    mt = type_in(replay, mobility, event)
    if mt is None:
        return
    expected = list_of(mobility, pfn)
    if expected is None:
        replay.findings.passed[law.RETURN] += 1
        if mobility.may_learn_from(pfn):
            learn(mobility, pfn // SIZES[mobility.order], mt)
    else:
        replay.findings.checked[law.RETURN] += 1
        if expected is not mt:
            replay.findings.breach(
                event.line,
                law.RETURN,
                f"{event.kind} pfn {pfn:#x} order {order}: expected type {expected.name},"
                f" got {mt.name}.",
            )
    join(replay, mobility, event.line, pfn, order, mt)


def freed(replay: Replay, mobility: Mobility, event: Event, pfn: int, order: int) -> None:
    """Give a freed block its pageblock's type; call it when the block is where the free put it."""
    if replay.places[pfn] == FREED:
        cache(mobility, pfn, order)
        return
    # Where lists and pageblocks agree, a large block is freed pageblock by pageblock, in order.
    at = pfn + SIZES[order] - 1 if mobility.agree else pfn
    mt = pageblock_type(mobility, at)
    if mt is not None:
        join(replay, mobility, event.line, pfn, order, mt)
    elif not mobility.agree:
        head, size, _ = block_around(replay, pfn, order)
        forget_list(mobility, head, size)


def isolated(replay: Replay, mobility: Mobility, event: Event, first: int, end: int) -> None:
    """Make pageblocks movable of which compaction takes half in one block, or more.

    Source: mm/page_alloc.c, __isolate_free_page.
    """
    for start, behind in runs_in(replay.places, first, end, BUDDY):
        for pfn, order in blocks_of_run(start, behind, replay.top):
            if order < mobility.order - 1:
                continue
            for pageblock in pageblocks_of(mobility, pfn, order):
                mt = pageblock_type(mobility, pageblock * SIZES[mobility.order])
                if mt in REQUESTED:
                    retype(mobility, event.line, pageblock, MOVABLE)


def judge_list(replay: Replay, taken: Took) -> None:
    """Judge that a block was on the list that an event says it was taken from."""
    event, pfn, order, mt, listed, _ = taken
    if listed is None:
        replay.findings.passed[law.LIST] += 1
        return
    replay.findings.checked[law.LIST] += 1
    if listed is not mt:
        replay.findings.breach(
            event.line,
            law.LIST,
            f"{event.kind} pfn {pfn:#x} order {order}: expected the list of {listed.name},"
            f" got {mt.name}.",
        )


def settle(replay: Replay, mobility: Mobility, event: Event) -> None:
    """Judge what waited for the CPU's next event, which is here and explains nothing."""
    if waiting := mobility.took.pop(event.cpu, None):
        judge_list(replay, waiting)
    if event.kind != "mm_page_alloc_zone_locked":
        _judge_owed(replay, mobility, event, None)


def _judge_owed(
    replay: Replay, mobility: Mobility, event: Event, served: tuple[int, MigrateType] | None
) -> None:
    """A fallback that moved its block is followed by the request's own block, under one lock."""
    owed = mobility.owed.pop(event.cpu, None)
    if owed is None:
        return
    replay.findings.checked[law.FALLBACK] += 1
    if served != (owed.order, owed.mt):
        got = f"order {served[0]} of {served[1].name}" if served else event.kind
        replay.findings.breach(
            event.line,
            law.FALLBACK,
            f"CPU {event.cpu}: expected a block of order {owed.order} of {owed.mt.name} to be taken"
            f" next, after the fallback at line {owed.event.line}, got {got}.",
        )


def join(
    replay: Replay, mobility: Mobility, line: int, pfn: int, order: int, mt: MigrateType
) -> None:
    """Put all of the free block around a block on a type's list: it merged, or was split.

    Where compaction may hold parts of it, the others may be blocks of their own: then only what
    was on that list before is still known.
    """
    head, size, certain = block_around(replay, pfn, order)
    if certain:
        put_on(mobility, line, head, size, mt)
    else:
        blur(mobility, head, size, mt)
        put_on(mobility, line, pfn, order, mt)


def block_around(replay: Replay, pfn: int, order: int) -> tuple[int, int, bool]:
    """Return the maximal free block around a block, and whether compaction holds no part of it."""
    zone = zone_of(replay, pfn, order)
    if zone is None or replay.places[pfn] != BUDDY:
        return pfn, order, True
    head, size = maximal_block(replay.places, pfn, order, zone.first, zone.end, replay.top)
    silent = replay.era.silent_isolation
    return head, size, not replay.ledger.may_hold(head, head + SIZES[size], silent=silent)


def census(replay: Replay, mobility: Mobility, zone: Zone) -> Census:
    """Return a zone's free blocks; their list is unknown also where compaction may hold parts."""
    free: Census = {}
    for first, end in runs_in(replay.places, zone.first, zone.end, BUDDY):
        for pfn, order in blocks_of_run(first, end, replay.top):
            held = replay.ledger.may_hold(
                pfn, pfn + SIZES[order], silent=replay.era.silent_isolation
            )
            key = order, None if held else list_of(mobility, pfn)
            free.setdefault(key, []).append(pfn)
    return free


def type_in(
    replay: Replay, mobility: Mobility, event: Event, key: str = "migratetype"
) -> MigrateType | None:
    """Return the type that an event prints; a number that is none breaks a law."""
    number = type_number_in(event, replay.path, key)
    replay.findings.checked[law.NUMBER] += 1
    if 0 <= number < len(mobility.numbers):
        return mobility.numbers[number]
    names = ", ".join(f"{at} {mt.name}" for at, mt in enumerate(mobility.numbers))
    replay.findings.breach(
        event.line, law.NUMBER, f"{event.kind}: expected {key} as one of {names}, got {number}."
    )
    return None
