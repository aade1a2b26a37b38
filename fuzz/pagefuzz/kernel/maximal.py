"""Whether buddyinfo is the canonical decomposition of the free frames.

The files of a snapshot are read one after the other. Where they disagree, the free set is rewound
through the events of that time: at some instant it must give exactly the columns that were read.
"""

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.pagetypeinfo import Columns
from pagefuzz.kernel.places import BUDDY, FREED, Places, put, runs_in
from pagefuzz.kernel.snapshots import Snapshot, Zone
from pagefuzz.kernel.state import Change, Replay
from pagefuzz.kernel.tracefs import Event
from pagespec.frames import SIZES, blocks_of_run

SAME = "holds"
LATER = "holds at an earlier instant of the reading"
BROKEN = "broken"


def columns_of(places: Places, zone: Zone, top: int) -> Columns:
    """Return how many maximal free blocks of each order a zone has."""
    columns = [0] * (top + 1)
    for first, end in runs_in(places, zone.first, zone.end, BUDDY):
        for _, order in blocks_of_run(first, end, top):
            columns[order] += 1
    return tuple(columns)


def maximal_or_why(
    replay: Replay, event: Event, snapshot: Snapshot, kernel: Places, changes: list[Change]
) -> str:
    """Judge BUD-maximal on each zone of a snapshot and return the outcome in words."""
    outcome = SAME
    for zone in snapshot.zones:
        replay.findings.checked[law.MAXIMAL] += 1
        readings = [reading[zone.name] for reading in snapshot.buddyinfo if zone.name in reading]
        found = columns_of(kernel, zone, snapshot.top)
        if found in readings:
            continue
        if any(_at_some_instant(replay.places, zone, reading, changes) for reading in readings):
            outcome = LATER if outcome == SAME else outcome
            continue
        outcome = BROKEN
        replay.findings.breach(
            event.line,
            law.MAXIMAL,
            f"snapshot {snapshot.name}, {zone}: expected blocks by order {_show(found)} of the free"
            f" frames, buddyinfo says {' and '.join(sorted({_show(each) for each in readings}))}.",
        )
    return outcome


def _at_some_instant(places: Places, zone: Zone, wanted: Columns, changes: list[Change]) -> bool:
    pages = sum(count * SIZES[order] for order, count in enumerate(wanted))
    past = bytearray(places[: zone.end])
    for change in reversed(changes):
        if not zone.first <= change.pfn < zone.end:
            continue
        put(past, change.pfn, change.order, FREED if change.entered else BUDDY)
        if (
            past.count(BUDDY, zone.first) == pages
            and columns_of(past, zone, len(wanted) - 1) == wanted
        ):
            return True
    return False


def _show(columns: Columns) -> str:
    return "/".join(map(str, columns))
