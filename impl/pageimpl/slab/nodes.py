"""The node's three lists of SLAB: slabs without free objects, with some, and with no others.

The twin of the spec's `slab.nodes`. How many free objects the lists have is kept in one word.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.lists import add_first, add_last, first_in, last_in, remove
from pageimpl.slab.places import link_of, row_at, set_link
from pageimpl.slab.state import (
    EMPTY,
    FULL,
    NOTHING,
    PARTIAL,
    WORD,
    SlabMemory,
    avail_of,
    chain_of,
    count_of,
    entry_at,
    inuse_of,
    nr_free_of,
    partials_of,
    set_avail,
    set_cache_touched,
    set_chain,
    set_entry,
    set_inuse,
    set_next,
    set_nr_free,
    slab_of,
)


@inlined
def has_free_objects(mem: SlabMemory, c: int) -> bool:
    """Whether a slab of the node has a free object."""
    return nr_free_of(mem, c) != 0


@kernel
def take_objects(mem: SlabMemory, c: int, q: int, objects: int) -> None:
    """Move so many objects from the node's slabs to an array, or as many as there are."""
    while objects > 0 and has_free_objects(mem, c):
        row = first_in(mem, c, PARTIAL)
        if row == NOTHING:
            row = first_in(mem, c, EMPTY)
            # Whether empty slabs are of use is asked when the cache is reaped.
            set_cache_touched(mem, c, 1)
        taken = take_from_slab(mem, q, row, objects)
        set_nr_free(mem, c, nr_free_of(mem, c) - taken)
        objects -= taken
        remove(mem, row)
        file_slab(mem, c, row)


@kernel
def take_from_slab(mem: SlabMemory, q: int, row: int, objects: int) -> int:
    """Move so many objects of a slab to an array, or all that are free; how many that was."""
    p, avail, taken = chain_of(mem, row), avail_of(mem, q), 0
    while p != NOTHING and taken < objects:
        set_entry(mem, q + WORD * (avail + taken), p)
        taken += 1
        p = link_of(mem, p)
    set_chain(mem, row, p)
    set_avail(mem, q, avail + taken)
    set_inuse(mem, row, inuse_of(mem, row) + taken)
    return taken


@kernel
def file_slab(mem: SlabMemory, c: int, row: int) -> None:
    """Put a slab that was served from, and is on no list, first in the list where it belongs."""
    add_first(mem, c, FULL if chain_of(mem, row) == NOTHING else PARTIAL, row)


@kernel
def file_new_slab(mem: SlabMemory, c: int, row: int) -> None:
    """List a slab that has come; one that nobody needed meanwhile is the last that is empty."""
    set_nr_free(mem, c, nr_free_of(mem, c) + count_of(mem, c) - inuse_of(mem, row))
    if inuse_of(mem, row):
        file_slab(mem, c, row)
    else:
        add_last(mem, c, EMPTY, row)


@kernel
def return_objects(mem: SlabMemory, c: int, q: int, objects: int) -> int:
    """Put an array's oldest objects back on their slabs, and let the others move up.

    Returns the slabs that are given up for it, as a chain in the order in which they are to go.
    """
    for number in range(objects):
        p = entry_at(mem, q + WORD * number)
        row = slab_of(mem, row_at(p))
        remove(mem, row)
        set_link(mem, p, chain_of(mem, row))
        set_chain(mem, row, p)
        inuse = inuse_of(mem, row) - 1
        set_inuse(mem, row, inuse)
        if inuse:
            add_last(mem, c, PARTIAL, row)
        else:
            add_first(mem, c, EMPTY, row)
    set_nr_free(mem, c, nr_free_of(mem, c) + objects)
    drop_oldest(mem, q, objects)
    given_up = NOTHING
    row = last_in(mem, c, EMPTY)
    while nr_free_of(mem, c) > partials_of(mem, c) and row != NOTHING:
        unlist_empty(mem, c, row)
        set_next(mem, row, given_up)
        given_up = row
        row = last_in(mem, c, EMPTY)
    return given_up


@kernel
def unlist_empty(mem: SlabMemory, c: int, row: int) -> None:
    """Take an empty slab off its list, with all its free objects."""
    remove(mem, row)
    set_nr_free(mem, c, nr_free_of(mem, c) - count_of(mem, c))


@kernel
def drop_oldest(mem: SlabMemory, q: int, objects: int) -> None:
    """Let the entries of an array move up that come after so many that are gone."""
    avail = avail_of(mem, q) - objects
    for number in range(avail):
        set_entry(mem, q + WORD * number, entry_at(mem, q + WORD * (number + objects)))
    set_avail(mem, q, avail)
