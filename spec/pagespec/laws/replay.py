"""What a CPU's lists must be after frames were freed onto them, block by block.

The formulas of the era say how many frames go back to the buddy and from which lists in turn; the
ends of the lists say which blocks these are. Nothing here knows the buddy.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pagespec.frames import SIZES
from pagespec.laws.holdings import blocks_freed
from pagespec.laws.law import Transition
from pagespec.laws.ways import at_tail, frees_by_lists, number_of, set_of, type_at
from pagespec.machine import Machine
from pagespec.migratetype import MigrateType
from pagespec.pcp.drain import from_preferred, round_robin
from pagespec.pcp.index import orders_of_lists
from pagespec.pcp.sizes import Pageset
from pagespec.pcp.state import Load, Pcp
from pagespec.pcp.tuning import (
    CALM,
    Pressure,
    Tuned,
    after_drain,
    drain_of,
    freed,
    frees_high,
    high_of,
)
from pagespec.types import Block, Order, Pfn
from pagespec.zone import Zone


@dataclass(slots=True)
class Replay:
    """A set of lists as it must be.

    lists: per list, its blocks from the front on, each with its type. drained: the blocks that went
    back to the buddy, in turn.
    """

    machine: Machine
    lists: list[list[tuple[Pfn, MigrateType]]]
    load: Load
    drained: list[Block]

    @property
    def orders(self) -> tuple[Order, ...]:
        """The order of the blocks on each list."""
        return orders_of_lists(self.machine.era.lists, self.machine.huge)

    @property
    def sizes(self) -> list[int]:
        """The frames of a block of each list."""
        return [SIZES[max(0, order)] for order in self.orders]

    @property
    def count(self) -> int:
        """The frames in all lists."""
        return sum(len(blocks) * size for blocks, size in zip(self.lists, self.sizes, strict=True))


def replay_of(zone: Zone, pcp: Pcp) -> Replay:
    """The lists as they stand."""
    return Replay(zone.machine, [list(blocks.items()) for blocks in pcp.lists], pcp.load, [])


def pressure_on(zone: Zone) -> Pressure:
    """What the zone's state asks of its lists."""
    levels = zone.levels
    return CALM if levels is None else Pressure(levels.reclaiming, levels.below_high)


def after_frees(step: Transition) -> Replay | None:
    """The lists that a served free must leave; None if its blocks pass them by.

    None also where a drain on the way may take away what the next one heeds.
    """
    zone, op = step.before.zone, step.op
    blocks = [block for block in blocks_freed(zone, op) if frees_by_lists(zone, op, *block)]
    pressure = pressure_on(zone)
    if not blocks or (pressure.below_high and len(blocks) > 1):
        return None
    due = replay_of(zone, set_of(zone, op))
    for block in blocks:
        put(due, block, type_at(zone, block.pfn), pressure, at_tail=at_tail(zone, op))
    return due


def put(due: Replay, block: Block, mt: MigrateType, pressure: Pressure, *, at_tail: bool) -> None:
    """Free a block onto the lists, and drain them as the era does: until 2.6.11 before."""
    number = number_of(due.machine, block.order, mt)
    if due.machine.era.tuning == "pair":
        drain(due, _due_drain(due, block.order, pressure), number)
    due.lists[number].insert(len(due.lists[number]) if at_tail else 0, (block.pfn, mt))
    if due.machine.era.tuning != "pair":
        drain(due, _due_drain(due, block.order, pressure), number)


def _due_drain(due: Replay, order: Order, pressure: Pressure) -> int:
    """How many frames the formulas ask to drain, and what the sizes learn from it."""
    load, count = due.load, due.count
    if isinstance(load, Pageset):
        return load.batch if count >= load.high else 0
    if isinstance(load, Tuned):
        due.load, pages = freed(load, order, count, pressure)
        return pages
    flush = due.machine.era.tuning == "doubling-flush" and frees_high(load, order)
    if count < high_of(load, pressure) and not flush:
        return 0
    due.load = after_drain(load, pressure, free_high=flush)
    return drain_of(load, count, pressure, free_high=flush)


def drain(due: Replay, pages: int, preferred: int = 0) -> None:
    """Take so many frames from the tails, in the era's turns."""
    lengths = list(map(len, due.lists))
    turns: Iterable[int] = round_robin(lengths, pages, due.sizes)
    if due.machine.era.drains_from_preferred:
        turns = from_preferred(lengths, pages, due.sizes, preferred)
    for number in turns:
        pfn, _ = due.lists[number].pop()
        due.drained.append(Block(pfn, max(0, due.orders[number])))
