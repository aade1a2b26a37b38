"""Every mutant of the museum, by kind."""

from pagefuzz.museum import (
    accounting,
    bad_free,
    boundary,
    bulk,
    cells,
    coalescing,
    compaction,
    compactionslips,
    cpulists,
    expand,
    fallback,
    holes,
    init,
    interleaving,
    interleaving_slips,
    isolation,
    linkage,
    numa,
    order_tag,
    pageblock,
    places,
    ranges,
    references,
    reserve,
    slabs,
    slabslips,
    telling,
    thresholds,
    watermarks,
    zonecells,
    zones,
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
    *fallback.MUTANTS,
    *pageblock.MUTANTS,
    *reserve.MUTANTS,
    *isolation.MUTANTS,
    *ranges.MUTANTS,
    *places.MUTANTS,
    *cpulists.MUTANTS,
    *watermarks.MUTANTS,
    *bulk.MUTANTS,
    *zones.MUTANTS,
    *cells.MUTANTS,
    *thresholds.MUTANTS,
    *telling.MUTANTS,
    *numa.MUTANTS,
    *zonecells.MUTANTS,
    *compaction.MUTANTS,
    *compactionslips.MUTANTS,
    *slabs.MUTANTS,
    *slabslips.MUTANTS,
    *interleaving.MUTANTS,
    *interleaving_slips.MUTANTS,
)


def matching(pattern: str) -> list[Mutant]:
    """The mutants whose id, kind or source contains the text."""
    return [
        mutant
        for mutant in MUTANTS
        if any(pattern in text for text in (mutant.id, mutant.kind, mutant.source))
    ]
