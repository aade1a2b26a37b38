"""The ranges that compaction's scanners log: where they lie, and what was counted in them.

The migration scanner ascends and the free scanner descends, pageblock by pageblock, each within
the zone. What was free there bounds what the free scanner took.
Source: mm/compaction.c (isolate_freepages, isolate_migratepages) of 6.1 and 6.12.
"""

from typing import NamedTuple

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.compaction_run import ALL, Run, expect
from pagefuzz.kernel.places import BUDDY, FREED, frames_in
from pagefuzz.kernel.state import Replay
from pagefuzz.kernel.tracefs import Event, number_in, range_in
from pagespec.frames import SIZES, head_of

CLUSTER = 32
"""How many frames are isolated to be moved at a time, and the widest stride."""


class Scanned(NamedTuple):
    """A range [first, end) with its counts, and the pageblock's end within the zone."""

    first: int
    end: int
    scanned: int
    taken: int
    edge: int

    def __str__(self) -> str:
        return (
            f"range {self.first:#x} ~ {self.end:#x} with {self.scanned} scanned"
            f" and {self.taken} taken"
        )


def scanned_in(replay: Replay, event: Event, end: int) -> Scanned:
    """Read a range in a zone that has an end."""
    first, behind = range_in(event, replay.path)
    edge = min(head_of(first, replay.huge) + SIZES[replay.huge], end)
    scanned, taken = (number_in(event, replay.path, key) for key in ("nr_scanned", "nr_taken"))
    return Scanned(first, behind, scanned, taken, edge)


def isolate_sources(replay: Replay, event: Event, run: Run) -> None:
    """Judge a range of the migration scanner and move it there."""
    found = scanned_in(replay, event, run.end)
    # A run that wants a block seeks pageblocks on the free lists first. When it finds none any more
    # it returns to the lowest block that it found, which may begin within a pageblock.
    low = max(run.first, run.migrate) if run.order == ALL else run.first
    expect(
        replay.findings,
        event,
        law.CMP_RANGE,
        low <= found.first < found.end <= found.edge,
        f"expected frames of one pageblock from {low:#x} up to the zone's end {run.end:#x}, got"
        f" {found}",
    )
    # A run that yields twice in a pageblock goes on to its end, so that it is done with it.
    length = found.end - found.first
    large = SIZES[replay.top] if replay.era.scans == "all" else 0
    again = run.yielded == found.first >> replay.huge
    limit = length if again else CLUSTER + large
    longest = length + large
    expect(
        replay.findings,
        event,
        law.CMP_SCAN,
        found.taken <= min(limit, found.scanned) and 0 < found.scanned <= longest,
        f"expected at most {limit} taken of at most {longest} scanned, got {found}",
    )
    if found.taken:
        run.yielded = found.first >> replay.huge
    run.migrate = max(run.migrate, found.end)
    run.wanted = found.taken
    run.stride = run.widest


def isolate_targets(replay: Replay, event: Event, run: Run) -> None:
    """Judge a range of the free scanner and move it there."""
    found = scanned_in(replay, event, run.end)
    _expect_downward(replay, event, run, found)
    stride = run.stride if run.order == ALL else 1
    fault = miscounted(found, stride, everything=replay.era.scans == "all")
    expect(replay.findings, event, law.CMP_SCAN, not fault, f"expected {fault}, got {found}")
    if replay.started:
        free = free_in(replay, found)
        expect(
            replay.findings,
            event,
            law.CMP_FREE,
            found.taken <= free,
            f"expected no more than the {free} frames that are free there, got {found}",
        )
    run.taken += found.taken
    run.below = head_of(found.first, replay.huge)
    if found.end < found.edge:
        run.resume, run.stride = found.end, run.widest  # the walk is over
    else:
        run.resume, run.stride = None, 1 if found.taken else min(CLUSTER, 2 * stride)


def _expect_downward(replay: Replay, event: Event, run: Run, found: Scanned) -> None:
    head = head_of(found.first, replay.huge)
    low = head_of(run.migrate, replay.huge) + SIZES[replay.huge]
    inside = run.first <= found.first <= found.end <= found.edge
    # A run that wants a block seeks targets on the free lists, too, and walks around them.
    goes_on = run.order != ALL or (
        head >= low
        and (found.first == run.resume or found.first == max(head, run.first) < run.below)
    )
    expect(
        replay.findings,
        event,
        law.CMP_RANGE,
        inside and goes_on,
        f"expected frames of one pageblock, from {_where(run)} and above {low:#x}, got {found}",
    )


def _where(run: Run) -> str:
    begins = f"the begin of one below {run.below:#x}"
    return begins if run.resume is None else f"{run.resume:#x} on, or {begins}"


def miscounted(found: Scanned, stride: int, *, everything: bool) -> str:
    """Return what was expected of the free scanner's counts, or nothing if they are right.

    Each frame that it looks at counts, and each of an isolated block; since 6.8 each of a block in
    use that it steps over. A block that may not be taken was looked at, and the range ends there.

    >>> miscounted(Scanned(0, 512, 16, 0, 512), 32, everything=False)
    ''
    >>> miscounted(Scanned(0, 512, 17, 0, 512), 32, everything=False)
    'from 0 to 16 frames scanned'
    """
    length = found.end - found.first
    refused = found.end < found.edge
    if everything:
        least, most = -(-length // stride), length
    else:
        least = found.taken
        most = found.taken + max(0, -(-(length - found.taken) // stride))
    if least <= found.scanned <= most + refused and found.taken <= found.scanned:
        return ""
    return f"from {least} to {most + refused} frames scanned"


def free_in(replay: Replay, found: Scanned) -> int:
    """Return how many frames may be free in a range, and in the block that crosses its end."""
    places = replay.places
    free = places.count(BUDDY, found.first, found.end)
    if free >= found.taken:
        return free
    end = found.end
    while end < len(places) and end - found.end < SIZES[replay.top] and places[end] == BUDDY:
        end += 1
    freed = frames_in(places, found.first, found.end, FREED)
    return free + end - found.end + sum(replay.frees.may_bypass(frame) for frame in freed)
