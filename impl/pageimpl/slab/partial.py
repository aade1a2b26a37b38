"""Partial slabs of SLUB: those that a CPU keeps, those of the node, and the way between.

The twin of the spec's `slab.partial`. What a CPU keeps is a chain of rows, by `next`.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.caches import area_of
from pageimpl.slab.growing import discard_slab, discard_slabs
from pageimpl.slab.lists import add_first, add_last, first_in, remove
from pageimpl.slab.places import link_of, set_link
from pageimpl.slab.state import (
    NOTHING,
    PARTIAL,
    SlabMemory,
    chain_of,
    count_of,
    counted_of,
    first_partial_of,
    inuse_of,
    keeps_more_partials_of,
    keeps_no_partials_of,
    kept_of,
    next_of,
    nr_kept_of,
    nr_partial_of,
    opens_slow_path_of,
    partials_of,
    set_chain,
    set_counted,
    set_first_partial,
    set_frozen,
    set_inuse,
    set_next,
    set_nr_kept,
    set_nr_partial,
    splices_chains_of,
)


@kernel
def slabs_kept(mem: SlabMemory, c: int) -> int:
    """How many partial slabs a CPU keeps, about, in eras that count them: half full, it is said."""
    objects = count_of(mem, c)
    return (2 * kept_of(mem, c) + objects - 1) // objects


@inlined
def free_on(mem: SlabMemory, c: int, row: int) -> int:
    """How many objects of a slab nobody has who is not on its own chain."""
    return count_of(mem, c) - inuse_of(mem, row)


@kernel
def keeps_too_much(mem: SlabMemory, c: int, q: int) -> bool:
    """Whether a CPU has so many partial slabs that they go to the node before one more comes."""
    row = first_partial_of(mem, q)
    if row == NOTHING:
        return False
    if keeps_more_partials_of(mem):
        return nr_kept_of(mem, q) >= slabs_kept(mem, c)
    return counted_of(mem, row) > kept_of(mem, c)


@kernel
def list_partial(mem: SlabMemory, c: int, q: int, row: int) -> None:
    """Put a slab before those that a CPU keeps."""
    kept = first_partial_of(mem, q)
    counted = 0
    if not keeps_more_partials_of(mem):
        counted = free_on(mem, c, row) + (0 if kept == NOTHING else counted_of(mem, kept))
    set_counted(mem, row, counted)
    set_next(mem, row, kept)
    set_first_partial(mem, q, row)
    set_nr_kept(mem, q, nr_kept_of(mem, q) + 1)


@kernel
def take_partial(mem: SlabMemory, q: int) -> int:
    """Take the first of the partial slabs that a CPU keeps."""
    row = first_partial_of(mem, q)
    set_first_partial(mem, q, next_of(mem, row))
    set_nr_kept(mem, q, nr_kept_of(mem, q) - 1)
    return row


@kernel
def take_all_partial(mem: SlabMemory, q: int) -> int:
    """Take all partial slabs that a CPU keeps, as a chain."""
    row = first_partial_of(mem, q)
    set_first_partial(mem, q, NOTHING)
    set_nr_kept(mem, q, 0)
    return row


@kernel
def keep_partial(mem: SlabMemory, c: int, cpu: int, row: int) -> None:
    """Keep a frozen slab that nobody has, for the CPU; if that is too much, all others go."""
    q = area_of(mem, c, cpu)
    kept = take_all_partial(mem, q) if keeps_too_much(mem, c, q) else NOTHING
    list_partial(mem, c, q, row)
    unfreeze(mem, c, cpu, kept)
    if kept_of(mem, c) == 0 and not opens_slow_path_of(mem):
        unfreeze(mem, c, cpu, take_all_partial(mem, q))


@kernel
def unfreeze(mem: SlabMemory, c: int, cpu: int, row: int) -> None:
    """Hand a chain of partial slabs that no CPU has any more to the node, the first one first."""
    empty = NOTHING
    while row != NOTHING:
        after = next_of(mem, row)
        set_frozen(mem, row, 0)
        if inuse_of(mem, row) == 0 and nr_partial_of(mem, c) >= partials_of(mem, c):
            set_next(mem, row, empty)
            empty = row
        else:
            add_last(mem, c, PARTIAL, row)
            set_nr_partial(mem, c, nr_partial_of(mem, c) + 1)
        row = after
    discard_slabs(mem, c, cpu, empty)


@kernel
def take_from_node(mem: SlabMemory, c: int, cpu: int) -> int:
    """Take slabs off the node's list, frozen; return the first, and keep the others for the CPU."""
    q = area_of(mem, c, cpu)
    served = NOTHING
    objects, more = 0, 0
    row = first_in(mem, c, PARTIAL)
    while row != NOTHING:
        remove(mem, row)
        set_nr_partial(mem, c, nr_partial_of(mem, c) - 1)
        set_frozen(mem, row, 1)
        objects += free_on(mem, c, row)
        if served == NOTHING:
            served = row
        else:
            list_partial(mem, c, q, row)
            more += 1
        if is_enough(mem, c, objects, more):
            break
        row = first_in(mem, c, PARTIAL)
    return served


@kernel
def is_enough(mem: SlabMemory, c: int, objects: int, more: int) -> bool:
    """Whether a CPU has taken half of what it may keep off the node's list."""
    if not keeps_more_partials_of(mem):
        return objects > kept_of(mem, c) >> 1
    kept = slabs_kept(mem, c)
    return more > kept >> 1 or (kept == 0 and keeps_no_partials_of(mem) != 0)


@kernel
def deactivate(mem: SlabMemory, c: int, cpu: int, row: int, p: int) -> None:
    """Let a CPU give up the slab that it served from, with the chain of its objects that it had.

    It goes to the end of the node's list if others had freed objects of it, to the front if not.
    """
    remote = chain_of(mem, row) != NOTHING
    join_chain(mem, row, p, splices_chains_of(mem) != 0)
    set_frozen(mem, row, 0)
    if inuse_of(mem, row) == 0 and nr_partial_of(mem, c) >= partials_of(mem, c):
        discard_slab(mem, c, cpu, row)
    elif chain_of(mem, row) != NOTHING:
        if remote:
            add_last(mem, c, PARTIAL, row)
        else:
            add_first(mem, c, PARTIAL, row)
        set_nr_partial(mem, c, nr_partial_of(mem, c) + 1)


@kernel
def join_chain(mem: SlabMemory, row: int, p: int, splices: bool) -> None:
    """Put a chain before a slab's own: as it is, or one by one, which turns it round."""
    own, count = chain_of(mem, row), 0
    first, last = p, NOTHING
    while p != NOTHING:
        after = link_of(mem, p)
        count += 1
        if not splices:
            set_link(mem, p, own)
            own = p
        last, p = p, after
    if splices and last != NOTHING:
        set_link(mem, last, own)
        own = first
    set_chain(mem, row, own)
    set_inuse(mem, row, inuse_of(mem, row) - count)
