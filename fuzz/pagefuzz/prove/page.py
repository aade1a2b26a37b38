"""The ledger as tables of the guide page."""

from collections.abc import Iterator

from pagefuzz.prove.domains import DOMAINS
from pagefuzz.prove.drift.domains import DRIFT_DOMAINS
from pagefuzz.prove.exhaust import PLAIN_COUNTS, Counts
from pagefuzz.prove.folds import FOLD_DOMAINS
from pagefuzz.prove.ledger import Row, read
from pagefuzz.prove.listed import LISTED_DOMAINS
from pagefuzz.prove.typed import TYPED_DOMAINS
from pagefuzz.prove.verdict import Verdict
from pagefuzz.prove.widths import WIDTH_DOMAINS
from pagefuzz.report.markdown import table
from pagefuzz.slabs.closed import SLAB_DOMAINS

PLAIN = frozenset(map(str, DOMAINS))
TYPED = frozenset(map(str, TYPED_DOMAINS))
LISTED = frozenset(map(str, LISTED_DOMAINS))
DRIFT = frozenset(map(str, DRIFT_DOMAINS))
SLABS = frozenset(map(str, SLAB_DOMAINS))
NUMBERS = frozenset(map(str, (*WIDTH_DOMAINS, *FOLD_DOMAINS)))


def conditions_markdown() -> str:
    """One row for each condition that is about a function."""
    rows = (row for row in read() if row.engine not in ("exhaust", "count"))
    return table(
        ["engine", "condition", "came to"],
        [(row.engine, f"`{row.what}`", came_to(row)) for row in rows],
    )


def zones_markdown() -> str:
    """One row for each domain of zones, with the counts that must come out again."""
    return table(
        ["zones", "states", "in the largest", *PLAIN_COUNTS[1:]],
        [(row.what, *zone_counts(row)) for row in read() if row.what in PLAIN],
    )


def typed_zones_markdown() -> str:
    """The same for the zones with pageblocks, each domain of which has one zone."""
    return _of_one_zone(TYPED, PLAIN_COUNTS)


def listed_zones_markdown() -> str:
    """The same for the zones whose CPUs keep lists."""
    return _of_one_zone(LISTED, Counts._fields)


def counters_markdown() -> str:
    """One row for each domain of counters, its states in sum and the others of its counts."""
    names = ("states", "steps", "ends", "fallen", "furthest")
    rows = [(row, dict(row.finding.counts)) for row in read() if row.what in DRIFT]
    return table(
        ["counters and requests", *names],
        [(row.what, *(sum(counts.get(name, (0,))) for name in names)) for row, counts in rows],
    )


def widths_markdown() -> str:
    """One row for each domain of cells by their numbers."""
    return table(
        ["cells", "came to"],
        [(row.what, came_to(row)) for row in read() if row.what in NUMBERS],
    )


def slabs_markdown() -> str:
    """One row for each domain of slabs."""
    rows = [row for row in read() if row.what in SLABS]
    names = ("states", "requests", "depth")
    return table(["slab", *names], [(row.what, *numbers(row, names)) for row in rows])


def _of_one_zone(domains: frozenset[str], names: tuple[str, ...]) -> str:
    return table(
        ["zone and requests", *names],
        [(row.what, *numbers(row, names)) for row in read() if row.what in domains],
    )


def numbers(row: Row, names: tuple[str, ...]) -> Iterator[int]:
    """Those counts of a domain of one zone; what is not written down is 0."""
    counts = dict(row.finding.counts)
    for name in names:
        yield from counts.get(name, (0,))


def came_to(row: Row) -> str:
    """The verdict as a phrase, with the time or the cases that bound it."""
    verdict, seconds, counts, _ = row.finding
    if verdict is Verdict.NOT_REFUTED:
        return f"{verdict.value} within {seconds:.0f} s"
    cases = ", ".join(f"{values[0]:,} {name}" for name, values in counts)
    return f"{verdict.value}: {cases}" if cases else verdict.value


def zone_counts(row: Row) -> Iterator[int]:
    """The counts of a domain, its states in sum and in the largest zone."""
    for name, values in row.finding.counts:
        yield sum(values)
        if name == "states":
            yield values[-1]
