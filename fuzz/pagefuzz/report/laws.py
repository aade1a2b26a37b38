"""The laws as a page, in the order in which they are judged."""

from collections.abc import Iterable
from itertools import groupby

from pagefuzz.report.markdown import table
from pagespec.laws.books import Entry, all_laws

COLUMNS = ["id", "level", "law", "why", "source", "designs"]


def cells(law: Entry) -> tuple[str, ...]:
    """What is said of a law, as COLUMNS names it."""
    designs = ", ".join(sorted(law.designs, reverse=True))
    return law.id, law.level, law.sentence, law.reason, law.source, designs


def laws_markdown(laws: Iterable[Entry] | None = None) -> str:
    """The laws in markdown, all by default: a chapter for each thing that they are about."""
    chapters = groupby(all_laws() if laws is None else laws, key=lambda law: law.subject)
    return "\n".join(
        f"## About {subject}\n\n{table(COLUMNS, map(cells, about))}" for subject, about in chapters
    )
