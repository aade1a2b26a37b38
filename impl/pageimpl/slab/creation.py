"""The shape of a cache that is to be created: the twin of the spec's two `shape_of`."""

from pageimpl.jitcache import kernel
from pageimpl.memory import top_of
from pageimpl.slab.array_sizes import free_limit, order_of_array_slab
from pageimpl.slab.caches import new_cache
from pageimpl.slab.checks import BAD_SIZE, check_new_cache, is_negative
from pageimpl.slab.choices import SLUB
from pageimpl.slab.sizes import (
    array_limit,
    batch_of,
    cpu_partial,
    min_partial,
    objects_in,
    order_of_slab,
    shared_batches,
)
from pageimpl.slab.state import (
    NOTHING,
    WORD,
    SlabMemory,
    counted_cpus_of,
    cpus_of,
    design_of,
    halves_slabs_of,
    keeps_more_partials_of,
    set_batch,
    set_count,
    set_order,
    set_partials,
    set_size,
    set_words,
    zone_of,
)
from pageimpl.slab.verbs import NO_ROOM, UNSAID


@kernel
def create(
    mem: SlabMemory,
    number: int,
    size: int,
    order: int,
    kept: int,
    partials: int,
    batch: int,
    shared: int,
) -> int:
    """Let there be a cache: 0, the code of a refusal, or NO_ROOM.

    order and all behind it: UNSAID for what follows from the size. shared: in batches.
    """
    code = check_new_cache(mem, number, size, order)
    if code:
        return code
    if is_negative(kept) or is_negative(partials) or is_negative(batch) or is_negative(shared):
        return BAD_SIZE
    if design_of(mem) == SLUB:
        if batch != UNSAID or shared != UNSAID:
            return BAD_SIZE
        return create_slub(mem, number, size, order, kept, partials)
    return create_array(mem, number, size, order, kept, partials, batch, shared)


@kernel
def create_slub(
    mem: SlabMemory, number: int, size: int, order: int, kept: int, partials: int
) -> int:
    """The same in SLUB, for sizes that are checked."""
    if order == UNSAID:
        halves = halves_slabs_of(mem) != 0
        order = order_of_slab(size, counted_cpus_of(mem), top_of(zone_of(mem)), halves)
    if kept == UNSAID:
        kept = cpu_partial(size, keeps_more_partials_of(mem) != 0)
    if partials == UNSAID:
        partials = min_partial(size)
    return make(mem, number, size, order, kept, partials, 0, 0)


@kernel
def create_array(
    mem: SlabMemory,
    number: int,
    size: int,
    order: int,
    kept: int,
    partials: int,
    batch: int,
    shared: int,
) -> int:
    """The same in SLAB."""
    if order == UNSAID:
        order = order_of_array_slab(size, top_of(zone_of(mem)))
    if kept == UNSAID:
        kept = array_limit(size)
    if batch == UNSAID:
        batch = batch_of(kept)
    if not 1 <= batch <= kept:
        return BAD_SIZE
    if shared == UNSAID:
        shared = shared_batches(size, cpus_of(mem))
    if partials == UNSAID:
        partials = free_limit(cpus_of(mem), batch, objects_in(order, size))
    return make(mem, number, size, order, kept, partials, batch, shared * batch)


@kernel
def make(
    mem: SlabMemory,
    number: int,
    size: int,
    order: int,
    kept: int,
    partials: int,
    batch: int,
    shared: int,
) -> int:
    """Let there be a cache of that shape: 0, or NO_ROOM."""
    c = new_cache(mem, number, 0, size, kept, shared)
    if c == NOTHING:
        return NO_ROOM
    set_size(mem, c, size)
    set_words(mem, c, size // WORD)
    set_order(mem, c, order)
    set_count(mem, c, objects_in(order, size))
    set_partials(mem, c, partials)
    set_batch(mem, c, batch)
    return 0
