"""A request served by another type's memory: what its event says, and whether it had to be so.

A block of a pageblock or more changes hands whole. Of a smaller one, up to 6.8 all that is free in
the pageblock moves to the request's lists, and the pageblock gets its type if half of it is free or
alike; since 6.10 nothing moves unless it does.
Source: mm/page_alloc.c of 6.1 and 6.12 (__rmqueue_fallback, find_suitable_fallback,
steal_suitable_fallback, move_freepages_block); docs/traces.md.
"""

from dataclasses import dataclass

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.lists import block_around, census, settle, type_in
from pagefuzz.kernel.mobility import (
    Mobility,
    Owed,
    Took,
    learn,
    list_of,
    pageblock_type,
    pageblocks_of,
    put_on,
    retype,
)
from pagefuzz.kernel.places import BUDDY, frames_in
from pagefuzz.kernel.search import SEARCHES, Census, Need, may_claim
from pagefuzz.kernel.snapshots import Zone
from pagefuzz.kernel.state import Replay, zone_of
from pagefuzz.kernel.tracefs import Event, number_in
from pagespec.frames import SIZES, head_of
from pagespec.migratetype import FALLBACKS, MOVABLE, REQUESTED, MigrateType


@dataclass(frozen=True, slots=True)
class Fallback:
    """A fallback's event. `claims` says whether the pageblock has the request's type by now."""

    event: Event
    pfn: int
    order: int
    mt: MigrateType
    from_order: int
    from_mt: MigrateType
    claims: bool


def fell_back(
    replay: Replay, mobility: Mobility, event: Event, pfn: int, order: int, *, logged: bool
) -> None:
    """Judge a fallback and let the types follow it.

    `logged` says that the CPU's last zone_locked event was about the same block, which has left
    the buddy by then. Otherwise call it before the block does.
    """
    fallback = _read(replay, mobility, event, pfn, order, logged=logged)
    zone = zone_of(replay, pfn, order)
    if fallback is None or zone is None:
        settle(replay, mobility, event)
        return
    waiting = mobility.took.pop(event.cpu, None) if logged else None
    if logged:
        _judge_claimed(replay, fallback, waiting)
        free = waiting.free if waiting else {}
    else:
        settle(replay, mobility, event)
        _judge_block(replay, mobility, fallback)
        free = census(replay, mobility, zone)
    taken = SIZES[order] if logged else 0
    _judge_choice(replay, mobility, fallback, free, taken=taken)
    _judge_half(replay, mobility, fallback, zone, taken=taken)
    _follow(replay, mobility, fallback, zone, waiting)


def _read(
    replay: Replay, mobility: Mobility, event: Event, pfn: int, order: int, *, logged: bool
) -> Fallback | None:
    def number(key: str) -> int:
        return number_in(event, replay.path, key)

    mt = type_in(replay, mobility, event, "alloc_migratetype")
    from_mt = type_in(replay, mobility, event, "fallback_migratetype")
    if mt is None or from_mt is None:
        return None
    from_order, claims = number("fallback_order"), number("change_ownership")
    whole = from_order >= mobility.order
    claimed = whole or logged if mobility.agree else whole or bool(claims)
    facts = (
        ("pageblock_order", number("pageblock_order"), mobility.order),
        ("fragmenting", number("fragmenting"), int(not whole)),
        ("change_ownership", claims, int(claimed)),
        ("fallback_order", from_order, min(max(from_order, order), replay.top)),
        ("alloc_migratetype", mt.name, mt.name if mt in REQUESTED else "a type to ask for"),
        (
            "fallback_migratetype",
            from_mt.name,
            from_mt.name if from_mt in FALLBACKS.get(mt, ()) else "one that the table allows",
        ),
    )
    replay.findings.checked[law.EXTFRAG] += 1
    wrong = [f"expected {key}={right}, got {got}" for key, got, right in facts if got != right]
    for problem in wrong:
        sentence = f"{event.kind} pfn {pfn:#x} order {order}: {problem}."
        replay.findings.breach(event.line, law.EXTFRAG, sentence)
    return None if wrong else Fallback(event, pfn, order, mt, from_order, from_mt, bool(claims))


def _judge_block(replay: Replay, mobility: Mobility, fallback: Fallback) -> None:
    head, size, certain = block_around(replay, fallback.pfn, fallback.order)
    listed = list_of(mobility, fallback.pfn)
    if replay.places[fallback.pfn] != BUDDY or listed is None:
        replay.findings.passed[law.FALLBACK] += 1
        return
    replay.findings.checked[law.FALLBACK] += 1
    got = head, size, listed
    expected = fallback.pfn, fallback.from_order, fallback.from_mt
    # What compaction may hold can only make the block smaller than it looks.
    fits = listed is fallback.from_mt and fallback.from_order <= size and not certain
    if got != expected and not fits:
        _breach(replay, fallback, _named(*expected), _named(*got))


def _judge_claimed(replay: Replay, fallback: Fallback, waiting: Took | None) -> None:
    """The block has left already: before, it was on the other type's list."""
    if waiting is not None and waiting.listed is None:
        replay.findings.passed[law.FALLBACK] += 1
        return
    replay.findings.checked[law.FALLBACK] += 1
    before = waiting.listed if waiting else fallback.mt
    if before is not fallback.from_mt:
        before_name = before.name if before else "none"
        _breach(replay, fallback, f"a block of {fallback.from_mt.name}", f"one of {before_name}")


