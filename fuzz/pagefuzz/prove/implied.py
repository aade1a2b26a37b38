"""What repeats the lists of a state, and so is left out of it: tags, counts and pair bits."""

from collections.abc import Sequence
from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MigrateType
from pagespec.pcp.index import order_of_list
from pagespec.pcp.state import Pcp
from pagespec.types import Order, Pfn
from pagespec.watermark.levels import Levels, levels_of
from pagespec.zone import Zone


class Implied(NamedTuple):
    """What the lists of a state imply: the fields of a zone that repeat them.

    levels: the zone's watermarks, as far as they never change. marks: a byte a frame, with the type
    of the list and the order of the block that it heads.
    """

    tag: dict[Pfn, Order]
    nr_free: list[int]
    free_pages: int
    free_cma: int
    free_highatomic: int
    pair_bits: list[set[int]]
    levels: Levels | None
    marks: bytes


LISTED = 0x80
"""A mark of a free block's head, beside the type of its list and its order."""


def implied(machine: Machine, lists: Sequence[bytes]) -> Implied:
    """The fields that repeat lists, which stand order by order and in each type by type.

    How free frames are counted is the era's: since 4.10 isolated ones do not count.
    """
    types = machine.types_listed
    tag: dict[Pfn, Order] = {}
    by_type = dict.fromkeys(MigrateType, 0)
    nr_free = [0] * (machine.top + 1)
    marks = bytearray(machine.pages)
    for at, blocks in enumerate(lists):
        order, mt = at // len(types), types[at % len(types)]
        nr_free[order] += len(blocks)
        by_type[mt] += len(blocks) * SIZES[order]
        for pfn in blocks:
            tag[pfn] = order
            marks[pfn - machine.start] = LISTED | mt << 4 | order
    if machine.era.isolation != "move":
        by_type[ISOLATE] = 0
    tagged = machine.era.design == "tag"
    return Implied(
        tag=tag if tagged else {},
        nr_free=nr_free,
        free_pages=sum(by_type.values()),
        free_cma=by_type[CMA],
        free_highatomic=by_type[HIGHATOMIC] if machine.era.retypes_on_merge else 0,
        pair_bits=[set() for _ in nr_free] if tagged else pairs_of(machine, lists),
        levels=levels_of(machine),
        marks=bytes(marks),
    )


def pairs_of(machine: Machine, lists: Sequence[bytes]) -> list[set[int]]:
    """Per order below the top, the pairs of which exactly one sibling is listed."""
    pairs: list[set[int]] = [set() for _ in lists]
    for order, blocks in enumerate(lists[:-1]):
        for pfn in blocks:
            pairs[order] ^= {(pfn - machine.base) // SIZES[order + 1]}
    return pairs


def count_of(machine: Machine, pcp: Pcp) -> int:
    """How many frames a CPU's lists hold."""
    return sum(
        len(blocks) * SIZES[order_of_list(index, machine.huge)]
        for index, blocks in enumerate(pcp.lists)
        if blocks
    )


def never_changed(now: Levels | None, first: Levels | None) -> bool:
    """Whether what never changes of a zone's watermarks is as it was."""
    if now is None or first is None:
        return now is first
    return now.marks == first.marks and now.reserve == first.reserve


def repeats_lists(zone: Zone, repeats: Implied) -> bool:
    """Whether all fields that repeat the lists are as these imply, and constants as they were."""
    return (
        zone.tag == repeats.tag
        and zone.nr_free == repeats.nr_free
        and zone.free_pages == repeats.free_pages
        and zone.free_cma == repeats.free_cma
        and zone.free_highatomic == repeats.free_highatomic
        and zone.pair_bits == repeats.pair_bits
        and all(pcp.count == count_of(zone.machine, pcp) for pcps in zone.pcps for pcp in pcps)
        and never_changed(zone.levels, repeats.levels)
    )
