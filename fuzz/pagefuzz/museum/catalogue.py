"""Every mutant of the museum, by kind."""

from pagefuzz.museum import (
    accounting,
    bad_free,
    boundary,
    coalescing,
    expand,
    holes,
    init,
    linkage,
    order_tag,
    references,
)
from pagefuzz.museum.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *coalescing.MUTANTS,
    *order_tag.MUTANTS,
    *expand.MUTANTS,
    *boundary.MUTANTS,
    *holes.MUTANTS,
    *init.MUTANTS,
    *bad_free.MUTANTS,
    *accounting.MUTANTS,
    *linkage.MUTANTS,
    *references.MUTANTS,
)


def matching(pattern: str) -> list[Mutant]:
    """The mutants whose id, kind or source contains the text."""
    return [
        mutant
        for mutant in MUTANTS
        if any(pattern in text for text in (mutant.id, mutant.kind, mutant.source))
    ]
