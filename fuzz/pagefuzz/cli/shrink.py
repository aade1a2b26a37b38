"""`pagefuzz shrink`: the smallest trace that breaks the same law."""

from pathlib import Path

import click

from pagefuzz.cli.options import level_option, out_option, target_option
from pagefuzz.cli.traces import named, read_trace
from pagefuzz.compaction.shrink import shrink_compaction
from pagefuzz.compaction.under import compaction_factory_of
from pagefuzz.counters.shrink import shrink_counters
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.findings import keep, make_ready
from pagefuzz.hosts.shrink import shrink_host
from pagefuzz.hosts.under import host_factory_of
from pagefuzz.report import console
from pagefuzz.report.words import counted
from pagefuzz.schedule.shrink import shrink_trace
from pagefuzz.schedule.under import check_steps
from pagefuzz.shrink import shrink
from pagefuzz.slabs.shrink import shrink_slabs
from pagefuzz.slabs.under import slab_factory_of
from pagefuzz.target.load import factory_of
from pagespec.compaction.trace import CompactionTrace
from pagespec.host_trace import AnyTrace, any_text_of
from pagespec.laws.law import Level
from pagespec.schedule.trace import ScheduleTrace
from pagespec.slab.trace import SlabTrace
from pagespec.trace import Trace
from pagespec.vmstat.trace import CounterTrace


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@target_option
@level_option
@out_option
def command(path: Path, target: str, level: Level, out: Path) -> Exit:
    """Make a failing trace as small as it gets: requests, their parameters, the machine.

    Of a schedule also who works, and how often another goes on.

    Writes each smaller trace under --out as soon as it is found, prints the smallest, and ends with
    exit code 0; 2 if the trace breaks no law.
    """
    trace, factory = read_trace(path), factory_of(target)
    make_ready(out)
    with console.progress("shrink") as tell:

        def found(smaller: AnyTrace) -> None:
            keep(smaller, out / "raw")
            tell(f"{len(trace.requests)} -> {counted(len(smaller.requests), 'request')}")

        try:
            small: AnyTrace
            if isinstance(trace, Trace):
                small = shrink(trace, factory, level, found)
            elif isinstance(trace, ScheduleTrace):
                with named(path):
                    check_steps(factory)
                small = shrink_trace(trace, found)
            elif isinstance(trace, CounterTrace):
                with named(path):
                    counters = counter_factory_of(factory)
                small = shrink_counters(trace, counters, found)
            elif isinstance(trace, SlabTrace):
                with named(path):
                    slabs = slab_factory_of(factory)
                small = shrink_slabs(trace, slabs, found)
            elif isinstance(trace, CompactionTrace):
                with named(path):
                    compactions = compaction_factory_of(factory)
                small = shrink_compaction(trace, compactions, found)
            else:
                with named(path):
                    hosts = host_factory_of(factory)
                small = shrink_host(trace, hosts, found)
        except ValueError as error:
            raise UsageError(f"{path}: {error}") from None
    kept = keep(small, out)
    print(any_text_of(small), end="")
    requests = counted(len(small.requests), "request")
    print(f"{len(trace.requests)} -> {requests}, {small.expect}: {kept}")
    return Exit.HELD
