"""`pagefuzz replay`: is what was found still there?"""

import sys
from pathlib import Path

import click

from pagefuzz.cli.options import level_option, target_option
from pagefuzz.cli.traces import named, read_trace, trace_files
from pagefuzz.counters.replay import replay_counters
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.hosts.replay import replay_host
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.record import complaint_of
from pagefuzz.replay import Verdict, replay
from pagefuzz.report.words import counted
from pagefuzz.target.load import factory_of
from pagefuzz.target.protocol import Factory
from pagespec.host_trace import AnyTrace
from pagespec.laws.law import Level
from pagespec.trace import Trace, line_of
from pagespec.vmstat.trace import CounterTrace, counter_line_of


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@target_option
@level_option
def command(paths: tuple[Path, ...], target: str, level: Level) -> Exit:
    """Put saved traces, or all below a folder, to an allocator again.

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
                verdict = _replayed(trace, factory, level)
        except UsageError as error:
            print(f"ERROR   {error}", file=sys.stderr)
            codes.append(Exit.USAGE)
        else:
            print(_line(file, trace, verdict))
            codes.append(Exit.BROKEN if verdict.broken else Exit.HELD)
    return worst(codes)


def _replayed(trace: AnyTrace, factory: Factory, level: Level) -> Verdict:
    """Hosts and counters are judged at all levels at once: those who serve them are exact."""
    if isinstance(trace, Trace):
        return replay(trace, factory, level)
    if isinstance(trace, CounterTrace):
        return replay_counters(trace, counter_factory_of(factory))
    return replay_host(trace, host_factory_of(factory))


def _line(path: Path, trace: AnyTrace, verdict: Verdict) -> str:
    if verdict.broken is None:
        skipped = f", {len(verdict.skipped)} of them skipped" if verdict.skipped else ""
        word = "HELD" if trace.expect is None else "FIXED"
        return (
            f"{word:7} {path}: every law held in {counted(len(trace.requests), 'request')}{skipped}"
        )
    other = trace.expect not in (None, verdict.broken.law_id)
    expected = f"; expected {trace.expect}" if other else ""
    complaint = complaint_of(verdict.broken)
    return f"FAILED  {path}: {complaint} ({_place(trace, verdict)}{expected})"


def _place(trace: AnyTrace, verdict: Verdict) -> str:
    if verdict.step == 0:
        return "at boot"
    if verdict.step > len(trace.requests):
        return "when everything was given back"
    at = verdict.step - 1
    if isinstance(trace, CounterTrace):
        return f"at request {verdict.step}, {counter_line_of(trace.machine, trace.requests[at])}"
    return f"at request {verdict.step}, {line_of(trace.requests[at])}"
