"""How much of a cache CPUs and nodes may keep.

Source: mm/slub.c (put_cpu_partial, get_partial_node, unfreeze_partials) and mm/slab.c
(cache_flusharray), 5.8 to 6.12.
"""

from pagespec.era import Era
from pagespec.slab.state import Cache, CpuSlab


def kept_too_much(era: Era, cache: Cache) -> str | None:
    """How a CPU or node keeps more than it may."""
    shape = cache.shape
    for cpu, mine in enumerate(cache.cpus):
        wrong = _partials(cache, mine, by_slab=era.keeps_more_partials)
        if wrong is not None:
            return f"CPU {cpu} keeps {wrong}"
    for cpu, array in enumerate(cache.arrays):
        if len(array.entries) > shape.objects_kept:
            return f"CPU {cpu} has {len(array.entries)} in its array, at most {shape.objects_kept}"
    if cache.shared is not None and len(cache.shared.entries) > shape.shared:
        return f"the shared array has {len(cache.shared.entries)}, at most {shape.shared}"
    return _on_the_node(cache)


def _on_the_node(cache: Cache) -> str | None:
    """How a node keeps empty slabs that it should have given back.

    In SLUB they are counted themselves. In SLAB all free objects on slabs are, and there may be
    more of them as long as no slab is empty.
    """
    most = cache.shape.partials
    if cache.cpus:
        empty = sum(not cache.slabs[first].inuse for first in cache.partial)
        return f"the node keeps {empty} empty slabs, at most {most}" if empty > most else None
    free = sum(len(slab.chain) for slab in cache.slabs.values())
    if not cache.empty or free <= most:
        return None
    return f"the node keeps empty slabs and {free} free objects, at most {most}"


def _partials(cache: Cache, mine: CpuSlab, *, by_slab: bool) -> str | None:
    """How a CPU's partial slabs are too many.

    Whoever adds one looks at those that are there: at how many they are, or at how many free
    objects they had when they came. So the latest is always kept, whatever it has.
    """
    kept, shape = mine.partial, cache.shape
    if by_slab:
        most = max(1, -(-2 * shape.objects_kept // shape.objects))
        over = len(kept) > most or any(cache.slabs[first].counted for first in kept)
        return f"{len(kept)} partial slabs, at most {most}, none counted" if over else None
    counted = [cache.slabs[first].counted for first in kept]
    if counted[1:] and counted[1] > shape.objects_kept:
        return f"{counted[1]} free objects behind the latest slab, at most {shape.objects_kept}"
    grows = [more - less for more, less in zip(counted, [*counted[1:], 0], strict=False)]
    if not all(1 <= each <= shape.objects for each in grows):
        return f"partial slabs that count {counted}, each one's own free objects more"
    return None
