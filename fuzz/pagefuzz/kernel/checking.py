"""Checking one run from its files to its report."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pagefuzz.errors import UsageError
from pagefuzz.kernel.counting import Wakes, judge_run, watched
from pagefuzz.kernel.era import LOGGED, STEALING, TraceEra, era_beside
from pagefuzz.kernel.files import STDIN, beside, numbered_lines
from pagefuzz.kernel.findings import Report
from pagefuzz.kernel.loss import judge_loss
from pagefuzz.kernel.replay import replay_all
from pagefuzz.kernel.snapshots import Snapshots, load
from pagefuzz.kernel.state import replay_with
from pagefuzz.kernel.tracefs import Event, Preamble, events
from pagefuzz.report.console import Tell

_PROGRESS_LINES = 20_000


def check_run(
    trace: Path | str,
    snapshots: Path | str | None = None,
    stats: Path | str | None = None,
    tell: Tell = lambda _: None,
) -> Report:
    """Replay a kernel's trace and report which laws it keeps.

    Snapshots and counters are looked for beside the trace when not given. Without a `version` file
    there either, the release's rules are tried out. UsageError says what cannot be read.
    """
    path = str(trace)
    taken = load(path, None if snapshots is None else str(snapshots))
    preamble = Preamble()
    lines = numbered_lines(path)
    found = _told(events(lines, preamble), path, tell)
    era = era_beside(path)
    counters = str(stats) if stats is not None else _stats_beside(path)
    if era is not None:
        return _report(path, era, era.name, found, preamble, taken, counters)
    kept = list(found)
    strict, loose = (
        _report(path, each, f"{each.name}, by its events", kept, preamble, taken, counters)
        for each in (STEALING, LOGGED)
    )
    if len(strict.findings.broken) == len(loose.findings.broken):
        return replace(strict, era=f"{LOGGED.name} or {STEALING.name}, by its events")
    return min(strict, loose, key=lambda report: len(report.findings.broken))


def _report(
    path: str,
    era: TraceEra,
    era_name: str,
    found: Iterator[Event] | list[Event],
    preamble: Preamble,
    taken: Snapshots,
    counters: str | None,
) -> Report:
    exact, wakes = taken.exact, Wakes()
    replay = replay_with(path, era, *exact.values())
    kinds = replay_all(replay, watched(found, wakes), exact)
    if not kinds:
        raise UsageError(
            f"{path}: expected events of tracefs' trace file, or lines of /proc/zoneinfo, got none"
        )
    if exact and not replay.started:
        raise UsageError(
            f"{path}: expected a marker 'SNAP NAME end' for one of {', '.join(exact)}, got none"
        )
    judge_run(replay.findings, taken.readings, wakes)
    loss, noise = judge_loss(preamble, counters), tuple(preamble.noise)
    return Report(path, taken.place, era_name, dict(kinds), noise, loss, replay.findings)


def _told(found: Iterator[Event], path: str, tell: Tell) -> Iterator[Event]:
    for number, event in enumerate(found):
        if number % _PROGRESS_LINES == 0:
            tell(f"{path}: line {event.line}")
        yield event


def _stats_beside(path: str) -> str | None:
    if path == STDIN:
        return None
    found = beside(path, "trace-stats.txt")
    return str(found) if found else None
