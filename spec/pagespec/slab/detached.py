"""Detached free lists: the objects of one slab among those that are freed together.

The array is looked at from its end. The first object there says which slab it is; others of the
same slab are collected, in front of those that there are, until three others have been met. What is
collected goes back to the slab in one exchange; then the rest of the array is looked at anew. So
objects that lie slab by slab cost one exchange a slab, and those of two slabs in turn one for each
four objects, about.

Source: mm/slub.c (build_detached_freelist), 5.8 and 5.15 for the array that is marked, 6.1 and 6.12
for the one that is permuted.
"""

from collections.abc import Callable
from typing import NamedTuple

from pagespec.slab.verbs import Address
from pagespec.types import Pfn

LOOK_AHEAD = 3
"""With which object of another slab the search ends."""


class Detached(NamedTuple):
    """What was collected, the object of the lowest slot first, and how many slots are left."""

    chain: tuple[Address, ...]
    left: int


def detach_by_marking(
    slots: list[Address], left: int, slab_at: Callable[[Address], Pfn]
) -> Detached:
    """Collect from slots, and replace by 0 what is collected; slots of 0 are no objects.

    left: how many slots there still are to look at, the last of which has an object. What is left
    afterwards ends with the first object that was passed over.

    Objects of two slabs in turn, numbered from 16 to 31:

    >>> slots = list(range(16, 32))
    >>> detach_by_marking(slots, 16, lambda address: address % 2)
    Detached(chain=(27, 29, 31), left=15)
    >>> slots[10:]
    [26, 0, 28, 0, 30, 0]
    >>> detach_by_marking(slots, 15, lambda address: address % 2)
    Detached(chain=(22, 24, 26, 28, 30), left=10)
    """
    slab = slab_at(slots[left - 1])
    chain: list[Address] = []
    passed = 0
    rest = 0
    for slot in reversed(range(left)):
        if slots[slot] == 0:
            continue
        if slab_at(slots[slot]) == slab:
            chain.insert(0, slots[slot])
            slots[slot] = 0
            continue
        passed += 1
        rest = rest or slot + 1
        if passed == LOOK_AHEAD:
            break
    return Detached(tuple(chain), rest)


def detach_by_swapping(
    slots: list[Address], left: int, slab_at: Callable[[Address], Pfn]
) -> Detached:
    """Collect from slots, and move what is collected behind what is left.

    left: how many slots there still are to look at, one at least, none of them 0.

    >>> slots = list(range(16, 32))
    >>> detach_by_swapping(slots, 16, lambda address: address % 2)
    Detached(chain=(27, 29, 31), left=13)
    >>> slots[10:]
    [26, 30, 28, 27, 29, 31]
    >>> detach_by_swapping(slots, 13, lambda address: address % 2)
    Detached(chain=(22, 24, 26, 30, 28), left=8)
    """
    slab = slab_at(slots[left - 1])
    chain: list[Address] = []
    passed = 0
    for slot in reversed(range(left)):
        if slab_at(slots[slot]) == slab:
            chain.insert(0, slots[slot])
            left -= 1
            slots[slot], slots[left] = slots[left], slots[slot]
            continue
        passed += 1
        if passed == LOOK_AHEAD:
            break
    return Detached(tuple(chain), left)
