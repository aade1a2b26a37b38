"""The state of a zone: its free lists, the order tags, and the blocks that are held.

Plain data, no behaviour beyond the smallest moves that keep one field in step with itself.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pagespec.events import Event, Kind
from pagespec.machine import Machine
from pagespec.types import Block, Order, Pfn

FreeList: TypeAlias = "OrderedDict[Pfn, None]"
"""The heads of free blocks of one order. The front is the end that requests are served from."""


class Held(NamedTuple):
    """A block that somebody holds.

    compound: whether the block stays one until its last reference is dropped; otherwise its first
    frame alone carries the references.
    """

    order: Order
    refs: int
    compound: bool


@dataclass(slots=True)
class Zone:
    """Everything that the allocator knows of a zone.

    free_area: per order, the free blocks in list order.
    tag: the order in the page of each free block's head; frames without a tag are absent.
    nr_free: per order, how many blocks free_area should hold.
    free_pages: how many frames should be free.
    pair_bits: per order, the pairs whose bit is 1 in the bitmap design; a pair's number is its
        index shifted by 1 + order.
    held: the blocks that are given out, by head.
    given: every frame that ever headed a block that was given out.
    visited: frames and list nodes that the algorithms have looked at.
    log: what happened, in the kernel's words; whoever reads it clears it.
    """

    machine: Machine
    free_area: list[FreeList]
    tag: dict[Pfn, Order]
    nr_free: list[int]
    free_pages: int
    pair_bits: list[set[int]]
    held: dict[Pfn, Held]
    given: set[Pfn]
    visited: int
    log: list[Event]


STATE = ("free_area", "tag", "nr_free", "free_pages", "pair_bits", "held", "given")
"""The fields of a zone that are its state; `visited` and `log` say what happened on the way."""


def empty_zone(machine: Machine) -> Zone:
    """A zone before boot hands over its memory: nothing is free and nothing is held."""
    orders = range(machine.top + 1)
    return Zone(
        machine=machine,
        free_area=[OrderedDict() for _ in orders],
        tag={},
        nr_free=[0 for _ in orders],
        free_pages=0,
        pair_bits=[set() for _ in orders],
        held={},
        given=set(),
        visited=0,
        log=[],
    )


def copy_of(zone: Zone) -> Zone:
    """The same state, sharing nothing that changes."""
    return Zone(
        machine=zone.machine,
        free_area=[blocks.copy() for blocks in zone.free_area],
        tag=zone.tag.copy(),
        nr_free=zone.nr_free.copy(),
        free_pages=zone.free_pages,
        pair_bits=[bits.copy() for bits in zone.pair_bits],
        held=zone.held.copy(),
        given=zone.given.copy(),
        visited=zone.visited,
        log=zone.log.copy(),
    )


def list_add(zone: Zone, pfn: Pfn, order: Order, *, to_tail: bool = False) -> None:
    """Put the block into its order's free list, at the head unless told otherwise."""
    blocks = zone.free_area[order]
    blocks[pfn] = None
    if not to_tail:
        blocks.move_to_end(pfn, last=False)
    zone.nr_free[order] += 1
    zone.log.append(Event(Kind.TAIL if to_tail else Kind.HEAD, pfn, order))


def list_del(zone: Zone, pfn: Pfn, order: Order) -> None:
    """Take the block out of its order's free list."""
    del zone.free_area[order][pfn]
    zone.nr_free[order] -= 1


def free_blocks(zone: Zone) -> list[Block]:
    """Every free block, by order and then in list order."""
    return [Block(pfn, order) for order, blocks in enumerate(zone.free_area) for pfn in blocks]
