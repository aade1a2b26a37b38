"""The tables of the guide page: cases from the ledger, and falls as they are found."""

from collections.abc import Iterator
from typing import NamedTuple

from pagefuzz.drift.machine import PAGES_A_GIB
from pagefuzz.drift.words import memory
from pagefuzz.prove.ledger import read
from pagefuzz.prove.soundness.breach import by_refills, fall
from pagefuzz.prove.soundness.cases import SOUND_CASES
from pagefuzz.prove.soundness.witness import machine_of
from pagefuzz.report.markdown import table
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.verbs import Level

LARGE = (
    ("2.6.39", (62,)),
    ("4.10", (31, 31)),
    ("4.10", (62,)),
)
"""Machines of 112 CPUs: eras, and the GiB of each node's zone."""


class Way(NamedTuple):
    """A fall of a large machine: from high, or one frame above, and where to."""

    era: str
    zones: tuple[int, ...]
    level: Level
    above_high: int
    empty: bool


WAYS = (
    Way("2.6.39", (62,), "low", 0, empty=False),
    Way("2.6.39", (62,), "low", 1, empty=True),
    Way("4.10", (31, 31), "low", 0, empty=False),
    Way("4.10", (62,), "low", 0, empty=False),
    Way("4.10", (62,), "min", 0, empty=False),
    Way("4.10", (62,), "min", 0, empty=True),
)


def cases_markdown() -> str:
    """One row for each case and era: what was visited, and how low zones were that passed."""
    rows = {row.what: dict(row.finding.counts) for row in read()}
    heads = ("case", "era", "machines", "states", "reclaim", "requests")
    return table(heads, [_case(rows[str(case)], case.case, case.era) for case in SOUND_CASES])


def _case(counts: dict[str, tuple[int, ...]], case: str, era: str) -> tuple[object, ...]:
    short = (", ".join(map(str, counts[by])) for by in ("by_reclaim", "by_request"))
    return case, era, *counts["machines"], *counts["states"], *short


def marks_markdown() -> str:
    """The marks of the large machines, and what their CPUs keep back."""
    heads = ("zone", "era", "min", "low", "high", "low - min", "kept back", "drift mark")
    return table(heads, _marks())


def _marks() -> Iterator[tuple[object, ...]]:
    for era, zones in LARGE:
        counters = boot_counters(machine_of(era, 112, *(gib * PAGES_A_GIB for gib in zones)))
        least, low, high = counters.marks[0]
        kept = len(counters.running) * counters.thresholds[0]
        mark = counters.drift_marks[0]
        sizes = map(size, (least, low, high, low - least, kept))
        yield zones_text(zones), era, *sizes, size(mark) if mark else "none"


def falls_markdown() -> str:
    """Each fall: how many requests, and what is left."""
    heads = ("zone", "era", "asks for", "from", "to", "requests", "CPUs", "free", "count shows")
    return table(heads, map(_fall, WAYS))


def _fall(way: Way) -> tuple[object, ...]:
    machine = machine_of(way.era, 112, *(gib * PAGES_A_GIB for gib in way.zones))
    marks = boot_counters(machine).marks[0]
    end = 0 if way.empty else marks.min - 1
    fallen = fall(by_refills(machine, marks.high + way.above_high, end, way.level))
    cpus = len({request[1].cpu for request in fallen.requests})
    said = "empty" if way.empty else "below min"
    return (
        zones_text(way.zones),
        way.era,
        way.level,
        "high + 1" if way.above_high else "high",
        said if fallen.ended else f"not {said}",
        f"{len(fallen.requests):,}" if fallen.ended else f"{len(fallen.requests):,}, then refused",
        cpus,
        size(fallen.truth),
        size(fallen.shown),
    )


def zones_text(zones: tuple[int, ...]) -> str:
    """The zones of a machine in words."""
    return f"{zones[0]} GiB" if len(zones) == 1 else f"{zones[0]} GiB, one of {len(zones)}"


def size(pages: int) -> str:
    """Pages, and how much memory that is."""
    return f"{pages:,} ({memory(pages)})" if pages else "0"
