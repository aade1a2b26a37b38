"""Which tries of an allocation reach the lists of its CPU, and what these must learn from them."""

from typing import NamedTuple

from pagespec.laws.replay import pressure_on
from pagespec.laws.tries import (
    due_try,
    must_refill,
    passes,
    passes_at,
    rights_of,
    with_kswapd,
    without_rights,
)
from pagespec.laws.ways import goes_by_lists, number_of, set_of, type_of
from pagespec.pcp.state import Load, Pcp
from pagespec.pcp.tuning import CALM, Doubling, Pressure, Tuned, after_alloc, refill, taken
from pagespec.types import Order
from pagespec.verbs import Op
from pagespec.watermark.check import NO_RIGHTS, Rights
from pagespec.zone import Zone


class Asked(NamedTuple):
    """How many blocks a list asks the buddy for, 0 if it holds enough, and the sizes after."""

    blocks: int
    load: Load


def pressures(zone: Zone, op: Op) -> list[Pressure]:
    """Of each try before the last one that reaches the lists: what the zone's state asks of them.

    Kswapd runs from the second try on. In the era that tries the high mark first a zone that is
    below it is known to be so from that try on.
    """
    levels = zone.levels
    if not goes_by_lists(zone, op, op.order):
        return []
    if levels is None:
        return [CALM]
    plain, found = without_rights(op), list[Pressure]()
    below = levels.below_high or found_below(zone, plain, NO_RIGHTS)
    if passes_at(zone, plain, "low", NO_RIGHTS):
        found.append(Pressure(levels.reclaiming, below))
    if due_try(zone, op).number != "low":
        below = below or found_below(zone, op, rights_of(op))
        if passes_at(with_kswapd(zone, levels), op, "min", rights_of(op)):
            found.append(Pressure(True, below))
    if op.emergency and due_try(zone, op).number in ("emergency", "none"):
        found.append(Pressure(True, below))
    return found


def found_below(zone: Zone, op: Op, rights: Rights) -> bool:
    """Whether a try that asks for the high mark finds the zone below it."""
    levels = zone.levels
    if levels is None or not zone.machine.era.tries_high_first:
        return False
    return not passes(zone, op, levels.marks.high + levels.boost, rights)


def asked(zone: Zone, op: Op) -> Asked:
    """What the list asks for at the last of these tries, and what the sizes learn from all."""
    pcp = set_of(zone, op)
    empty = must_refill(pcp, number_of(zone.machine, op.order, type_of(zone, op)))
    due = Asked(0, pcp.load)
    for pressure in pressures(zone, op):
        due = asked_once(after_request(due.load), op.order, pcp.count, pressure, empty=empty)
    return due


def after_request(load: Load) -> Load:
    """The sizes when a block is asked for: what frees have taught them counts half."""
    if isinstance(load, Doubling):
        return after_alloc(load)
    return taken(load) if isinstance(load, Tuned) else load


def asked_once(load: Load, order: Order, count: int, pressure: Pressure, *, empty: bool) -> Asked:
    """What a list asks for if it is empty: a batch of frames, of higher orders two blocks at least.

    count: the frames in all lists of the CPU.
    """
    if not empty:
        return Asked(0, load)
    if isinstance(load, Tuned):
        return Asked(*refill(load, order, count, pressure))
    if isinstance(load, Doubling) and load.batch > 1:
        return Asked(max(load.batch >> order, 2), load)
    return Asked(load.batch, load)


def asked_in_bulk(zone: Zone, listed: int, pcp: Pcp, takes: int, moved: int) -> Asked:
    """What a list asks for while so many blocks are taken from it in a row, and the sizes after.

    listed: the blocks on the list before. moved: how many the buddy had to give in all.
    """
    due, count = Asked(0, pcp.load), pcp.count
    for _ in range(takes):
        if not listed:
            blocks, load = asked_once(due.load, 0, count, pressure_on(zone), empty=True)
            listed, moved = min(blocks, moved), moved - min(blocks, moved)
            due, count = Asked(due.blocks + blocks, load), count + listed
        listed, count = listed - 1, count - 1
    return due
