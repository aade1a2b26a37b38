"""`pagefuzz drift`: what do CPUs keep back of a machine's counters, and what does that buy?"""

import re
from pathlib import Path
from textwrap import fill

import click

from pagefuzz.cli.options import Folder
from pagefuzz.drift.answers import machine_line, note_on_marks
from pagefuzz.drift.files import check_replaceable, write_all
from pagefuzz.drift.machine import (
    MOST_KBYTES,
    PAGES_A_GIB,
    PAGES_A_MIB,
    PAGES_A_TIB,
    REVIEWED,
    asked,
    check_zone,
    counting_era,
)
from pagefuzz.drift.page import answers_of, tables_of
from pagefuzz.drift.pictures import FILES, draw_all
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.findings import make_ready
from pagefuzz.report import console
from pagespec.machine import MAX_CPUS
from pagespec.types import DomainError
from pagespec.vmstat.machine import MAX_ZONES, CountedZone
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName

ERA, CPUS, ZONES = REVIEWED
SIZES = {"": 1, "M": PAGES_A_MIB, "G": PAGES_A_GIB, "T": PAGES_A_TIB}
KBYTES_A_PAGE = 4
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
        read = re.fullmatch("([0-9]{1,15})([KMGT]?)(?:@([0-9]{1,4}))?", value, re.IGNORECASE)
        if read is None:
            self.fail(
                f"{value!r} is no zone; expected a whole number of K, M, G or T, or of pages of "
                "4 KiB without a letter, and its node after an @ if it is not 0, as in 31G@1"
            )
        number, unit = int(read[1]), read[2].upper()
        if unit == "K" and number % KBYTES_A_PAGE:
            self.fail(f"{value!r} is no zone; expected whole pages, a multiple of 4K")
        pages = number // KBYTES_A_PAGE if unit == "K" else number * SIZES[unit]
        zone = CountedZone(int(read[3] or 0), pages)
        try:
            check_zone(zone)
        except UsageError as error:
            self.fail(str(error))
        return zone


class Number(click.ParamType[int]):
    """A whole number of something, from the least to the most."""

    name = "number"

    def __init__(self, what: str, least: int, most: int) -> None:
        self.what, self.least, self.most = what, least, most

    def convert(
        self, value: str | int, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Read the number, or say in a sentence what is wrong with it."""
        text = str(value)
        if not re.fullmatch("[0-9]{1,15}", text) or not self.least <= int(text) <= self.most:
            self.fail(f"{text!r} is no number of {self.what}; expected {self.least} to {self.most}")
        return int(text)


class EraName(click.ParamType[str]):
    """The name of an era that counts by cells."""

    name = "era"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take the name, or say in a sentence what is wrong with it."""
        try:
            counting_era(value)
        except (UsageError, DomainError) as error:
            self.fail(str(error))
        return value


def _not_too_many(
    _: click.Context, __: click.Parameter, zones: tuple[CountedZone, ...]
) -> tuple[CountedZone, ...]:
    if len(zones) > MAX_ZONES:
        raise click.BadParameter(f"{len(zones)} zones: expected 1 to {MAX_ZONES}")
    return zones


@click.command()
@click.option(
    "--cpus",
    type=Number("CPUs", 1, MAX_CPUS),
    default=CPUS,
    show_default=True,
    help=f"How many CPUs count, 1 to {MAX_CPUS}.",
)
@click.option(
    "--zone",
    "zones",
    type=Zone(),
    multiple=True,
    default=ZONES,
    callback=_not_too_many,
    metavar="SIZE[@NODE]",
    help="A zone's memory: a whole number of K, M, G or T, or of pages of 4 KiB; repeatable.  "
    "[default: 31G, 31G@1]",
)
@click.option(
    "--era", type=EraName(), default=ERA, show_default=True, help="Whose rules marks follow."
)
@click.option(
    "--design",
    type=click.Choice((*NUMA_DESIGNS, ALL)),
    default=ALL,
    show_default=True,
    help="The NUMA counters to compare.",
)
@click.option(
    "--min-free",
    type=Number("KiB", 0, MOST_KBYTES),
    metavar="KiB",
    help="min_free_kbytes; the kernel's own choice if not given.",
)
@click.option(
    "--plot",
    type=Folder(file_okay=False, path_type=Path),
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
        check_replaceable(plot, FILES)
    designs = tuple(name for name in NUMA_DESIGNS if design in (name, ALL))
    for line in filter(None, (machine_line(machine), note_on_marks(machine))):
        print(f"{fill(line, WIDTH)}\n")
    for table in tables_of(machine, designs).values():
        console.table(*table)
        print()
    print("\n\n".join(fill(answer, WIDTH) for answer in answers_of(machine, designs)))
    if plot is not None:
        with console.progress("drift") as tell:
            pictures = draw_all(machine, tell)
        print("\n".join(["", *map(str, write_all(plot, pictures))]))
    return Exit.HELD
