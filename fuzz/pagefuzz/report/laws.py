"""The laws as a page, in the order in which they are judged."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from pagefuzz.report.markdown import table
from pagespec.laws.books import Entry, all_laws

COLUMNS = ["id", "level", "law", "why", "source", "designs", "mutants it may name"]


def cells(law: Entry, mutants: Sequence[str]) -> tuple[str, ...]:
    """What is said of a law, as COLUMNS names it."""
    designs = ", ".join(sorted(law.designs, reverse=True))
    named = ", ".join(mutants) or "none"
    return law.id, law.level, law.sentence, law.reason, law.source, designs, named


def laws_markdown(
    named_by: Mapping[str, Sequence[str]], laws: Iterable[Entry] | None = None
) -> str:
    """The laws in markdown, all by default: a chapter for each thing that they are about.

    named_by: the mutants that each law fits, by the law's name.
    """
    chapters = groupby(all_laws() if laws is None else laws, key=lambda law: law.subject)
    return "\n".join(
        f"## About {subject}\n\n"
        + table(COLUMNS, [cells(law, named_by.get(law.id, ())) for law in about])
        for subject, about in chapters
    )
