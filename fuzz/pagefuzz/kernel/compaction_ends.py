"""How a run of compaction begins and ends: its positions, its result, and what it gives back.

Source: mm/compaction.c (compact_zone, __compact_finished, release_freepages) of 6.1 and 6.12.
"""

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.compaction_run import ALL, FINISHED, Run, expect
from pagefuzz.kernel.places import BUDDY, is_all
from pagefuzz.kernel.state import Replay
from pagefuzz.kernel.tracefs import Event, number_in, type_number_in, word_in
from pagespec.frames import SIZES, head_of

_GOES_ON = ("continue", "no_suitable_page")
_MET = ("complete", "partial_skipped")
_CUT_SHORT = ("contended", "success")
"""How a run ends without asking whether it is finished: given up, or with a captured block."""


def begin(replay: Replay, event: Event) -> Run:
    """Judge the positions that a run begins with."""
    first, migrate, free, end = (
        number_in(event, replay.path, key)
        for key in ("zone_start", "migrate_pfn", "free_pfn", "zone_end")
    )
    zones = {(zone.first, zone.end) for zone in replay.zones} or {(first, end)}
    size = SIZES[replay.huge]
    expect(
        replay.findings,
        event,
        law.CMP_RANGE,
        (first, end) in zones
        and first <= migrate < end
        and first <= free < end
        and all(at == first or at % size == 0 for at in (migrate, free)),
        f"expected a zone, and both scanners in it where pageblocks begin, got {first:#x} ~"
        f" {end:#x}, migrate_pfn {migrate:#x}, free_pfn {free:#x}",
    )
    mode = word_in(event, replay.path, "mode")
    run = Run(event.task, event.line, first, end, (migrate, free), mode)
    run.migrate, run.below, run.stride = migrate, free + 1, run.widest
    return run


def weigh(replay: Replay, event: Event) -> str:
    """Judge a verdict on whether a zone is worth compacting, and return it."""
    ret = word_in(event, replay.path, "ret")
    _expect_block(replay, event, ret)
    return ret


def _expect_block(replay: Replay, event: Event, ret: str) -> None:
    """Where there is no use in compacting any more, the zone has a free block of the order."""
    order = type_number_in(event, replay.path, "order")
    name = number_in(event, replay.path, "node"), word_in(event, replay.path, "zone")
    zone = next((zone for zone in replay.zones if zone.name == name), None)
    if ret != "success" or order < 0 or not replay.started or zone is None:
        return
    expect(
        replay.findings,
        event,
        law.CMP_RESULT,
        any(
            is_all(replay.places, pfn, order, BUDDY)
            for pfn in range(head_of(zone.first - 1, order) + SIZES[order], zone.end, SIZES[order])
        ),
        f"expected a free block of order {order} in {zone}, got none",
    )


def ask(replay: Replay, event: Event, run: Run) -> None:
    """Judge the answer to whether a run is finished."""
    order = type_number_in(event, replay.path, "order")
    run.ret = word_in(event, replay.path, "ret")
    if run.order is None:
        run.order = order
        whole = (run.first, max(run.first, head_of(run.end - 1, replay.huge)))
        if order == ALL:
            expect(
                replay.findings,
                event,
                law.CMP_RANGE,
                run.began == whole,
                f"expected the run over all of the zone to begin at {whole[0]:#x} and"
                f" {whole[1]:#x}, got {run.began[0]:#x} and {run.began[1]:#x}",
            )
    names = {zone.name for zone in replay.zones if (zone.first, zone.end) == (run.first, run.end)}
    found = number_in(event, replay.path, "node"), word_in(event, replay.path, "zone")
    wants = run.order != ALL
    expect(
        replay.findings,
        event,
        law.CMP_RESULT,
        order == run.order
        and (not names or found in names)
        and run.ret in (*_GOES_ON, *_MET, *_CUT_SHORT)
        and (wants or run.ret not in ("no_suitable_page", "success") or run.is_proactive),
        f"expected an answer for order {run.order} and the zone of line {run.line}, got node"
        f" {found[0]} zone {found[1]} order {order} ret {run.ret}",
    )
    _expect_block(replay, event, run.ret)
    run.given = 0


def finish(replay: Replay, event: Event, run: Run) -> None:
    """Judge how a run ends."""
    first, migrate, free, end = (
        number_in(event, replay.path, key)
        for key in ("zone_start", "migrate_pfn", "free_pfn", "zone_end")
    )
    mode, status = (word_in(event, replay.path, key) for key in ("mode", "status"))
    linear = run.order == ALL
    expect(
        replay.findings,
        event,
        law.CMP_RANGE,
        (first, end, mode) == (run.first, run.end, run.mode)
        and (not linear or (migrate >= run.migrate and free <= (run.resume or run.below))),
        f"expected zone {run.first:#x} ~ {run.end:#x}, mode {run.mode}, and the scanners beyond"
        f" {run.migrate:#x} and {run.resume or run.below:#x}, got {first:#x} ~ {end:#x}, mode"
        f" {mode}, {migrate:#x} and {free:#x}",
    )
    asked = run.step == FINISHED
    met = free >> replay.huge <= migrate >> replay.huge
    goes_on = not asked or run.ret in _GOES_ON
    right = status in _CUT_SHORT if goes_on else status == run.ret
    if asked and not goes_on and not (run.is_proactive and status == "partial_skipped"):
        right = right and met == (status in _MET)
        right = right and (not linear or status != "partial_skipped")
    expect(
        replay.findings,
        event,
        law.CMP_RESULT,
        right,
        f"expected the result that the scanners at {migrate:#x} and {free:#x} give after"
        f" {run.ret or 'no answer'}, got status {status}",
    )
    _expect_given_back(replay, event, run)


def move(replay: Replay, event: Event, run: Run) -> None:
    """Judge that what was isolated was moved or failed to."""
    moved, failed = (number_in(event, replay.path, key) for key in ("nr_migrated", "nr_failed"))
    expect(
        replay.findings,
        event,
        law.CMP_UNDO,
        moved + failed == run.wanted,
        f"expected {run.wanted} frames to be moved or put back, got {moved} and {failed}",
    )
    run.moved += moved
    run.wanted = 0


def _expect_given_back(replay: Replay, event: Event, run: Run) -> None:
    """What was isolated as a target and not used is freed between the last answer and the end."""
    if run.step != FINISHED or (replay.era.silent_isolation and run.order != ALL):
        replay.findings.passed[law.CMP_UNDO] += 1
        return
    left = run.taken - run.moved
    expect(
        replay.findings,
        event,
        law.CMP_UNDO,
        run.given == left,
        f"expected the {left} free frames that nothing was moved to back, got {run.given} freed",
    )
