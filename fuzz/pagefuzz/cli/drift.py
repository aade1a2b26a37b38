"""`pagefuzz drift`: what do CPUs keep back of a machine's counters, and what does that buy?"""

import re
from pathlib import Path
from textwrap import fill

import click

from pagefuzz.drift.answers import machine_line
from pagefuzz.drift.machine import PAGES_A_GIB, PAGES_A_MIB, REVIEWED, asked
from pagefuzz.drift.page import answers_of, tables_of
from pagefuzz.exits import Exit
from pagefuzz.findings import make_ready
from pagefuzz.report import console
from pagespec.machine import MAX_CPUS
from pagespec.vmstat.machine import CountedZone
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName

ERA, CPUS, ZONES = REVIEWED
SIZES = {"": 1, "M": PAGES_A_MIB, "G": PAGES_A_GIB}
ALL = "all"
WIDTH = 100


class Zone(click.ParamType[CountedZone]):
    """A zone as SIZE or SIZE@NODE."""

    name = "size"

    def convert(
        self, value: str | CountedZone, param: click.Parameter | None, ctx: click.Context | None
    ) -> CountedZone:
        """Read the zone, or say in a sentence what is wrong with it."""
        if isinstance(value, CountedZone):
            return value
        read = re.fullmatch(r"(\d{1,12})([GM]?)(?:@(\d{1,4}))?", value)
        if read is None:
            self.fail(
                f"{value!r} is no zone; expected 31G, 512M or a number of pages of 4 KiB, and its "
                "node after an @ if it is not 0, as in 31G@1"
            )
        return CountedZone(int(read[3] or 0), int(read[1]) * SIZES[read[2]])


@click.command()
@click.option("--cpus", type=click.IntRange(1, MAX_CPUS), default=CPUS, show_default=True)
@click.option(
    "--zone",
    "zones",
    type=Zone(),
    multiple=True,
    default=ZONES,
    metavar="SIZE[@NODE]",
    help="A zone's memory: 31G, 512M or pages of 4 KiB; repeatable.  [default: 31G, 31G@1]",
)
@click.option("--era", default=ERA, show_default=True, help="Whose rules marks follow.")
@click.option(
    "--design",
    type=click.Choice((*NUMA_DESIGNS, ALL)),
    default=ALL,
    show_default=True,
    help="The NUMA counters to compare.",
)
@click.option(
    "--min-free",
    type=click.IntRange(0, 2**32 - 1),
    metavar="KiB",
    help="min_free_kbytes; the kernel's own choice if not given.",
)
@click.option(
    "--plot",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Draw the pictures to this directory, as SVG and PNG.",
)
def command(
    cpus: int,
    zones: tuple[CountedZone, ...],
    era: str,
    design: NumaName | str,
    min_free: int | None,
    plot: Path | None,
) -> Exit:
    """Show what CPUs keep back of a machine's counters, and how often they tell.

    A larger threshold makes a counter cheaper and further from the truth. This puts numbers to both
    for one machine, by default that of the review of December 2017, and answers its two questions:
    why can't all counters behave the same, and does the normal threshold scale for larger machines?
    """
    machine = asked(era, cpus, zones, min_free)
    if plot is not None:
        make_ready(plot, "--plot", "pictures")
    designs = tuple(name for name in NUMA_DESIGNS if design in (name, ALL))
    print(f"{fill(machine_line(machine), WIDTH)}\n")
    for table in tables_of(machine, designs).values():
        console.table(*table)
        print()
    print("\n\n".join(fill(answer, WIDTH) for answer in answers_of(machine, designs)))
    if plot is not None:
        # Only now, because matplotlib takes a second to import.
        from pagefuzz.drift.pictures import draw_all

        print("\n".join(["", *map(str, draw_all(machine, plot))]))
    return Exit.HELD
