"""The laws over very many states and steps, each judged once where the answer must be the same.

The laws of state and step speak about which blocks are free and held, not about the order of the
lists. So they are judged once for each *shape*: what heads a free and what a held block at each
frame. Only BUD-place asks for order; the stamps answer it on every step.
"""

from dataclasses import dataclass, field
from typing import TypeAlias

from pagespec.laws.exact import EXACT_LAWS, Placed
from pagespec.laws.law import Transition
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.machine import Machine
from pagespec.stamps import (
    Stamps,
    boot_stamps,
    expected_alloc,
    expected_free,
    expected_lists,
    mask_of,
)
from pagespec.types import NO_MEMORY, Block
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, free_blocks

Shape: TypeAlias = int
"""The number of a set of free blocks and holdings."""


@dataclass(slots=True)
class Judge:
    """What has been judged already.

    shapes: the number of each shape. steps: the requests between shapes, with their outcomes.
    """

    machine: Machine
    origin: int
    shapes: dict[bytes, Shape] = field(default_factory=dict)
    steps: set[tuple[Shape, Op, Outcome, int, Shape]] = field(default_factory=set)


def judge_of(machine: Machine, booted: Zone) -> Judge:
    """A judge for one machine, who has looked at the zone after boot.

    Raises LawBroken, as all judging does.
    """
    BOOT_LAWS.check(machine.era, booted)
    stamps = boot_stamps(machine)
    lists = [list(blocks) for blocks in booted.free_area]
    EXACT_LAWS.check(machine.era, Placed("boot", 0, 0, lists, expected_lists(stamps)))
    return Judge(machine, stamps.origin)


def judge_state(judge: Judge, zone: Zone) -> Shape:
    """Judge a state, unless its shape has been judged; return the shape."""
    start = judge.machine.start
    marks = bytearray(2 * judge.machine.pages)
    for order, blocks in enumerate(zone.free_area):
        for pfn in blocks:
            marks[2 * (pfn - start)] = order + 1
    for pfn, held in zone.held.items():
        marks[2 * (pfn - start) + 1] = held.order + 1
    mark = bytes(marks)
    shape = judge.shapes.get(mark)
    if shape is None:
        STATE_LAWS.check(judge.machine.era, zone)
        if not zone.held:
            RETURN_LAWS.check(judge.machine.era, zone)
        shape = judge.shapes[mark] = len(judge.shapes)
    return shape


def judge_step(
    judge: Judge, before: Zone, was: Shape, op: Op, outcome: Outcome, after: Zone, becomes: Shape
) -> None:
    """Judge a step between two states, given their shapes."""
    step = (was, op, outcome, after.visited, becomes)
    if step not in judge.steps:
        verb, order, pfn, _ = op
        STEP_LAWS.check(
            judge.machine.era,
            Transition(before, verb.value, order, pfn, outcome, after, after.visited),
        )
        judge.steps.add(step)


def judge_order(stamps: Stamps, op: Op, outcome: Outcome, after: Zone) -> None:
    """Judge the lists after a step, and what it returned, by the stamps of the state before."""
    machine, stamp = stamps.machine, stamps.stamp.copy()
    stamps = Stamps(machine, stamps.origin, stamps.free, stamp, stamps.clock)
    if op.verb is Verb.ALLOC:
        pfn = expected_alloc(stamps, op.order)
        due = NO_MEMORY if pfn is None else pfn
    else:
        expected_free(stamps, op.pfn, op.order)
        due = 0
    lists = [list(blocks) for blocks in after.free_area]
    expected = expected_lists(stamps)
    if outcome != due or lists != expected:
        EXACT_LAWS.check(machine.era, Placed(op.verb.value, outcome, due, lists, expected))


def stamps_of(judge: Judge, zone: Zone) -> Stamps:
    """Stamps that put the free blocks in the order in which the lists hold them."""
    blocks = [Block(pfn - judge.origin, order) for pfn, order in free_blocks(zone)]
    return Stamps(
        judge.machine,
        judge.origin,
        free=sum(mask_of(*block) for block in blocks),
        stamp={block: place for place, block in enumerate(blocks)},
        clock=len(blocks),
    )
