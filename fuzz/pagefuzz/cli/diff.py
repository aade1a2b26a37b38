"""`pagefuzz diff`: on which requests do two eras, or two allocators, part?"""

from math import isfinite
from pathlib import Path

import click

from pagefuzz.cli.options import Seed, new_seed
from pagefuzz.diff.comparing import Walked, Walks, search_all, tasks_of, walk_all
from pagefuzz.diff.difference import IGNORABLE, Aspect
from pagefuzz.diff.keeping import Keeping
from pagefuzz.diff.pair import pair_of
from pagefuzz.diff.report import report
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.findings import make_ready
from pagefuzz.report import console


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--era", metavar="ERA", help="The era of two targets.")
@click.option(
    "--machine",
    "machines",
    multiple=True,
    metavar="WORDS",
    help='As in a trace, without era: "pages=16 top=3 pageblock=2 types=M2U2"; repeatable.',
)
@click.option(
    "--bound",
    type=click.IntRange(min=0),
    help="Try all traces of up to so many requests; if not given, as many as suit each machine.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0),
    default=5.0,
    show_default=True,
    help="About how long to walk at random on larger machines afterwards.",
)
@click.option("--walks", type=click.IntRange(min=0), help="How many walks, whatever they take.")
@click.option("--seed", type=Seed(), default=new_seed, help="Repeat the walks of this seed.")
@click.option(
    "--ignore",
    "ignored",
    type=click.Choice(IGNORABLE),
    multiple=True,
    help="Look past a difference of this kind; repeatable.",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the shortest trace of each kind to this directory.",
)
def command(
    a: str,
    b: str,
    era: str | None,
    machines: tuple[str, ...],
    bound: int | None,
    seconds: float,
    walks: int | None,
    seed: int,
    ignored: tuple[Aspect, ...],
    out: Path | None,
) -> Exit:
    """Find the shortest traces on which two eras, or two allocators, part.

    A and B are two eras, or two targets (see `list targets`) with --era. Both get the same requests
    from boot on. They part where the answers, the lists, the pageblocks' types, the counts or, for
    eras, the tracepoints differ. Each kind of parting is shown by one shortest trace: by the law of
    one era that the other breaks, or "both allowed". First all short traces on small machines are
    tried, then random ones on larger machines.

    Exit codes: 0 no difference was found, within the bounds that are printed; 1 they part; 2 usage;
    4 the harness is not trustworthy; 130 interrupted, after the report of what was found by then.
    When several apply, the order is 4, 1, 2, 130, 3: one that had found a difference ends with 1.
    """
    if not isfinite(seconds):
        raise UsageError(f"--seconds {seconds}: expected a finite number")
    pair = pair_of(a, b, era)
    tasks = tasks_of(pair, machines, bound)
    keeping = None
    if out is not None:
        make_ready(out)
        keeping = Keeping(out)
    look_past, budget = frozenset(ignored), Walks(seed, seconds, walks)
    walked, codes = Walked(), []
    console.seed(seed)
    try:
        with console.progress("diff") as tell:
            search_all(tasks, look_past, tell, keeping)
            walk_all(pair, tasks, bool(machines), budget, walked, look_past, tell, keeping)
    except KeyboardInterrupt:
        click.echo("interrupted; the report is of what was tried and found by then", err=True)
        codes.append(Exit.INTERRUPTED)
    codes.append(Exit.BROKEN if report((a, b), tasks, walked, keeping) else Exit.HELD)
    console.seed(seed)
    return worst(codes)
