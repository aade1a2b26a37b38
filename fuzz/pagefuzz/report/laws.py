"""The laws as a page: every book, in the order in which its laws are judged."""

from typing import Any, NamedTuple

from pagefuzz.report.markdown import table
from pagespec.laws.exact import EXACT_LAWS, TWIN_LAWS
from pagespec.laws.law import Law, LawBook
from pagespec.laws.outside import OUTSIDE_LAWS
from pagespec.laws.state import READING_LAWS, STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS


class Chapter(NamedTuple):
    """A book of laws and what its laws are about."""

    title: str
    book: LawBook[Any]


CHAPTERS: tuple[Chapter, ...] = (
    Chapter("Seen from outside: requests and outcomes", OUTSIDE_LAWS),
    Chapter("An allocator's memory, read as lists", READING_LAWS),
    Chapter("The state between two requests", STATE_LAWS),
    Chapter("One request", STEP_LAWS),
    Chapter("A zone after boot", BOOT_LAWS),
    Chapter("A zone that everything was given back to", RETURN_LAWS),
    Chapter("The order of the lists", EXACT_LAWS),
    Chapter("Spec and allocator side by side", TWIN_LAWS),
)
"""All laws, in the order in which a reader meets them."""

COLUMNS = ["id", "level", "law", "why", "source", "designs"]


def cells(law: Law[Any]) -> tuple[str, ...]:
    """What is said of a law, as COLUMNS names it."""
    designs = ", ".join(sorted(law.designs, reverse=True))
    return law.id, law.level, law.sentence, law.reason, law.source, designs


def laws_markdown(chapters: tuple[Chapter, ...] = CHAPTERS) -> str:
    """Every law in markdown, a table for each book."""
    return "\n".join(
        f"## {title}\n\n{table(COLUMNS, map(cells, book.laws))}" for title, book in chapters
    )
