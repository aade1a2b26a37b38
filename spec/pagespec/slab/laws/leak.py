"""Laws about what comes back: to the zone, when nobody needs it any more."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.swept import swept
from pagespec.laws.whole import RETURN_LAWS
from pagespec.slab.laws.eras import has_slabs
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.laws.wording import named, wording
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache
from pagespec.slab.verbs import SlabVerb

LEAK_LAWS: LawBook[SlabStep] = LawBook()


def kept_at(cache: Cache, cpu: int) -> bool:
    """Whether a CPU has anything of a cache at hand."""
    if cache.arrays:
        return bool(cache.arrays[cpu].entries)
    mine = cache.cpus[cpu]
    return mine.slab is not None or bool(mine.partial)


@LEAK_LAWS.law(
    "SLB-leak",
    eras=has_slabs,
    source="derived; mm/slub.c, flush_all and __kmem_cache_shrink, to 6.12",
)
def given_back(step: SlabStep) -> Complaint:
    """A CPU that is flushed keeps nothing, and a cache that is shrunk has no slab without objects.

    So when all objects are free, their caches shrunk and large ones given back, all frames are back
    in the zone, in maximal blocks, as they were at boot; a cache that is destroyed leaves none.
    """
    op, after = step.op, step.after
    if step.refused:
        return None
    if op.verb is SlabVerb.FLUSH:
        for cache in after.caches.values():
            if kept_at(cache, op.cpu):
                return f"{wording(op)} left it something of {named(cache)}"
    for (number, _), cache in after.caches.items() if op.verb is SlabVerb.SHRINK else ():
        if number != op.cache:
            continue
        used = {held // PAGE for held in after.held}
        for first in cache.slabs:
            if not any(frame in used for frame in range(first, first + 2**cache.shape.order)):
                return f"{wording(op)} left slab {first} of {named(cache)}, which nobody uses"
    if after.frames or after.large:
        return None
    zone = swept(after.zone)
    for broken in RETURN_LAWS.broken(after.machine.era, zone):
        return f"after {wording(op)} no cache has a slab, and {broken}"
    return None
