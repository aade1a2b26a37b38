"""SLUB: objects from the slab that a CPU has for itself: the twin of the spec's `slab.slub`.

Objects are places. The chain's head and the number that changes with each use lie side by side; one
CPU is at work at a time here, so that two plain stores are the exchange.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.caches import area_of
from pageimpl.slab.growing import discard_slab, new_slab
from pageimpl.slab.lists import remove
from pageimpl.slab.partial import (
    deactivate,
    keep_partial,
    take_all_partial,
    take_from_node,
    take_partial,
    unfreeze,
)
from pageimpl.slab.places import address_of, hold, link_of, set_link
from pageimpl.slab.state import (
    NOTHING,
    SlabMemory,
    chain_of,
    count_of,
    first_partial_of,
    frozen_of,
    head_of,
    inuse_of,
    nr_partial_of,
    own_slab_of,
    partials_of,
    set_chain,
    set_frozen,
    set_head,
    set_inuse,
    set_nr_partial,
    set_own_slab,
    set_slot,
    set_tid,
    tid_of,
)


@inlined
def advance(mem: SlabMemory, q: int) -> None:
    """Let whoever was interrupted notice."""
    set_tid(mem, q, tid_of(mem, q) + 1)


@inlined
def take(mem: SlabMemory, c: int, cpu: int) -> int:
    """Take an object, or NOTHING if there are no frames for a slab."""
    q = area_of(mem, c, cpu)
    p = head_of(mem, q)
    if p == NOTHING:
        return take_slowly(mem, c, cpu)
    set_head(mem, q, link_of(mem, p))
    advance(mem, q)
    return p


@kernel
def take_slowly(mem: SlabMemory, c: int, cpu: int) -> int:
    """The same with an empty chain."""
    q = area_of(mem, c, cpu)
    while not fill_from_own(mem, c, q):
        if first_partial_of(mem, q) != NOTHING:
            load(mem, q, take_partial(mem, q))
        else:
            row = find_slab(mem, c, cpu)
            if row == NOTHING:
                return NOTHING
            load(mem, q, row)
    p = head_of(mem, q)
    set_head(mem, q, link_of(mem, p))
    advance(mem, q)
    return p


@kernel
def find_slab(mem: SlabMemory, c: int, cpu: int) -> int:
    """A slab with free objects that nobody else has: off the node's list, or a new one."""
    row = take_from_node(mem, c, cpu)
    if row == NOTHING:
        row = new_slab(mem, c, cpu)
        if row != NOTHING:
            set_frozen(mem, row, 1)
    return row


@kernel
def fill_from_own(mem: SlabMemory, c: int, q: int) -> bool:
    """Fill the CPU's empty chain with what its slab has on its own; whether there is anything then.

    A slab that has nothing is full and nobody's, on no list.
    """
    row = own_slab_of(mem, q)
    if row == NOTHING:
        return False
    p = chain_of(mem, row)
    set_head(mem, q, p)
    set_chain(mem, row, NOTHING)
    advance(mem, q)
    set_inuse(mem, row, count_of(mem, c))
    if p == NOTHING:
        set_frozen(mem, row, 0)
        set_own_slab(mem, q, NOTHING)
    return p != NOTHING


@inlined
def load(mem: SlabMemory, q: int, row: int) -> None:
    """Let a CPU serve from a slab, of which it has no object yet."""
    set_own_slab(mem, q, row)
    advance(mem, q)


@inlined
def give(mem: SlabMemory, c: int, cpu: int, row: int, first: int, last: int, count: int) -> None:
    """Free objects of one slab, as a chain, the first of which will be served first."""
    q = area_of(mem, c, cpu)
    if own_slab_of(mem, q) == row:
        set_link(mem, last, head_of(mem, q))
        set_head(mem, q, first)
        advance(mem, q)
    else:
        give_slowly(mem, c, cpu, row, first, last, count)


@kernel
def give_slowly(
    mem: SlabMemory, c: int, cpu: int, row: int, first: int, last: int, count: int
) -> None:
    """The same for a slab that is not the CPU's own: the objects join the slab's own chain.

    A slab that was full is on no list, and is kept by the CPU from now on. One that nobody has any
    object of goes back to the page allocator, if the node has enough that are partial.
    """
    seen, inuse = chain_of(mem, row), inuse_of(mem, row) - count
    set_link(mem, last, seen)
    set_chain(mem, row, first)
    set_inuse(mem, row, inuse)
    if frozen_of(mem, row):
        return
    if seen == NOTHING:
        set_frozen(mem, row, 1)
        keep_partial(mem, c, cpu, row)
    elif inuse == 0 and nr_partial_of(mem, c) >= partials_of(mem, c):
        remove(mem, row)
        set_nr_partial(mem, c, nr_partial_of(mem, c) - 1)
        discard_slab(mem, c, cpu, row)


@kernel
def flush(mem: SlabMemory, c: int, cpu: int) -> None:
    """Let a CPU give up all that it has of a cache: first its slab, then those that it keeps."""
    q = area_of(mem, c, cpu)
    row, p = own_slab_of(mem, q), head_of(mem, q)
    if row != NOTHING:
        set_own_slab(mem, q, NOTHING)
        set_head(mem, q, NOTHING)
        advance(mem, q)
        deactivate(mem, c, cpu, row, p)
    unfreeze(mem, c, cpu, take_all_partial(mem, q))


@kernel
def take_bulk(mem: SlabMemory, c: int, cpu: int, objects: int, charged: int) -> int:
    """Take that many objects, or fewer if there are no frames for a slab, into the array of slots.

    Returns how many. They are held from now on; charged: who pays.
    """
    q = area_of(mem, c, cpu)
    p = head_of(mem, q)
    got = 0
    while got < objects:
        if p == NOTHING:
            set_head(mem, q, NOTHING)
            advance(mem, q)
            p = take_slowly(mem, c, cpu)
            if p == NOTHING:
                break
            after = head_of(mem, q)
        else:
            after = link_of(mem, p)
        hold(mem, p, charged)
        set_slot(mem, got, address_of(mem, p))
        got += 1
        p = after
    set_head(mem, q, p)
    advance(mem, q)
    return got
