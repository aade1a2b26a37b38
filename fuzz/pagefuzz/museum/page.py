"""The museum's guide page: every mutant, every equivalent change, every shared slip."""

from pagefuzz.museum.catalogue import MUTANTS
from pagefuzz.museum.equivalent import EQUIVALENTS
from pagefuzz.museum.slips import SHARED
from pagefuzz.report.markdown import table


def mutants_markdown() -> str:
    """The mutants, with their mechanisms and the laws that fit."""
    return table(
        ("mutant", "kind", "source", "mechanism", "laws", "why they fit"),
        [
            (
                f"`{mutant.id}`",
                mutant.kind,
                mutant.source,
                mutant.mechanism,
                ", ".join(sorted(mutant.laws)),
                mutant.fits,
            )
            for mutant in MUTANTS
        ],
    )


def mutants_by_law() -> dict[str, list[str]]:
    """Per law, the mutants that list it: one of the laws so listed is the first to break."""
    named: dict[str, list[str]] = {}
    for mutant in MUTANTS:
        for law in sorted(mutant.laws):
            named.setdefault(law, []).append(mutant.id)
    return named


def equivalents_markdown() -> str:
    """The changes that nothing can tell from the original."""
    return table(
        ("change", "what it does", "why nothing can tell"),
        [(f"`{one.id}`", one.change, one.reason) for one in EQUIVALENTS],
    )


def shared_markdown() -> str:
    """The slips that spec and twin share."""
    return table(
        ("slip", "what both believe", "stopped from outside"),
        [(f"`{slip.id}`", slip.mechanism, "yes" if slip.killable else "no") for slip in SHARED],
    )
