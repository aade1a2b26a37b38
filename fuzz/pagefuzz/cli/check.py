"""`pagefuzz check`: does a real kernel's trace keep the laws?"""

import click

from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.kernel.checking import check_run
from pagefuzz.kernel.files import begins_with
from pagefuzz.kernel.render import render
from pagefuzz.kernel.render_counts import render_files
from pagefuzz.kernel.zonefiles import check_files, is_zoneinfo
from pagefuzz.report import console

REQUESTS = b"pagefuzz-trace "
"""What traces of requests to an allocator begin with."""


@click.command()
@click.argument("trace", metavar="TRACE")
@click.option(
    "--snapshots",
    metavar="DIR_or_tar",
    help="Snapshots of the run; looked for beside the trace when not given.",
)
@click.option(
    "--stats",
    metavar="FILE",
    help="The per_cpu/*/stats files, joined; trace-stats.txt beside the trace when not given.",
)
def command(trace: str, snapshots: str | None, stats: str | None) -> Exit:
    """Ask whether a real kernel's trace, or what it counts, keeps the laws.

    TRACE is the text of tracefs' `trace` file, plain, .xz or .gz; `-` is standard input. The set of
    free frames is replayed from a snapshot, event by event, and compared with each later one; so
    are the lists that they are on, the pageblocks' types and the CPUs' own lists.

    TRACE may also be /proc/zoneinfo, a copy of it, or a directory with files of that name: then
    each zone's threshold of counters is explained, from CPUs and frames.

    Exit codes: 0 every law held; 1 a law broken; 2 bad input; 3 inconclusive, events were lost.
    """
    if begins_with(trace, REQUESTS):
        raise UsageError(
            f"{trace}: expected a real kernel's trace or zoneinfo, got a trace of requests, which "
            "`pagefuzz replay` puts to an allocator again"
        )
    if is_zoneinfo(trace):
        _refuse_options(snapshots, stats)
        files = check_files(trace)
        render_files(files)
        return files.exit
    with console.progress("check") as tell:
        report = check_run(trace, snapshots, stats, tell)
    render(report)
    return report.exit


def _refuse_options(snapshots: str | None, stats: str | None) -> None:
    for option, value in (("--snapshots", snapshots), ("--stats", stats)):
        if value is not None:
            raise UsageError(f"{option} {value}: expected a trace with it, got files of zoneinfo")
