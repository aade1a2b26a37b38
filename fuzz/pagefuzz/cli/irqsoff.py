"""`pagefuzz irqsoff`: how long does each operation have interrupts off?"""

from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from pagefuzz.cli.options import Seed, new_seed
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.findings import make_ready
from pagefuzz.report import console
from pagespec.era import ERAS
from pagespec.machine import MAX_PAGES
from pagespec.types import MAX_TOP

if TYPE_CHECKING:
    from pagefuzz.irqsoff.sides import Side
    from pagefuzz.irqsoff.workload import Shape

WIDTH = 100
PAIR = ("2.6.37", "2.6.39")
"""Before and after the patch of 2011."""

COMPACTING = [name for name, era in ERAS.items() if era.compaction is not None]

LEAST_PAGES = 4096
LEAST_PAGEBLOCKS = 32
OF_THE_WORKLOAD = ("pages", "pageblock", "rounds", "seconds", "seed", "as_json", "plot")
"""The parameters that say nothing to the tables."""


@click.command()
@click.option("--era", "eras", type=click.Choice(list(ERAS)), multiple=True, help="Only these.")
@click.option(
    "--workload",
    is_flag=True,
    help=f"Run a workload instead, by default in {PAIR[0]} and {PAIR[1]}.",
)
@click.option(
    "--pages",
    type=click.IntRange(LEAST_PAGES, MAX_PAGES),
    default=2**19,
    show_default=True,
    help="How many frames of 4 KiB the workload's zone has.",
)
@click.option(
    "--pageblock",
    type=click.IntRange(1, MAX_TOP - 1),
    default=9,
    show_default=True,
    help="The order of pageblocks and of huge pages.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1_000_000),
    default=12,
    show_default=True,
    help="How many rounds are run; each gives one sample.",
)
@click.option(
    "--seconds",
    type=float,
    help="Begin no round after so many seconds of rounds.",
)
@click.option("--seed", type=Seed(), default=new_seed, help="Repeat the run with this seed.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON alone.")
@click.option(
    "--plot",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Draw the picture to this directory, as SVG and PNG.",
)
@click.pass_context
def command(
    context: click.Context,
    eras: tuple[str, ...],
    workload: bool,
    pages: int,
    pageblock: int,
    rounds: int,
    seconds: float | None,
    seed: int,
    as_json: bool,
    plot: Path | None,
) -> Exit:
    """Say how long each operation has interrupts off, in frames and list nodes visited.

    Per era: the bounds that the laws IRQ-window and CMP-window set, and what the worst case that is
    known comes to, on a zone of 2 GiB whose lists 128 CPUs keep.

    With --workload, memory that is nearly full is asked for huge pages, on the twin with a recorder
    of interrupts off; the report has the form of the thread of 2011, era beside era.

    Exit codes: 0 no bound is exceeded; 1 one is; 2 usage; 3 the workload never scanned.
    """
    if not workload:
        for name in OF_THE_WORKLOAD:
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT:
                option = "json" if name == "as_json" else name
                raise UsageError(f"--{option}: expected --workload with it")
        return _tables(eras or tuple(ERAS))
    from pagefuzz.irqsoff.workload import Shape

    if seconds is not None and not (isfinite(seconds) and seconds > 0):
        raise UsageError(f"--seconds {seconds}: expected a number above 0")
    if pages < LEAST_PAGEBLOCKS << pageblock:
        raise UsageError(
            f"--pages {pages}: expected {LEAST_PAGEBLOCKS << pageblock} or more, "
            f"{LEAST_PAGEBLOCKS} pageblocks of order {pageblock}"
        )
    chosen = tuple(dict.fromkeys(eras)) or PAIR
    for era in chosen:
        if era not in COMPACTING:
            raise UsageError(
                f"--era {era}: it compacts nothing; expected one of {', '.join(COMPACTING)}"
            )
    shape = Shape(pages, pageblock, seed)
    return _workload(shape, chosen, rounds, seconds, as_json, plot)


def _tables(eras: tuple[str, ...]) -> Exit:
    from pagefuzz.irqsoff import scanners, worst
    from pagefuzz.irqsoff.stretches import WORDS

    found, scanned = [], []
    with console.progress("irqsoff") as tell:
        for row in worst.rows(eras):
            found.append(row)
            tell(f"{row.era} {row.verb.value}")
        for scan in scanners.scan_rows(eras):
            scanned.append(scan)
            tell(f"{scan.era} {scan.scanner}")
    console.table("interrupts off", worst.COLUMNS, [worst.cells(row) for row in found])
    if scanned:
        rows = [scanners.cells(scan) for scan in scanned]
        console.table("interrupts off in compaction", scanners.COLUMNS, rows)
    judged = [
        *(("IRQ-window", row.verb.value, row.era, row.seen, row.bound, row.what) for row in found),
        *(
            ("CMP-window", WORDS[scan.scanner], scan.era, scan.seen, scan.bound, scan.what)
            for scan in scanned
        ),
    ]
    broken = [each for each in judged if each[3] > each[4]]
    for law, what, era, seen, most, where in broken:
        print(
            f"error: {law}: {what} of era {era} visited {seen} places, at most {most} are due: "
            f"{where}"
        )
    return Exit.BROKEN if broken else Exit.HELD


def _workload(
    shape: "Shape",
    eras: tuple[str, ...],
    rounds: int,
    seconds: float | None,
    as_json: bool,
    plot: Path | None,
) -> Exit:
    from pagefuzz.drift.files import check_replaceable, write_all
    from pagefuzz.irqsoff import picture, tables
    from pagefuzz.irqsoff.recording import Recording
    from pagefuzz.irqsoff.sides import breaches, run_sides

    if plot is not None:
        make_ready(plot, "--plot", "pictures")
        check_replaceable(plot, picture.FILES)
    if not as_json:
        console.seed(shape.seed)
    with console.progress("irqsoff") as tell:
        tell("loading the twin's kernels, which takes a while where they must be compiled first")
        sides = run_sides(shape, eras, Recording, rounds, seconds, tell)
    broken = breaches(sides)
    idle = [side.era for side in sides if not side.recorded.counts["free"]]
    idling = [f"the free scanner never had interrupts off in era {era}" for era in idle]
    written = [] if plot is None else write_all(plot, picture.draw(sides))
    if as_json:
        print(tables.json_of(shape, sides, broken + idling))
    else:
        _print(shape, sides, [*map(str, written)], broken + idling)
    if broken:
        return Exit.BROKEN
    return Exit.INCONCLUSIVE if idle else Exit.HELD


def _print(shape: "Shape", sides: "list[Side]", written: list[str], complaints: list[str]) -> None:
    from pagefuzz.irqsoff import tables

    for unit in ("visits", "us"):
        eras = [side.era for side in sides]
        console.table(f"sampled, in {unit}", eras, tables.beside(sides, unit))
    console.table("recorded", tables.HEADS, map(tables.cells, tables.rows_of(sides)))
    for paragraph in tables.said(shape, sides):
        print(f"\n{fill(paragraph, WIDTH)}")
    if written:
        print("\n".join(["", *written]))
    for complaint in complaints:
        print(f"error: {complaint}")
    console.seed(shape.seed)
