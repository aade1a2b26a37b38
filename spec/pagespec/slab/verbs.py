"""One request for objects as a value: the vocabulary of traces, streams, laws and engines."""

from enum import Enum
from typing import NamedTuple, TypeAlias

from pagespec.types import Order

Address: TypeAlias = int
"""The first byte of an object, which is what callers hold; 0 is no object."""

MAX_BULK = 64
"""The most objects of one bulk request."""


class SlabVerb(Enum):
    """What may be asked for. The value is its word in traces.

    CREATE, DESTROY, SHRINK: a cache, by its number. ALLOC, FREE: one object. ALLOC_BULK, FREE_BULK:
    several, through the array of slots. LARGE: whole frames, for what no slab is large enough for;
    FREE and FREE_BULK take them too. RELEASE: what was withheld from being used again. FLUSH: what
    a CPU keeps of all caches, since it goes; REAP: what of it has not been used lately. GROUP,
    OFFLINE: a group comes, or goes while objects may still be charged to it.
    """

    __hash__ = object.__hash__

    CREATE = "create"
    DESTROY = "destroy"
    SHRINK = "shrink"
    ALLOC = "alloc"
    FREE = "free"
    ALLOC_BULK = "allocbulk"
    FREE_BULK = "freebulk"
    LARGE = "large"
    RELEASE = "release"
    FLUSH = "flush"
    REAP = "reap"
    GROUP = "group"
    OFFLINE = "offline"


class SlabOp(NamedTuple):
    """One request.

    cpu: who asks; of FLUSH and REAP, whose. cache: of CREATE, DESTROY, SHRINK, ALLOC and
    ALLOC_BULK; of FREE_BULK too, where 0 is any cache, as kfree_bulk has it (caches are numbered
    from 1). size: of CREATE, bytes from one object to the next. order, objects_kept, partials,
    batch: of CREATE, sizes in place of what follows from the object's size, None for those: the
    order of a slab; how many objects a CPU keeps (on partial slabs in SLUB, in its array in SLAB);
    how many slabs that are empty a node keeps, or how many free objects (SLAB); how many objects
    move at a time (SLAB). shared: of CREATE, how many batches CPUs share (SLAB). order: of LARGE as
    well. group: of ALLOC and ALLOC_BULK, who is charged, 0 for nobody; of GROUP and OFFLINE.
    objects: of ALLOC_BULK, how many. addresses: of FREE, the one; of FREE_BULK, the array.
    withheld: of FREE and FREE_BULK, which of them are not to be used again before RELEASE.
    """

    verb: SlabVerb
    cpu: int = 0
    cache: int = 0
    size: int = 0
    order: Order | None = None
    objects_kept: int | None = None
    partials: int | None = None
    batch: int | None = None
    shared: int | None = None
    group: int = 0
    objects: int = 0
    addresses: tuple[Address, ...] = ()
    withheld: tuple[Address, ...] = ()
