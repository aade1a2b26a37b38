"""Where the replay meets the rules of types: only if some snapshot has pagetypeinfo."""

from collections.abc import Collection

from pagefuzz.kernel import fallback, lists, typecounts
from pagefuzz.kernel import findings as law
from pagefuzz.kernel.mobility import Mobility
from pagefuzz.kernel.snapshots import Snapshot
from pagefuzz.kernel.state import Replay, zone_of
from pagefuzz.kernel.tracefs import Event

_NO_INFO = "no snapshot has a pagetypeinfo"
_NO_RULES = "their rules are known for 6.0 to 6.8 and for 6.12 to 6.14 only"


def begin(replay: Replay, snapshots: Collection[Snapshot]) -> None:
    """Look through the snapshots for zones whose types cannot be followed, or note why none can."""
    if replay.mobility is not None:
        replay.mobility.special = typecounts.special_zones(snapshots)
    elif snapshots:
        replay.findings.untyped = _NO_INFO if replay.era.types is not None else _NO_RULES


def before(replay: Replay, event: Event, pfn: int, order: int) -> None:
    """Judge an event that must be judged while its block is still where it was."""
    if event.kind == "mm_page_alloc_zone_locked":
        mobility = _followed(replay, pfn, order, law.LIST)
        if mobility is not None:
            lists.took(replay, mobility, event, pfn, order)


def after(replay: Replay, event: Event, pfn: int, order: int) -> None:
    """Judge an event that must be judged when its block is where it goes."""
    if event.kind == "mm_page_pcpu_drain":
        mobility = _followed(replay, pfn, order, law.RETURN)
        if mobility is not None:
            lists.drained(replay, mobility, event, pfn, order)
    elif event.kind == "mm_page_free":
        mobility = _followed(replay, pfn, order, None)
        if mobility is not None:
            lists.freed(replay, mobility, event, pfn, order)


def fell_back(replay: Replay, event: Event, pfn: int, order: int, *, logged: bool) -> None:
    """Judge a fallback."""
    mobility = _followed(replay, pfn, order, law.FALLBACK)
    if mobility is not None:
        fallback.fell_back(replay, mobility, event, pfn, order, logged=logged)


def settle(replay: Replay, event: Event) -> None:
    """Judge what waited for the CPU's next event."""
    mobility = replay.mobility
    if mobility is not None and (mobility.took or mobility.owed):
        lists.settle(replay, mobility, event)


def isolated(replay: Replay, event: Event, first: int, end: int) -> None:
    """Let types follow the isolation of all that is free in a range; call it before that."""
    mobility = replay.mobility
    if mobility is not None and replay.started:
        lists.isolated(replay, mobility, event, first, end)


def met(replay: Replay, event: Event, snapshot: Snapshot) -> None:
    """Take note of a snapshot that the replay has just met."""
    if replay.mobility is not None:
        typecounts.note_reading(replay, replay.mobility, event, snapshot)
        if snapshot.types is None:
            replay.findings.uncounted.append(snapshot.name)


def finish(replay: Replay) -> None:
    """Judge what waited for the end of the trace; what waits for an event behind it stays open."""
    if replay.mobility is None:
        return
    # The claim of a pageblock that may explain a list is the CPU's next event, behind the end.
    replay.findings.passed[law.LIST] += len(replay.mobility.took)
    typecounts.judge_readings(replay, replay.mobility)
    if replay.mobility.searches != replay.era.searches:
        replay.findings.searches = replay.mobility.searches


def _followed(replay: Replay, pfn: int, order: int, asked: str | None) -> Mobility | None:
    """Return what is known of types, or None and a note where a block's cannot be followed."""
    if replay.mobility is None or not replay.started:
        return None
    zone = zone_of(replay, pfn, order)
    if zone is not None and zone.name not in replay.mobility.special:
        return replay.mobility
    if asked is not None:
        replay.findings.passed[asked] += 1
    return None
