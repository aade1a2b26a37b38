"""`pagefuzz replay`: is what was found still there?"""

import sys
from pathlib import Path
from typing import NamedTuple

import click

from pagefuzz.cli.options import level_option, target_option
from pagefuzz.cli.traces import named, read_trace, trace_files
from pagefuzz.compaction.replay import replay_compaction
from pagefuzz.compaction.under import compaction_factory_of
from pagefuzz.counters.replay import replay_counters
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.record import complaint_of
from pagefuzz.replay import Verdict, replay
from pagefuzz.report.words import counted
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.under import check_steps
from pagefuzz.slabs.replay import replay_slabs
from pagefuzz.slabs.under import slab_factory_of
from pagefuzz.target.load import factory_of
from pagefuzz.target.protocol import Factory
from pagespec.compaction.trace import CompactionTrace, compaction_line_of
from pagespec.host_trace import AnyTrace, HostTrace
from pagespec.laws.law import LawBroken, Level
from pagespec.schedule.trace import ScheduleTrace
from pagespec.slab.trace import SlabTrace, slab_line_of
from pagespec.trace import Trace, line_of
from pagespec.vmstat.trace import CounterTrace, counter_line_of


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@target_option
@level_option
def command(paths: tuple[Path, ...], target: str, level: Level) -> Exit:
    """Put saved traces, or all below a folder, to an allocator again.

    A trace of who comes between whom is followed step by step through the spec, whose steps it is
    of.

    HELD or FIXED: every law held, now or again. FAILED: a law broke. ERROR, on stderr: not a
    trace, or a machine that the target does not take. Exit codes: 0 all held; 1 one failed; 2 one
    is in error.
    """
    factory = factory_of(target)
    files = [file for path in paths for file in trace_files(path)]
    codes = []
    for file in files:
        try:
            trace = read_trace(file)
            with named(file):
                came = _replayed(trace, factory, level)
        except UsageError as error:
            print(f"ERROR   {error}", file=sys.stderr)
            codes.append(Exit.USAGE)
        else:
            print(_line(file, trace.expect, came))
            codes.append(Exit.BROKEN if came.broken else Exit.HELD)
    return worst(codes)


class Came(NamedTuple):
    """What came of a trace. done: what was done, in words. place: where the law broke, in words."""

    broken: LawBroken | None
    done: str
    place: str


def _replayed(trace: AnyTrace, factory: Factory, level: Level) -> Came:
    """Only zones are judged at a level: those who serve any other kind are exact."""
    if isinstance(trace, ScheduleTrace):
        return _followed(trace, factory)
    if isinstance(trace, Trace):
        verdict = replay(trace, factory, level)
    elif isinstance(trace, CounterTrace):
        verdict = replay_counters(trace, counter_factory_of(factory))
    elif isinstance(trace, SlabTrace):
        verdict = replay_slabs(trace, slab_factory_of(factory))
    elif isinstance(trace, CompactionTrace):
        verdict = replay_compaction(trace, compaction_factory_of(factory))
    else:
        verdict = replay_host(trace, host_factory_of(factory))
    skipped = f", {len(verdict.skipped)} of them skipped" if verdict.skipped else ""
    done = f"{counted(len(trace.requests), 'request')}{skipped}"
    return Came(verdict.broken, done, _place(trace, verdict))


def _followed(trace: ScheduleTrace, factory: Factory) -> Came:
    check_steps(factory)
    followed = follow(trace.scenario, trace.schedule)
    steps = len(followed.taken)
    done = f"{counted(steps, 'step')} of {counted(len(trace.scenario.roles), 'context')}"
    place = f"at step {steps}, of context {followed.taken[-1].context}" if steps else ""
    return Came(followed.broken, done, place)


def _line(path: Path, expect: str | None, came: Came) -> str:
    if came.broken is None:
        word = "HELD" if expect is None else "FIXED"
        return f"{word:7} {path}: every law held in {came.done}"
    other = expect not in (None, came.broken.law_id)
    expected = f"; expected {expect}" if other else ""
    return f"FAILED  {path}: {complaint_of(came.broken)} ({came.place}{expected})"


def _place(
    trace: Trace | HostTrace | CounterTrace | SlabTrace | CompactionTrace, verdict: Verdict
) -> str:
    if verdict.step == 0:
        return "at boot"
    if verdict.step > len(trace.requests):
        return "when everything was given back"
    at = verdict.step - 1
    if isinstance(trace, CounterTrace):
        return f"at request {verdict.step}, {counter_line_of(trace.machine, trace.requests[at])}"
    if isinstance(trace, SlabTrace):
        return f"at request {verdict.step}, {slab_line_of(trace.requests[at])}"
    if isinstance(trace, CompactionTrace):
        return f"at request {verdict.step}, {compaction_line_of(trace.requests[at])}"
    return f"at request {verdict.step}, {line_of(trace.requests[at])}"
