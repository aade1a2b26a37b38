"""Meeting a snapshot: the replayed free set against the kernel's, frame by frame.

A difference needs a cause. The replay then continues from the kernel's set, with each claimed frame
in the hands of its cause: what a cause holds must come back by a free, or stay away for good.
"""

from collections import Counter

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.bypass import CAUSE as BYPASS
from pagefuzz.kernel.findings import Comparison
from pagefuzz.kernel.maximal import maximal_or_why
from pagefuzz.kernel.places import BUDDY, FREED, LIVE, NAMES, REFILLED, UNKNOWN, Places, put
from pagefuzz.kernel.snapshots import Snapshot
from pagefuzz.kernel.state import Replay, hold, log
from pagefuzz.kernel.tracefs import Event
from pagefuzz.report.words import counted
from pagespec.frames import SIZES, runs_of

RACE = "changed while it was read"

_CHUNK = 4096  # frames compared at once
_FREE_ONLY = bytes(int(place == BUDDY) for place in range(256))
_SHOWN = 4  # runs named in a sentence


def open_window(replay: Replay, event: Event) -> None:
    """Note that a snapshot begins to be read: from here its parts may differ in time."""
    replay.window = []
    replay.window_line = event.line


def meet(replay: Replay, event: Event, snapshot: Snapshot) -> None:
    """Compare the replay with a snapshot just read, note the outcome, and continue from it."""
    if replay.window is None:  # no begin marker: take it as read at this instant
        open_window(replay, event)
    kernel = free_frames(snapshot, len(replay.places))
    replay.places.extend(bytes(len(kernel) - len(replay.places)))
    if replay.started:
        explained, unexplained = _explain(replay, kernel)
    else:
        explained, unexplained = None, _start(replay, kernel)
    if unexplained:
        _complain(replay, event, snapshot, unexplained)
    replay.started = True
    changes = sorted(replay.window or (), key=lambda change: change.line)
    maximal = maximal_or_why(replay, event, snapshot, kernel, changes)
    replay.findings.comparisons.append(
        Comparison(snapshot.name, event.line, explained, len(unexplained), maximal)
    )
    replay.ledger.settle(replay.window_line)
    replay.fresh.clear()
    replay.window = None


def free_frames(snapshot: Snapshot, frames: int) -> Places:
    """Return a snapshot's free frames as bytes of 0 and 1, at least so many."""
    end = max([frames, *(run_end for _, run_end in snapshot.runs)])
    kernel = bytearray(end)
    for first, run_end in snapshot.runs:
        kernel[first:run_end] = bytes([BUDDY]) * (run_end - first)
    return kernel


def _start(replay: Replay, kernel: Places) -> dict[int, int]:
    touched = _touched(replay)
    contradicting: dict[int, int] = {}
    for frame in _differing(bytearray(len(kernel)), kernel):
        if replay.places[frame] == LIVE and frame not in touched:
            contradicting[frame] = LIVE
        if replay.places[frame] != LIVE:
            replay.places[frame] = BUDDY
    for change in replay.window or ():
        if not change.entered and replay.places[change.pfn] == BUDDY:
            put(replay.places, change.pfn, change.order, REFILLED)
        elif change.entered and replay.places[change.pfn] == FREED:
            put(replay.places, change.pfn, change.order, BUDDY)
    return contradicting


def _explain(replay: Replay, kernel: Places) -> tuple[dict[str, int], dict[int, int]]:
    unexplained: dict[int, int] = {}
    # What an event's count pinned down is already out of the replayed set; here it is confirmed.
    confirmed = (frame for frame in replay.fresh if frame in replay.held and not kernel[frame])
    explained = Counter(replay.held[frame] for frame in confirmed)
    touched = _touched(replay)
    for frame in _differing(replay.places.translate(_FREE_ONLY), kernel):
        place = replay.places[frame]
        if frame in touched:
            cause: str | None = RACE  # its events are all known: the replay is right at the end
            replay.findings.tally(RACE).claimed += 1
        elif place == BUDDY:
            cause = _isolated(replay, frame)
        else:
            cause = _bypassed(replay, frame)
        if cause is None:
            unexplained[frame] = place
        else:
            explained[cause] += 1
    return dict(explained), unexplained


def _isolated(replay: Replay, frame: int) -> str | None:
    replay.places[frame] = UNKNOWN
    claim = replay.ledger.claim(frame, silent=replay.era.silent_isolation)
    if claim is None:
        return None
    hold(replay, frame, claim.cause)
    if claim.line >= replay.window_line:
        log(replay, claim.line, frame, 0, entered=False)
    return claim.cause


def _bypassed(replay: Replay, frame: int) -> str | None:
    believed = replay.places[frame] == FREED and replay.frees.may_bypass(frame)
    replay.places[frame] = BUDDY
    if not believed:
        return None
    replay.findings.tally(BYPASS).claimed += 1
    return BYPASS


def _touched(replay: Replay) -> set[int]:
    return {
        frame
        for change in replay.window or ()
        for frame in range(change.pfn, change.pfn + SIZES[change.order])
    }


def _differing(ours: Places, kernel: Places) -> list[int]:
    return [
        frame
        for chunk in range(0, len(kernel), _CHUNK)
        if ours[chunk : chunk + _CHUNK] != kernel[chunk : chunk + _CHUNK]
        for frame in range(chunk, min(chunk + _CHUNK, len(kernel)))
        if ours[frame] != kernel[frame]
    ]


def _complain(
    replay: Replay, event: Event, snapshot: Snapshot, unexplained: dict[int, int]
) -> None:
    for place in sorted(set(unexplained.values())):
        frames = [frame for frame, was in unexplained.items() if was == place]
        runs = [f"{first:#x}+{end - first}" for first, end in runs_of(frames)]
        shown = ", ".join(runs[:_SHOWN]) + (", ..." if len(runs) > _SHOWN else "")
        verb = "is" if len(frames) == 1 else "are"
        is_free = f"{verb} not free" if place == BUDDY else f"{verb} free"
        replay.findings.breach(
            event.line,
            law.PARTITION,
            f"snapshot {snapshot.name}: {counted(len(frames), 'frame')} that the events leave"
            f" {NAMES[place]}"
            f" {is_free} in the kernel, without a cause: {shown}.",
        )
