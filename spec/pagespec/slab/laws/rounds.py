"""Bulk frees by the slab: what goes back together, and how it lies then.

Source: mm/slub.c (build_detached_freelist and slab_free_freelist_hook), 5.8 to 6.12.
"""

from collections.abc import Iterator

from pagespec.slab.laws.step import SlabStep
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import Address
from pagespec.types import Pfn

Key = tuple[int, int]
LOOK_AHEAD = 3
"""Objects of other slabs at which the search for more of the same ends."""


def home_of(slabs: Slabs, address: Address) -> tuple[Key, Pfn]:
    """The cache and the slab of an object that is held; itself, if it is a block of frames."""
    held = slabs.held[address]
    key = (held.cache, held.cache_group)
    if not held.cache:
        return key, address // PAGE
    cache = slabs.caches[key]
    pages = 2**cache.shape.order
    return key, next(first for first in cache.slabs if 0 <= address // PAGE - first < pages)


def rounds_of(homes: list[Pfn | None], *, swaps: bool) -> list[list[int]]:
    """The slots that each round takes, given the slab of each; None for an empty one.

    A round looks from the end down for objects of the last one's slab, until it has met three of
    others. swaps: whether it moves what it takes to the end, which changes the order of the rest.

    >>> rounds_of([1, 2, 1, 2, 1, 2, 1, 2], swaps=False)
    [[7, 5, 3], [6, 4, 2, 0], [1]]
    """
    left = [number for number, home in enumerate(homes) if home is not None]
    rounds: list[list[int]] = []
    while left:
        home, taken, others = homes[left[-1]], [left[-1]], 0
        at = len(left) - 1
        end = at
        while at > 0 and others < LOOK_AHEAD:
            at -= 1
            if homes[left[at]] != home:
                others += 1
                continue
            taken.append(left[at])
            end -= 1
            if swaps:
                left[at], left[end] = left[end], left[at]
        rounds.append(taken)
        left = left[:end] if swaps else [number for number in left if number not in taken]
    return rounds


def taken_together(step: SlabStep) -> list[list[Address]]:
    """What a free gives back in each round, the highest in the array first."""
    before, op = step.before, step.op
    homes = [home_of(before, address)[1] if address else None for address in op.addresses]
    rounds = rounds_of(homes, swaps=before.machine.era.detaches_by_swapping)
    return [[op.addresses[at] for at in taken] for taken in rounds]


def freed_on_slabs(step: SlabStep) -> Iterator[tuple[Key, Pfn, list[int]]]:
    """For each slab that gets objects back, their numbers, the one to be served next first."""
    before, op = step.before, step.op
    freed: dict[tuple[Key, Pfn], list[int]] = {}
    for taken in taken_together(step):
        key, first = home_of(before, taken[0])
        if key[0]:
            size = before.caches[key].shape.size
            free = [address for address in taken if address not in op.withheld]
            # What was taken first comes to lie in front: a round is turned round on its way.
            freed.setdefault((key, first), [])[:0] = [
                (address - first * PAGE) // size for address in free
            ]
    for (key, first), numbers in freed.items():
        yield key, first, numbers


def withheld_in(step: SlabStep) -> list[Address]:
    """What a free withholds, in the order in which it comes to the objects."""
    slub = step.before.machine.design == "slub"
    rounds = taken_together(step) if slub else [[*step.op.addresses[::-1]]]
    found = [address for taken in rounds for address in taken[::-1]]
    small = [address for address in found if step.before.held[address].cache]
    return [address for address in small if address in step.op.withheld]
