"""An allocator as a set of held blocks: the sequential specification at level `refines`.

An allocation may return any aligned block of free frames. It may fail only if there is no such
block, or if what there is may be kept where it cannot get at it: on the lists of CPUs.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pagefuzz.threads.linear import Call
from pagespec.frames import SIZES
from pagespec.laws.masks import frames_of, managed_frames
from pagespec.machine import Machine
from pagespec.types import NO_MEMORY, Block, Order
from pagespec.verbs import Op, Verb
from pagespec.zone import Held

Holdings: TypeAlias = frozenset[tuple[int, Held]]
"""The blocks that are held, by head, each with its order and references."""


@dataclass(frozen=True, slots=True)
class Abstract:
    """The specification of one machine.

    excused: how many free frames CPUs may keep, all together, out of the reach of a request that
    fails. 0 where no CPU keeps any: then only a zone without such a block excuses. Otherwise a
    failure is excused by that number alone, wherever those frames really are: this specification
    does not know.
    """

    machine: Machine
    excused: int = 0

    def after(self, held: Holdings, call: Call[Op]) -> Iterator[Holdings]:
        """The states in which the call may leave that state with its outcome."""
        op = call.request
        if op.verb is Verb.ALLOC:
            yield from self._after_alloc(held, op, call.outcome)
            return
        if op.verb in CHANGES_NOTHING:
            if call.outcome == 0:
                yield held
            return
        mine = [(pfn, block) for pfn, block in held if pfn == op.pfn]
        if not mine or call.outcome != 0:
            return
        block = mine[0][1]
        rest = held - {mine[0]}
        if op.verb is Verb.GET:
            yield rest | {(op.pfn, block._replace(refs=block.refs + 1))}
        elif op.verb is Verb.SPLIT:
            if block.order == op.order and not block.compound:
                pages = {
                    (op.pfn + at, Held(0, 1, False, block.mt)) for at in range(SIZES[op.order])
                }
                first = (op.pfn, Held(0, block.refs, False, block.mt))
                yield (rest | pages) - {(op.pfn, Held(0, 1, False, block.mt))} | {first}
        elif op.verb is Verb.FREE and block.order != op.order:
            return
        elif block.refs == 1:
            # Only a compound block knows its order when its last reference is dropped by a put.
            if op.verb is Verb.FREE or block.compound or block.order == 0:
                yield rest
        elif op.verb is Verb.PUT or block.compound:
            yield rest | {(op.pfn, block._replace(refs=block.refs - 1))}
        else:
            # The rest of the block is free at once; others hold its first frame.
            yield rest | {(op.pfn, block._replace(order=0, refs=block.refs - 1))}

    def _after_alloc(self, held: Holdings, op: Op, outcome: int) -> Iterator[Holdings]:
        free = managed_frames(self.machine)
        for pfn, block in held:
            free &= ~frames_of(self.machine, Block(pfn, block.order))
        if outcome == NO_MEMORY:
            if self._blocks(free, op.order) <= self.excused:
                yield held
            return
        machine = self.machine
        size = SIZES[op.order]
        inside = machine.start <= outcome and outcome + size <= machine.end
        if outcome < 0 or not inside or (outcome - machine.base) % size:
            return
        if frames_of(machine, Block(outcome, op.order)) & ~free == 0:
            yield held | {(outcome, Held(op.order, 1, op.compound, op.mt))}

    def _blocks(self, free: int, order: Order) -> int:
        """How many aligned blocks of that order are free as a whole: each takes one frame away."""
        machine, size = self.machine, SIZES[order]
        first = machine.start + (machine.base - machine.start) % size
        return sum(
            1
            for pfn in range(first, machine.end - size + 1, size)
            if frames_of(machine, Block(pfn, order)) & ~free == 0
        )


CHANGES_NOTHING = frozenset({Verb.DRAIN, Verb.DRAIN_ALL, Verb.AGE, Verb.EXPIRE, Verb.REFRESH})
"""What moves frames between lists alone."""
