"""Tiny traces for the laws of CPUs' lists: 256 frames, 64 to 255 free and movable, two CPUs.

A batch is 3 frames and lists drain at 12, unless a test says otherwise.
"""

from collections.abc import Iterable
from dataclasses import replace

from tests.kernel.tiny import snapshot

from pagefuzz.kernel.era import LOGGED, TraceEra
from pagefuzz.kernel.findings import Findings
from pagefuzz.kernel.replay import replay_all
from pagefuzz.kernel.snapshots import Sizes, Snapshot, Zone
from pagefuzz.kernel.state import replay_with
from pagefuzz.kernel.tracefs import Preamble, events
from pagefuzz.kernel.zoneinfo import Pageset
from pagespec.migratetype import MOVABLE, MigrateType

ZONE = Zone((0, "Normal"), 0, 256)
BATCH, HIGH = 3, 12
IDLE = Pageset(0, HIGH, BATCH)


def reading(name: str, pagesets: Iterable[Pageset], managed: int) -> Snapshot:
    """A snapshot with the lists of as many CPUs; only the first one's free set is looked at."""
    sizes = Sizes(managed, 0, 0, dict(enumerate(pagesets)))
    found = snapshot(name, {(64, 256): MOVABLE}, {MOVABLE: 32}, ZONE)
    return replace(found, sizes={ZONE.name: sizes})


def play(
    *lines: str,
    era: TraceEra = LOGGED,
    pagesets: tuple[Pageset, ...] = (IDLE, IDLE),
    later: tuple[Pageset, ...] | None = None,
    managed: int = 1 << 20,
    before: Iterable[str] = (),
    cut: bool = False,
) -> Findings:
    """Replay events, of task dd on CPU 0 by default, from a snapshot to a later one, if any.

    Unless the trace is cut, each CPU has another event, so that nothing is left open. `before` are
    events while the first snapshot is read.
    """
    snapshots = {"start": reading("start", pagesets, managed)}
    text = ["SNAP start begin", *before, "SNAP start end", *lines]
    if later is not None:
        snapshots["later"] = reading("later", later, managed)
        text += ["SNAP later begin", "SNAP later end"]
    if not cut:
        text += [by(cpu, "mm_compaction_kcompactd_sleep: nid=0") for cpu in range(len(pagesets))]
    full = (
        f"dd-1 [000] ..... 1.0: tracing_mark_write: {line}"
        if line.startswith("SNAP")
        else (line if "[" in line else by(0, line))
        for line in text
    )
    # Only the frames matter here; how a run of compaction goes is judged elsewhere.
    replay = replay_with("trace", replace(era, scans=None), snapshots["start"])
    replay_all(replay, events(enumerate(full, 1), Preamble()), snapshots)
    return replay.findings


def by(cpu: int, line: str, flags: str = ".....", task: str = "dd-1") -> str:
    return f"{task} [{cpu:03}] {flags} 1.0: {line}"


def event(kind: str, pfn: int, order: int = 0, mt: MigrateType = MOVABLE) -> str:
    return f"mm_page_{kind}: pfn={pfn:#x} order={order} migratetype={mt.value}"


def takes(*pfns: int, order: int = 0) -> list[str]:
    return [event("alloc_zone_locked", pfn, order) for pfn in pfns]


def allocs(*pfns: int, order: int = 0) -> list[str]:
    return [event("alloc", pfn, order) for pfn in pfns]


def frees(*pfns: int, order: int = 0) -> list[str]:
    return [event("free", pfn, order) for pfn in pfns]


def drains(*pfns: int, order: int = 0) -> list[str]:
    return [event("pcpu_drain", pfn, order) for pfn in pfns]


def used(first: int, frames: int) -> list[str]:
    """Refills and allocations of so many frames, a multiple of a batch."""
    return [
        line
        for pfn in range(first, first + frames, BATCH)
        for line in (*takes(*range(pfn, pfn + BATCH)), *allocs(*range(pfn, pfn + BATCH)))
    ]


def broken(findings: Findings, before: int = 0) -> list[tuple[str, int]]:
    """The laws of CPUs' lists that are broken, each with its line counted from the start's end."""
    return [
        (each.law, each.line - 2 - before) for each in findings.broken if each.law.startswith("PCP")
    ]


def causes(findings: Findings, law: str, what: str) -> dict[str, int]:
    return {
        cause: count
        for (each, event, cause), count in findings.listing.items()
        if (each, event) == (law, what)
    }
