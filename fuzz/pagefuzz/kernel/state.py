"""The state of a replay: where each frame is, who may hold it, and what was found."""

from dataclasses import dataclass, field

from pagefuzz.errors import UsageError
from pagefuzz.kernel.bypass import Frees
from pagefuzz.kernel.compaction_run import Compactions
from pagefuzz.kernel.era import HUGE_ORDER, TraceEra
from pagefuzz.kernel.findings import Finding, Findings
from pagefuzz.kernel.isolation import Ledger
from pagefuzz.kernel.live import LiveBlocks
from pagefuzz.kernel.mobility import Mobility, mobility_of
from pagefuzz.kernel.percpu.records import Notes
from pagefuzz.kernel.places import HELD, Places
from pagefuzz.kernel.snapshots import Snapshot, Zone
from pagespec.frames import SIZES
from pagespec.types import MAX_TOP

_FRAMES_WITHOUT_ZONES = 1 << 28  # 1 TiB: a bound on memory where no snapshot gives one


@dataclass(frozen=True, slots=True)
class Change:
    """A block entered or left the buddy at a line."""

    line: int
    pfn: int
    order: int
    entered: bool


@dataclass
class Replay:
    """What is known after the events so far.

    zones: as the first snapshot gives them; none without snapshots.
    started: whether `places` holds a snapshot's free set; the buddy's laws begin there.
    window: the changes since the latest snapshot began to be read, at line `window_line`; None
        between snapshots.
    allocations: how many succeeded so far.
    isolated: frames that compaction took and no event allocated since.
    held: the cause that holds each frame in the place HELD; `fresh` are those since the latest
        snapshot.
    accused: second frees of tasks that may have begun to compact before the trace, by task.
    captors: tasks whose compaction ended after their last allocation.
    compactions: the runs of compaction that are under way.
    split_from: the last block that each CPU took under the zone's lock.
    mobility: what is known of types; None where they are not judged.
    notes: what is noted of the CPUs' lists; None where they are not judged.
    """

    path: str
    era: TraceEra
    findings: Findings = field(default_factory=Findings)
    zones: tuple[Zone, ...] = ()
    top: int = MAX_TOP
    huge: int = HUGE_ORDER
    started: bool = False
    places: Places = field(default_factory=bytearray)
    live: LiveBlocks = field(default_factory=LiveBlocks)
    frees: Frees = field(default_factory=Frees)
    ledger: Ledger = field(default_factory=Ledger)
    compactions: Compactions = field(default_factory=Compactions)
    window: list[Change] | None = None
    window_line: int = 0
    allocations: int = 0
    isolated: set[int] = field(default_factory=set)
    held: dict[int, str] = field(default_factory=dict)
    fresh: set[int] = field(default_factory=set)
    accused: dict[str, list[Finding]] = field(default_factory=dict)
    captors: set[str] = field(default_factory=set)
    split_from: dict[int, tuple[int, int]] = field(default_factory=dict)
    mobility: Mobility | None = None
    notes: Notes | None = None


def replay_with(path: str, era: TraceEra, *snapshots: Snapshot) -> Replay:
    """Return a replay before its first event, over the machine that snapshots describe.

    What pagetypeinfo says of the machine never changes, so any snapshot that has one will do.
    """
    replay = Replay(path, era)
    if snapshots:
        snapshot = snapshots[0]
        info = next((each.types for each in snapshots if each.types is not None), None)
        replay.zones = snapshot.zones
        replay.top = snapshot.top
        replay.huge = next(
            (each.pageblock_order for each in snapshots if each.pageblock_order), HUGE_ORDER
        )
        replay.places = bytearray(snapshot.end())
        if era.types is not None and info is not None:
            replay.mobility = mobility_of(era.types, era.searches, info, snapshot.end())
        replay.notes = _notes_on(era, snapshot)
    return replay


def _notes_on(era: TraceEra, snapshot: Snapshot) -> Notes | None:
    """Begin notes on the CPUs' lists where the era's rules are known and zoneinfo has the lists."""
    sizes = [snapshot.sizes.get(zone.name) for zone in snapshot.zones]
    batches = tuple(
        min(pageset.batch for pageset in each.pagesets.values()) for each in sizes if each
    )
    return Notes(batches) if era.lists is not None and len(batches) == len(sizes) else None


def zone_of(replay: Replay, pfn: int, order: int) -> Zone | None:
    """Return the zone that spans all of a block."""
    end = pfn + SIZES[order]
    return next((zone for zone in replay.zones if zone.first <= pfn and end <= zone.end), None)


def make_room(replay: Replay, end: int, line: int) -> None:
    """Grow the frames to a first frame behind; only without zones, which tell it beforehand."""
    if end > _FRAMES_WITHOUT_ZONES:
        limit = "expected frames below 1 TiB"
        raise UsageError(f"{replay.path}:{line}: {limit}, got pfn {end - 1:#x}")
    if end > len(replay.places):
        replay.places.extend(bytes(max(end, 2 * len(replay.places)) - len(replay.places)))


def log(replay: Replay, line: int, pfn: int, order: int, *, entered: bool) -> None:
    """Note a change of the free set, if a snapshot is being read."""
    if replay.window is not None:
        replay.window.append(Change(line, pfn, order, entered))


def hold(replay: Replay, frame: int, cause: str) -> None:
    """Put a frame in the hands of a cause that has no event for it."""
    replay.places[frame] = HELD
    replay.held[frame] = cause
    replay.isolated.add(frame)
    replay.fresh.add(frame)
    tally = replay.findings.tally(cause)
    tally.claimed += 1
    tally.held += 1