def _judge_choice(
    replay: Replay, mobility: Mobility, fallback: Fallback, free: Census, *, taken: int
) -> None:
    own = [order for order, mt in free if mt is fallback.mt and order >= fallback.order]
    if own:
        lacking = f"no free block of order {fallback.order} or more on the request's own lists"
        replay.findings.checked[law.FALLBACK] += 1
        _breach(replay, fallback, lacking, f"one of order {max(own)}")
        return
    # Smaller blocks only matter to one that could not be claimed: it is the smallest.
    claimable = may_claim(fallback.from_order, fallback.mt, mobility.order)
    least = fallback.from_order if claimable else fallback.order
    if not free or any(mt is None and order >= least for order, mt in free):
        replay.findings.passed[law.FALLBACK] += 1
        return
    replay.findings.checked[law.FALLBACK] += 1

    def may_refuse(pfn: int) -> bool:
        same = head_of(pfn, mobility.order) == head_of(fallback.pfn, mobility.order)
        count = _free_around(replay, mobility, pfn) + (taken if same else 0)
        return count < SIZES[mobility.order - 1]

    need = Need(fallback.order, fallback.mt, free, replay.top, mobility.order, may_refuse)
    right = {name: SEARCHES[name](need, claims=fallback.claims) for name in mobility.searches}
    got = fallback.from_order, fallback.from_mt
    if any(got in places for places in right.values()):
        mobility.searches = tuple(name for name in right if got in right[name])
        return
    expected = " or ".join(
        f"{', '.join(f'order {order} of {mt.name}' for order, mt in sorted(places)) or 'nothing'}"
        f" ({name})"
        for name, places in right.items()
    )
    _breach(replay, fallback, expected, f"order {got[0]} of {got[1].name}")


def _judge_half(
    replay: Replay, mobility: Mobility, fallback: Fallback, zone: Zone, *, taken: int
) -> None:
    """A pageblock half of which is free is claimed; one that is not must hold what is alike."""
    if fallback.from_order >= mobility.order or not may_claim(
        fallback.from_order, fallback.mt, mobility.order
    ):
        return
    head = head_of(fallback.pfn, mobility.order)
    size, half = SIZES[mobility.order], SIZES[mobility.order - 1]
    inside = zone.first <= head and head + size <= zone.end
    silent = replay.era.silent_isolation
    if not inside or replay.ledger.may_hold(head, head + size, silent=silent):
        replay.findings.passed[law.FALLBACK] += 1
        return
    replay.findings.checked[law.FALLBACK] += 1
    free = _free_around(replay, mobility, head) + taken
    if free >= half and not fallback.claims:
        _breach(replay, fallback, f"a claim, {free} frames being free", "none")
    if free >= half or not fallback.claims or MOVABLE in (fallback.mt, fallback.from_mt):
        return
    was = fallback.from_mt if mobility.agree else pageblock_type(mobility, head)
    if was is not None and was not in (fallback.mt, MOVABLE):
        _breach(replay, fallback, f"no claim, {free} frames being free", "one")


def _follow(
    replay: Replay, mobility: Mobility, fallback: Fallback, zone: Zone, waiting: Took | None
) -> None:
    line, pfn, mt = fallback.event.line, fallback.pfn, fallback.mt
    covered = pageblocks_of(mobility, pfn, fallback.from_order)
    if fallback.claims:
        for pageblock in covered:
            if not mobility.agree and pageblock not in mobility.original:
                mobility.supposed.add(pageblock)
            learn(mobility, pageblock, fallback.from_mt)
            retype(mobility, line, pageblock, mt)
    if waiting is not None and waiting.listed is None:
        _was(mobility, line, pfn, fallback)
    if mobility.agree:
        if not fallback.claims:
            put_on(mobility, line, pfn, fallback.from_order, fallback.from_mt)
        return
    mobility.owed[fallback.event.cpu] = Owed(fallback.event, fallback.order, mt)
    put_on(mobility, line, pfn, fallback.from_order, mt)
    if fallback.from_order < mobility.order and may_claim(fallback.from_order, mt, mobility.order):
        _move(replay, mobility, line, pfn, mt, zone)


def _move(
    replay: Replay, mobility: Mobility, line: int, pfn: int, mt: MigrateType, zone: Zone
) -> None:
    """Move all that is free in the pageblock, as far as the zone reaches."""
    first = head_of(pfn, mobility.order)
    end = first + SIZES[mobility.order]
    if end > zone.end:
        return
    if first < zone.first:
        first = pfn
    for frame in frames_in(replay.places, first, end, BUDDY):
        put_on(mobility, line, frame, 0, mt)


def _was(mobility: Mobility, line: int, pfn: int, fallback: Fallback) -> None:
    """The claimed block's event showed an unknown pageblock after its claim, not before."""
    pageblock = pfn // SIZES[mobility.order]
    mobility.original[pageblock] = fallback.from_mt
    mobility.pageblocks[pageblock] = fallback.from_mt + 1
    retype(mobility, line, pageblock, fallback.mt)


def _free_around(replay: Replay, mobility: Mobility, pfn: int) -> int:
    head = head_of(pfn, mobility.order)
    return replay.places.count(BUDDY, head, head + SIZES[mobility.order])


def _breach(replay: Replay, fallback: Fallback, expected: str, got: str) -> None:
    replay.findings.breach(
        fallback.event.line,
        law.FALLBACK,
        f"{fallback.event.kind} pfn {fallback.pfn:#x} order {fallback.order}:"
        f" expected {expected}, got {got}.",
    )


def _named(pfn: int, order: int, mt: MigrateType) -> str:
    return f"pfn {pfn:#x} order {order} on the list of {mt.name}"
