"""Detached free lists: the objects of one slab among those that are freed together.

The twin of the spec's `slab.detached`. What is collected goes into a row of places, that of the
highest slot first.
"""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.places import row_at
from pageimpl.slab.state import (
    NOTHING,
    WORD_SHIFT,
    SlabMemory,
    base_of,
    set_detached,
    set_slot,
    slab_of,
    slot_at,
)

LOOK_AHEAD = 3
"""With which object of another slab the search ends."""


@inlined
def place_in(mem: SlabMemory, slot: int) -> int:
    """The place of the object in a slot that has one."""
    return slot_at(mem, slot) - base_of(mem) >> WORD_SHIFT


@inlined
def head_at(mem: SlabMemory, p: int) -> int:
    """The row of the first frame of the slab or large block on which an object lies."""
    row = row_at(p)
    slab = slab_of(mem, row)
    return row if slab == NOTHING else slab


@kernel
def detach_by_marking(mem: SlabMemory, left: int) -> tuple[int, int]:
    """Collect from slots that end with an object, and replace by 0 what is collected.

    Returns how many objects were collected, and how many slots are left to look at.
    """
    slab = head_at(mem, place_in(mem, left - 1))
    count, passed, rest = 0, 0, 0
    for slot in range(left - 1, -1, -1):
        if slot_at(mem, slot) == 0:
            continue
        p = place_in(mem, slot)
        if head_at(mem, p) == slab:
            set_detached(mem, count, p)
            set_slot(mem, slot, 0)
            count += 1
            continue
        passed += 1
        if rest == 0:
            rest = slot + 1
        if passed == LOOK_AHEAD:
            break
    return count, rest


@kernel
def detach_by_swapping(mem: SlabMemory, left: int) -> tuple[int, int]:
    """Collect from slots that have an object each, and move what is collected behind what is left.

    Returns the same.
    """
    slab = head_at(mem, place_in(mem, left - 1))
    count, passed = 0, 0
    for slot in range(left - 1, -1, -1):
        p = place_in(mem, slot)
        if head_at(mem, p) == slab:
            set_detached(mem, count, p)
            count += 1
            left -= 1
            address = slot_at(mem, slot)
            set_slot(mem, slot, slot_at(mem, left))
            set_slot(mem, left, address)
            continue
        passed += 1
        if passed == LOOK_AHEAD:
            break
    return count, left
