"""Requests for objects in words, for complaints."""

from pagespec.slab.state import Cache
from pagespec.slab.verbs import SlabOp, SlabVerb

OF_CACHE = frozenset({SlabVerb.CREATE, SlabVerb.DESTROY, SlabVerb.SHRINK})
OF_CPU = frozenset({SlabVerb.RELEASE, SlabVerb.FLUSH, SlabVerb.REAP})
OF_GROUP = frozenset({SlabVerb.GROUP, SlabVerb.OFFLINE})


def wording(op: SlabOp) -> str:
    """The request as a person would say it.

    >>> wording(SlabOp(SlabVerb.SHRINK, cache=2)), wording(SlabOp(SlabVerb.FLUSH, 1))
    ('shrink of cache 2', 'flush of CPU 1')
    >>> wording(SlabOp(SlabVerb.ALLOC_BULK, cache=1, objects=3, group=2))
    'allocbulk of 3 of cache 1 for group 2 on CPU 0'
    >>> wording(SlabOp(SlabVerb.FREE, 1, addresses=(4096,)))
    'free of 4096 on CPU 1'
    """
    name = op.verb.value
    if op.verb in OF_CACHE:
        return f"{name} of cache {op.cache}"
    if op.verb in OF_CPU:
        return f"{name} of CPU {op.cpu}"
    if op.verb in OF_GROUP:
        return f"{name} of {op.group}"
    if op.verb is SlabVerb.LARGE:
        return f"{name} of order {op.order or 0} on CPU {op.cpu}"
    if op.verb in (SlabVerb.FREE, SlabVerb.FREE_BULK):
        given = ", ".join(map(str, op.addresses)) or "nothing"
        return f"{name} of {given} on CPU {op.cpu}"
    several = f" of {op.objects}" if op.verb is SlabVerb.ALLOC_BULK else ""
    whose = f" for group {op.group}" if op.group else ""
    return f"{name}{several} of cache {op.cache}{whose} on CPU {op.cpu}"


def named(cache: Cache) -> str:
    """The cache as a person would say it."""
    return f"cache {cache.number}" + (f" of group {cache.group}" if cache.group else "")
