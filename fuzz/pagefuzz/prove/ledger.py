"""The ledger: one line for each condition, with what it came to.

A text that people read in a diff: `engine | what | verdict | seconds | counts`. It is committed,
and a run of `prove` may not fall short of it.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pagefuzz.errors import UsageError
from pagefuzz.prove.verdict import Finding, Verdict

LEDGER = Path(__file__).with_name("ledger.txt")

HEADER = """\
# What each condition came to: engine | what | verdict | seconds of CPU time | counts
# Written by `pagefuzz prove --update`. Times of what is not refuted are how long it was tried.
"""


class Row(NamedTuple):
    """One line of the ledger."""

    engine: str
    what: str
    finding: Finding


def line_of(row: Row) -> str:
    """The row as its line."""
    verdict, seconds, counts, _ = row.finding
    counted = " ".join(f"{name}={','.join(map(str, values))}" for name, values in counts)
    cells = (row.engine, row.what, verdict.value, f"{seconds:.1f}", counted)
    return " | ".join(cells).strip()


def row_of(line: str) -> Row:
    """The row of a line.

    Raises ValueError, with a sentence, for a line that is none.
    """
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) != 5:
        raise ValueError(f"{len(cells)} cells between bars, expected 5")
    engine, what, verdict, seconds, counted = cells
    pairs = (count.split("=") for count in counted.split())
    counts = tuple((name, tuple(map(int, values.split(",")))) for name, values in pairs)
    return Row(engine, what, Finding(Verdict(verdict), float(seconds), counts))


def read(path: Path = LEDGER) -> list[Row]:
    """The rows of a ledger.

    Raises UsageError with file and line for one that cannot be read.
    """
    rows: dict[tuple[str, str], Row] = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if line.startswith("#"):
            continue
        try:
            row = row_of(line)
        except ValueError as error:
            raise UsageError(f"{path}:{number}: {error}; write it anew by --update") from None
        if row[:2] in rows:
            raise UsageError(f"{path}:{number}: {row.engine} {row.what} stands here twice")
        rows[row[:2]] = row
    return list(rows.values())


def write(rows: Iterable[Row], path: Path = LEDGER) -> None:
    """Write a ledger."""
    path.write_text(HEADER + "".join(f"{line_of(row)}\n" for row in rows))
