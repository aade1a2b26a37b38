"""Runs of compaction as their events tell them, and whether these come in the scanners' order.

A run begins and ends once. In between it asks whether it is finished, lets the migration scanner
isolate what is to be moved, moves it, and asks again; free pages are isolated only while it moves.
Source: mm/compaction.c (compact_zone, kcompactd) of 6.1 and 6.12; docs/traces.md.
"""

from pagefuzz.kernel import compaction_ends, compaction_ranges
from pagefuzz.kernel import findings as law
from pagefuzz.kernel.compaction_run import (
    ALL,
    BEGIN,
    END,
    FAST,
    FINISHED,
    FREE,
    MIGRATE,
    MOVED,
    SLEEP,
    SUITABLE,
    WAKE,
    Run,
    expect,
)
from pagefuzz.kernel.state import Replay
from pagefuzz.kernel.tracefs import Event, number_in
from pagespec.frames import SIZES

_STEPS = (BEGIN, FINISHED, MIGRATE, FREE, FAST, MOVED, END)
_AFTER: dict[str, tuple[str, ...]] = {
    BEGIN: (FINISHED,),
    FINISHED: (FINISHED, MIGRATE, END),
    MIGRATE: (FINISHED, FREE, FAST, MOVED, END),
    FREE: (FREE, FAST, MOVED),
    FAST: (FREE, FAST, MOVED),
    MOVED: (FINISHED, MIGRATE, END),
}
"""What may follow each step of a run. After a move that failed the scanner may go on at once."""


def note(replay: Replay, event: Event, order: int) -> None:
    """Note what a task does beside compacting: a block freed, or allocated."""
    known = replay.compactions
    if event.in_interrupt:
        return
    if event.kind == "mm_page_alloc":
        known.served.add(event.task)
    elif event.kind == "mm_page_free" and (run := known.runs.get(event.task)):
        run.given += SIZES[order]


def hear(replay: Replay, event: Event) -> None:
    """Judge an event of compaction, where the release's rules are known."""
    if replay.era.scans is None:
        return
    if event.kind in _STEPS:
        _step(replay, event)
    elif event.kind == SUITABLE:
        replay.compactions.weighed[event.task] = compaction_ends.weigh(replay, event)
    elif event.kind in (WAKE, SLEEP):
        _turn(replay, event)


def _turn(replay: Replay, event: Event) -> None:
    awake = replay.compactions.awake
    if event.kind == SLEEP:
        awake[event.task] = None
        return
    expect(
        replay.findings,
        event,
        law.CMP_STEPS,
        awake.get(event.task) is None,
        "expected kcompactd to have slept before it wakes",
    )
    awake[event.task] = number_in(event, replay.path, "order")


def _expect_woken(replay: Replay, event: Event, run: Run) -> None:
    """A kcompactd runs for the order that it was woken for, or unasked over all of the zone."""
    awake = replay.compactions.awake
    if run.step == BEGIN and event.task in awake:
        woken = awake[event.task]
        expect(
            replay.findings,
            event,
            law.CMP_STEPS,
            run.order == (ALL if woken is None else woken),
            f"expected kcompactd to run for order {woken or ALL}, got {run.order}",
        )


def _step(replay: Replay, event: Event) -> None:
    known = replay.compactions
    run = known.runs.get(event.task)
    if event.kind == BEGIN:
        known.early.discard(event.task)
        weighed = known.weighed.pop(event.task, "continue")
        expect(
            replay.findings,
            event,
            law.CMP_STEPS,
            run is None and weighed == "continue",
            "expected the task to compact nothing yet, and to have found it of use, got"
            f" {weighed}, {f'the run of line {run.line}' if run else 'no run'}",
        )
        known.runs[event.task] = compaction_ends.begin(replay, event)
        known.served.add(event.task)
        return
    if run is None:
        if event.task not in known.served:
            known.early.add(event.task)
        if event.task in known.early:
            replay.findings.passed[law.CMP_STEPS] += 1
            if event.kind == END:
                known.early.discard(event.task)
                known.served.add(event.task)
            return
        expect(replay.findings, event, law.CMP_STEPS, False, "expected a run under way, got none")
        return
    follows = event.kind in _AFTER[run.step] and (
        run.step != FINISHED or run.ret in ("continue", "no_suitable_page") or event.kind == END
    )
    expect(
        replay.findings,
        event,
        law.CMP_STEPS,
        follows,
        f"expected one of {', '.join(_AFTER[run.step])} after {run.step} {run.ret}",
    )
    if event.kind == FINISHED:
        compaction_ends.ask(replay, event, run)
        _expect_woken(replay, event, run)
    elif event.kind == MIGRATE:
        compaction_ranges.isolate_sources(replay, event, run)
    elif event.kind == FREE:
        compaction_ranges.isolate_targets(replay, event, run)
    elif event.kind == FAST:
        run.taken += number_in(event, replay.path, "nr_taken")
    elif event.kind == MOVED:
        compaction_ends.move(replay, event, run)
    else:
        compaction_ends.finish(replay, event, run)
        del known.runs[event.task]
    run.step = event.kind
