"""The laws as a page, in the order in which they are judged."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from pagefuzz.report.markdown import table
from pagespec.era import ERAS
from pagespec.laws.books import Entry, all_laws

COLUMNS = ["id", "level", "law", "why", "source", "eras", "mutants it may name"]


def cells(law: Entry, mutants: Sequence[str]) -> tuple[str, ...]:
    """What is said of a law, as COLUMNS names it."""
    named = ", ".join(mutants) or "none"
    return law.id, law.level, law.sentence, law.reason, law.source, eras_text(law.eras), named


def eras_text(eras: Sequence[str]) -> str:
    """The eras of a law in few words.

    >>> eras_text(["6.1", "6.12"]), eras_text(["2.6.8"]), eras_text(["4.10", "5.15"])
    ('since 6.1', '2.6.8', '4.10, 5.15')
    """
    every = list(ERAS)
    if list(eras) == every:
        return "all"
    if len(eras) > 1 and list(eras) == every[-len(eras) :]:
        return f"since {eras[0]}"
    return ", ".join(eras)


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
