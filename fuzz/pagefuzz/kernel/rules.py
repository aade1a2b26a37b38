"""What each page event does to the replay, and the laws that it must keep.

The buddy loses a block at mm_page_alloc_zone_locked and, since 6.12, at an extfrag event that takes
one itself. It gains a block at mm_page_pcpu_drain and at a free of an order that per-CPU lists do
not keep. Each breach names the block, what it should have been and what it was.
Source: mm/page_alloc.c of 6.1 and 6.12, and measured on traces of both; docs/traces.md.
"""

from pagefuzz.kernel import again, places
from pagefuzz.kernel import findings as law
from pagefuzz.kernel.bypass import CAUSE as BYPASS
from pagefuzz.kernel.places import BUDDY, FREED, HELD, LIVE, REFILLED
from pagefuzz.kernel.state import Replay, log, make_room, zone_of
from pagefuzz.kernel.tracefs import Event, type_number_in
from pagespec.frames import SIZES, is_aligned
from pagespec.migratetype import REQUESTED

CAPTURE = "captured by the compacting task"


def fits(replay: Replay, event: Event, pfn: int, order: int) -> bool:
    """Whether a block is one at all: right order, aligned, and inside a zone."""
    report = replay.findings
    report.checked[law.ALIGN] += 1
    if order > replay.top or not is_aligned(pfn, order):
        wanted = f"a multiple of its size, order at most {replay.top}"
        report.breach(event.line, law.ALIGN, f"{_block(event, pfn, order)}: expected {wanted}.")
        return False
    if not replay.zones:
        make_room(replay, pfn + SIZES[order], event.line)
        return True
    report.checked[law.INSIDE] += 1
    if zone_of(replay, pfn, order) is None:
        spans = ", ".join(f"{zone} [{zone.first:#x}, {zone.end:#x})" for zone in replay.zones)
        report.breach(event.line, law.INSIDE, f"{_block(event, pfn, order)}: not within {spans}.")
        return False
    return True


def request(replay: Replay, event: Event) -> None:
    """Judge the type that a request prints, also one that failed: each release numbers them so."""
    number = type_number_in(event, replay.path)
    replay.findings.checked[law.NUMBER] += 1
    if not 0 <= number < len(REQUESTED):
        replay.findings.breach(
            event.line,
            law.NUMBER,
            f"{event.kind}: expected migratetype of a request, 0 to {len(REQUESTED) - 1},"
            f" got {number}.",
        )


def allocate(replay: Replay, event: Event, pfn: int, order: int) -> None:
    """Hand out a block: nobody may have it, and the buddy must have let it go."""
    report = replay.findings
    replay.allocations += 1
    report.checked[law.DISJOINT] += 1
    if places.any_in(replay.places, pfn, order, LIVE):
        frame = replay.places.find(LIVE, pfn)
        report.breach(
            event.line,
            law.DISJOINT,
            f"{_block(event, pfn, order)} overlaps {_owner(replay, frame)}, still live.",
        )
        _bury(replay, pfn, order)
    if replay.started:
        report.checked[law.PARTITION] += 1
        if places.is_all(replay.places, pfn, order, BUDDY) and event.task in replay.captors:
            report.tally(CAPTURE).claimed += SIZES[order]
            log(replay, event.line, pfn, order, entered=False)
        else:
            _expect_not(replay, event, pfn, order, (BUDDY, HELD))
    replay.captors.discard(event.task)
    if replay.isolated:
        replay.isolated.difference_update(range(pfn, pfn + SIZES[order]))
    _release(replay, pfn, order, returned=False)
    places.put(replay.places, pfn, order, LIVE)
    replay.live.add(pfn, order, event.line)


def free(replay: Replay, event: Event, pfn: int, order: int) -> None:
    """Take a block back: it was not free, and is no more than what was handed out."""
    report = replay.findings
    report.checked[law.REFUSE] += 1
    _refuse_larger(replay, event, pfn, order)
    if replay.started:
        _refuse_free(replay, event, pfn, order)
    again.refuse_again(replay, event, pfn, order)
    if places.any_in(replay.places, pfn, order, LIVE):
        replay.live.remove(pfn, order)
    _release(replay, pfn, order, returned=True)
    cached = order <= replay.era.pcp_top or (replay.era.pcp_top and order == replay.huge)
    places.put(replay.places, pfn, order, FREED if cached or not replay.started else BUDDY)
    if not cached:
        log(replay, event.line, pfn, order, entered=True)
    last = (event, replay.allocations)
    for frame in range(pfn, pfn + SIZES[order]):
        replay.frees.last[frame] = last


def take(replay: Replay, event: Event, pfn: int, order: int) -> None:
    """Let a block leave the buddy: it was there, as the lowest part of a maximal block."""
    report = replay.findings
    if replay.started:
        report.checked[law.PARTITION] += 1
        if places.is_all(replay.places, pfn, order, BUDDY):
            _expect_lowest(replay, event, pfn, order)
        else:
            _expect_bypassed(replay, event, pfn, order)
    log(replay, event.line, pfn, order, entered=False)
    places.put(replay.places, pfn, order, REFILLED)


