"""The guide page's tables, answers and pictures: of the machine of the review."""

from pathlib import Path

from pagefuzz.drift import tables
from pagefuzz.drift.answers import NOT_SHOWN, does_it_scale, machine_line, why_not_alike
from pagefuzz.drift.designs import design_row
from pagefuzz.drift.figures import cpu_rows, threshold_rows, with_own, zone_row
from pagefuzz.drift.files import write_all
from pagefuzz.drift.machine import REVIEWED, Asked, asked
from pagefuzz.drift.tables import Table
from pagefuzz.report import markdown
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName

TABLES = ("marks", "drift", "thresholds", "cpus", "designs")
"""What the tables are about, in the order of reading."""


def tables_of(machine: Asked, designs: tuple[NumaName, ...]) -> dict[str, Table]:
    """Every table of a machine, as TABLES names them."""
    rows = [zone_row(machine, zone) for zone in machine.zones]
    counts = with_own(machine)
    return {
        "marks": tables.zones_table(rows),
        "drift": tables.drift_table(rows),
        "thresholds": tables.thresholds_table(machine, threshold_rows(machine, designs)),
        "cpus": tables.cpus_table([*zip(counts, cpu_rows(machine, counts), strict=True)]),
        "designs": tables.designs_table(machine, [design_row(machine, name) for name in designs]),
    }


def answers_of(machine: Asked, designs: tuple[NumaName, ...]) -> tuple[str, ...]:
    """The two answers, and what they leave out, as paragraphs."""
    return why_not_alike(machine, designs), does_it_scale(machine), NOT_SHOWN


def machine_markdown() -> str:
    """The machine of the review."""
    return f"{machine_line(asked(*REVIEWED))}.\n"


def answers_markdown() -> str:
    """Both answers for that machine."""
    return "\n\n".join(answers_of(asked(*REVIEWED), tuple(NUMA_DESIGNS)))


def table_markdown(name: str) -> str:
    """One of its tables."""
    title, heads, rows = tables_of(asked(*REVIEWED), tuple(NUMA_DESIGNS))[name]
    whole = [head.replace("\n", " ") for head in heads]
    return f"{title[0].upper()}{title[1:]}:\n\n{markdown.table(whole, rows)}"


def draw(folder: Path) -> list[Path]:
    """Its pictures."""
    from pagefuzz.drift.pictures import draw_all

    return write_all(folder, draw_all(asked(*REVIEWED)))
