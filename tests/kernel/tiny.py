"""Tiny traces for the rules of types: 64 frames, pageblocks of 8, and what plays them.

Every order's free blocks are of one type at the start, unless a test says otherwise, so that all
lists are known.
"""

import pytest

from pagefuzz.kernel.era import LOGGED, STEALING, TraceEra
from pagefuzz.kernel.findings import (
    Findings,
)
from pagefuzz.kernel.pagetypeinfo import TypeInfo
from pagefuzz.kernel.replay import replay_all
from pagefuzz.kernel.snapshots import Snapshot, Zone
from pagefuzz.kernel.state import replay_with
from pagefuzz.kernel.tracefs import Preamble, events
from pagespec.frames import blocks_of_run
from pagespec.migratetype import (
    HIGHATOMIC,
    ISOLATE,
    MOVABLE,
    REQUESTED,
    UNMOVABLE,
    MigrateType,
)

ZONE = Zone((0, "Normal"), 0, 64)
TOP, PAGEBLOCK = 4, 3
TYPES = (*REQUESTED, HIGHATOMIC, ISOLATE)
COUNTS = {UNMOVABLE: 5, MOVABLE: 3}

IDLE = "mm_compaction_kcompactd_sleep: nid=0"

Free = dict[tuple[int, int], MigrateType]

both_eras = pytest.mark.parametrize("era", [LOGGED, STEALING], ids=["6.1", "6.12"])


def snapshot(name: str, free: Free, counts: dict[MigrateType, int], zone: Zone = ZONE) -> Snapshot:
    rows = {mt: [0] * (TOP + 1) for mt in TYPES}
    for (first, end), mt in free.items():
        for _, order in blocks_of_run(first, end, TOP):
            rows[mt][order] += 1
    columns = tuple(map(sum, zip(*rows.values(), strict=True)))
    info = TypeInfo(
        PAGEBLOCK,
        {zone.name: {mt: tuple(row) for mt, row in rows.items()}},
        {zone.name: {mt: counts.get(mt, 0) for mt in TYPES}},
    )
    return Snapshot(name, tuple(free), (zone,), ({zone.name: columns},), PAGEBLOCK, info)


def play(
    era: TraceEra,
    free: Free,
    *lines: str,
    end: Free | None = None,
    counts: dict[MigrateType, int] = COUNTS,
    later: dict[MigrateType, int] = COUNTS,
    zone: Zone = ZONE,
    cut: bool = False,
) -> Findings:
    """Replay events of CPU 0 from a snapshot, with its counts of pageblocks, to a later one.

    Unless the trace is cut, another event follows, so that nothing is left open.
    """
    snapshots = {"start": snapshot("start", free, counts, zone)}
    text = ["SNAP start begin", "SNAP start end", *lines]
    if end is not None:
        snapshots["end"] = snapshot("end", end, later, zone)
        text += ["SNAP end begin", "SNAP end end"]
    text += [] if cut else [IDLE]
    full = (
        f"dd-1 [000] ..... 1.0: {'tracing_mark_write: ' if line.startswith('SNAP') else ''}{line}"
        for line in text
    )
    replay = replay_with("trace", era, snapshots["start"])
    replay_all(replay, events(enumerate(full, 1), Preamble()), snapshots)
    return replay.findings


def laws(findings: Findings) -> list[str]:
    return [finding.law for finding in findings.broken]


def take(pfn: int, mt: MigrateType, order: int = 0) -> str:
    return f"mm_page_alloc_zone_locked: pfn={pfn:#x} order={order} migratetype={mt.value}"


def drain(pfn: int, mt: MigrateType, order: int = 0) -> str:
    return f"mm_page_pcpu_drain: pfn={pfn:#x} order={order} migratetype={mt.value}"


def free_page(pfn: int, order: int = 0) -> str:
    return f"mm_page_free: pfn={pfn:#x} order={order}"


def steal(
    pfn: int,
    from_order: int,
    from_mt: MigrateType,
    mt: MigrateType,
    claims: bool,
    order: int = 0,
) -> str:
    return (
        f"mm_page_alloc_extfrag: pfn={pfn:#x} alloc_order={order} fallback_order={from_order}"
        f" pageblock_order={PAGEBLOCK} alloc_migratetype={mt.value}"
        f" fallback_migratetype={from_mt.value} fragmenting={int(from_order < PAGEBLOCK)}"
        f" change_ownership={int(claims)}"
    )


HALF: Free = {(8, 12): UNMOVABLE}
LESS: Free = {(8, 9): UNMOVABLE, (10, 12): UNMOVABLE}
WHOLE: Free = {(16, 32): MOVABLE}
BUDDIES: Free = {(16, 24): MOVABLE, (25, 26): UNMOVABLE, (26, 28): UNMOVABLE, (28, 32): UNMOVABLE}
