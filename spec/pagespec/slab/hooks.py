"""What is done to objects as they are given out and come back, whatever the allocator is.

Each object passes both hooks in turn: one when a caller gets it, one when it comes back. The latter
may withhold an object, so that it is not used again for a while.

Source: mm/slab.h (slab_post_alloc_hook) and mm/slub.c (slab_free_freelist_hook), 5.8 to 6.12;
899447f669da for objects that are withheld and must not be counted as freed.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pagespec.slab.state import Cache, HeldObject, Slabs
from pagespec.slab.verbs import Address


class Passed(NamedTuple):
    """What has passed the hook and is free now: a chain, the next one to be served first.

    objects: how many it has, which is told apart since nobody walks it afterwards.
    """

    chain: tuple[Address, ...]
    objects: int


def give_out(slabs: Slabs, cache: Cache, group: int, addresses: Sequence[Address]) -> None:
    """Let objects be held from now on, charged to a group if it pays by the object."""
    charged = group if slabs.machine.scheme == "objects" else 0
    for address in addresses:
        slabs.held[address] = HeldObject(cache.number, cache.group, charged)


def pass_back(
    slabs: Slabs, cpu: int, chain: tuple[Address, ...], withheld: Sequence[Address]
) -> Passed:
    """Let objects of one slab be held no more, and turn the chain round.

    The chain is built anew from those that are not withheld, one before the other, so that it comes
    out the other way round.
    """
    passed: tuple[Address, ...] = ()
    objects = len(chain)
    for address in chain:
        del slabs.held[address]
        if address in withheld:
            slabs.withheld[cpu].append(address)
            objects -= 1
        else:
            passed = (address, *passed)
    return Passed(passed, objects)