def drain(replay: Replay, event: Event, pfn: int, order: int) -> None:
    """Let a block return from a per-CPU list: it was on one, so neither free nor in use."""
    replay.frees.drained(event)
    if replay.started:
        replay.findings.checked[law.PARTITION] += 1
        _expect_not(replay, event, pfn, order, (BUDDY, LIVE, HELD))
    log(replay, event.line, pfn, order, entered=True)
    places.put(replay.places, pfn, order, BUDDY if replay.started else FREED)


def _expect_not(
    replay: Replay, event: Event, pfn: int, order: int, forbidden: tuple[int, ...]
) -> None:
    for place in forbidden:
        if places.any_in(replay.places, pfn, order, place):
            _misplaced(replay, event, pfn, order)
            return


def _misplaced(replay: Replay, event: Event, pfn: int, order: int) -> None:
    found = places.names_of(replay.places[pfn : pfn + SIZES[order]])
    replay.findings.breach(
        event.line,
        law.PARTITION,
        f"{_block(event, pfn, order)}: expected {_EXPECTED[event.kind]}, got frames: {found}.",
    )


def _expect_lowest(replay: Replay, event: Event, pfn: int, order: int) -> None:
    zone = zone_of(replay, pfn, order)
    if zone is None:
        return
    replay.findings.checked[law.EXPAND] += 1
    head, size = places.maximal_block(replay.places, pfn, order, zone.first, zone.end, replay.top)
    if head == pfn:
        return
    silent = replay.era.silent_isolation
    if replay.ledger.may_hold(head, head + SIZES[size], silent=silent):
        return  # the block is smaller than it looks, by frames that compaction holds
    replay.findings.breach(
        event.line,
        law.EXPAND,
        f"{_block(event, pfn, order)} is not the lowest part of the free block"
        f" pfn {head:#x} order {size}.",
    )


def _expect_bypassed(replay: Replay, event: Event, pfn: int, order: int) -> None:
    absent = [frame for frame in range(pfn, pfn + SIZES[order]) if replay.places[frame] != BUDDY]
    if all(replay.places[frame] == FREED and replay.frees.may_bypass(frame) for frame in absent):
        replay.findings.tally(BYPASS).claimed += len(absent)
    else:
        _misplaced(replay, event, pfn, order)


def _refuse_larger(replay: Replay, event: Event, pfn: int, order: int) -> None:
    if not places.any_in(replay.places, pfn, order, LIVE):
        return
    found = replay.live.owner(pfn)
    if found is None or found[0] + SIZES[found[1].order] < pfn + SIZES[order]:
        frame = replay.places.find(LIVE, pfn)
        replay.findings.breach(
            event.line,
            law.REFUSE,
            f"{_block(event, pfn, order)} is more than {_owner(replay, frame)}.",
        )
        _bury(replay, pfn, order)


def _refuse_free(replay: Replay, event: Event, pfn: int, order: int) -> None:
    held = [*places.frames_in(replay.places, pfn, pfn + SIZES[order], BUDDY)]
    silent = replay.era.silent_isolation
    for number, frame in enumerate(held):
        claim = replay.ledger.claim(frame, silent=silent)
        if claim is None:
            replay.findings.breach(
                event.line,
                law.REFUSE,
                f"{_block(event, pfn, order)}: the buddy already holds"
                f" {len(held) - number} of its frames, first {frame:#x}.",
            )
            return
        replay.findings.tally(claim.cause).claimed += 1
        replay.isolated.add(frame)


def _release(replay: Replay, pfn: int, order: int, *, returned: bool) -> None:
    if not replay.held:
        return
    for frame in [*places.frames_in(replay.places, pfn, pfn + SIZES[order], HELD)]:
        cause = replay.held.pop(frame)
        replay.findings.tally(cause).returned += returned


def _bury(replay: Replay, pfn: int, order: int) -> None:
    for frame in [*places.frames_in(replay.places, pfn, pfn + SIZES[order], LIVE)]:
        replay.live.remove(frame, 0)


def _owner(replay: Replay, frame: int) -> str:
    found = replay.live.owner(frame)
    if found is None:
        return f"the block around pfn {frame:#x}"
    head, birth = found
    return f"pfn {head:#x} order {birth.order}, allocated at line {birth.line}"


def _block(event: Event, pfn: int, order: int) -> str:
    return f"{event.kind} pfn {pfn:#x} order {order}"


_EXPECTED = {
    "mm_page_alloc": "a block that left the buddy",
    "mm_page_alloc_zone_locked": "a block in the buddy",
    "mm_page_alloc_extfrag": "a block in the buddy",
    "mm_page_pcpu_drain": "a block of a per-CPU list",
}
