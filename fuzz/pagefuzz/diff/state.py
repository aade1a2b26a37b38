"""A zone's state as a tuple: small enough to keep a million of, and enough to go on from.

What repeats the lists (tags, pair bits) is left out and made again. So is what
only illegal requests could tell: the frames that were once given out.
"""

from collections import OrderedDict
from typing import NamedTuple

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import HIGHATOMIC, MigrateType
from pagespec.types import Order, Pfn
from pagespec.zone import Held, Zone, empty_zone


class ListKey(NamedTuple):
    """Which free list: of an order, and of a type."""

    order: Order
    mt: MigrateType


class State(NamedTuple):
    """What can be seen of a zone.

    lists: every list that is not empty, with its blocks in order. held: the holdings by head.
    free_highatomic: None where the era does not count it. The other fields are as in `Zone`, in
    ascending order.
    """

    lists: tuple[tuple[ListKey, tuple[Pfn, ...]], ...]
    pageblocks: tuple[MigrateType, ...]
    held: tuple[tuple[Pfn, Held], ...]
    guards: tuple[tuple[Pfn, Order], ...]
    poisoned: tuple[Pfn, ...]
    offline: tuple[Pfn, ...]
    nr_free: tuple[int, ...]
    free_pages: int
    free_cma: int
    free_highatomic: int | None
    nr_reserved: int


def frozen(zone: Zone) -> State:
    """The state of a zone."""
    return State(
        tuple(
            (ListKey(order, mt), tuple(blocks))
            for order, lists in enumerate(zone.free_area)
            for mt, blocks in sorted(lists.items())
            if blocks
        ),
        tuple(zone.pageblocks),
        tuple(sorted(zone.held.items())),
        tuple(sorted(zone.guards.items())),
        tuple(sorted(zone.poisoned)),
        tuple(sorted(zone.offline)),
        tuple(zone.nr_free),
        zone.free_pages,
        zone.free_cma,
        zone.free_highatomic if zone.machine.era.retypes_on_merge else None,
        zone.nr_reserved,
    )


def thawed(machine: Machine, state: State) -> Zone:
    """A zone of that state, which shares nothing that changes."""
    zone = empty_zone(machine)
    tagged = machine.era.design == "tag"
    for (order, mt), blocks in state.lists:
        zone.free_area[order][mt] = OrderedDict.fromkeys(blocks)
        if tagged:
            zone.tag.update(dict.fromkeys(blocks, order))
        elif order < machine.top:
            for pfn in blocks:
                zone.pair_bits[order] ^= {(pfn - machine.base) // SIZES[order + 1]}
    zone.pageblocks = list(state.pageblocks)
    zone.held = dict(state.held)
    zone.given = set(zone.held)
    zone.guards = dict(state.guards)
    zone.poisoned, zone.offline = set(state.poisoned), set(state.offline)
    zone.nr_free, zone.free_pages = list(state.nr_free), state.free_pages
    zone.free_cma, zone.free_highatomic = state.free_cma, state.free_highatomic or 0
    zone.nr_reserved = state.nr_reserved
    return zone


def in_terms_of(era: Era, state: State) -> State:
    """The state with what the era alone would count, so that its laws can judge another's state."""
    if not era.retypes_on_merge:
        return state._replace(free_highatomic=None)
    free = sum(
        SIZES[order] * len(blocks) for (order, mt), blocks in state.lists if mt is HIGHATOMIC
    )
    return state._replace(free_highatomic=free)
