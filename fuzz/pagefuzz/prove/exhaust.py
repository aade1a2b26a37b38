"""Every exact state that a zone can reach, with no bound on the number of operations.

Operations are alloc of any order and free of any held block, without references. From boot each is
tried in each state until nothing new turns up; in between, laws are judged. So what holds here
holds after any sequence of such operations, however long, on a zone this small.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias
from zlib import crc32

from pagefuzz.prove.judging import judge_of, judge_order, judge_state, judge_step, stamps_of
from pagefuzz.prove.renaming import canonical_of, renaming_of
from pagefuzz.prove.states import State, check_in_step, check_small, frozen, thawed
from pagespec.boot import boot
from pagespec.events import Event, Kind
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, copy_of

Beside: TypeAlias = Callable[[Zone, Op, Outcome, Zone], None]
"""Another allocator's part: serve the request in the state before, raise LawBroken if it differs.
"""


class Counts(NamedTuple):
    """What an exhaustion found: states, and what happened on the steps between them.

    heads, tails: blocks that entered their list at the head and at the tail. checksum: of boot's
    state and of every step, so that any other allocator has another one; it is that of the states
    that were visited, so it is another one without renaming.
    """

    states: int
    steps: int
    failures: int
    splits: int
    merges: int
    heads: int
    tails: int
    checksum: int


KINDS = (Kind.FAIL, Kind.SPLIT, Kind.MERGE, Kind.HEAD, Kind.TAIL)
"""The events that are counted from failures to tails."""


def exhaust(machine: Machine, *, renaming: bool = True, beside: Beside | None = None) -> Counts:
    """The counts over all reachable states and all steps between them.

    renaming: whether one state stands for all that exchange whole TOP-order blocks; what is
    counted is all of them either way.

    Raises LawBroken, which names the step, for the first law that a state or a step breaks.
    """
    check_small(machine)
    exchange = renaming_of(machine)
    renaming = renaming and len(exchange.heads) > 1

    def standing_for(zone: Zone) -> tuple[State, int]:
        state = frozen(zone)
        return canonical_of(exchange, state) if renaming else (state, 1)

    zone = boot(machine)
    judge = judge_of(machine, zone)
    todo = [standing_for(zone)]
    seen = {todo[0][0]}
    allocs = [Op(Verb.ALLOC, order) for order in range(machine.top + 1)]
    counts = Counts(0, 0, 0, 0, 0, 0, 0, crc32(frozen(zone)))
    while todo:
        state, size = todo.pop()
        before = thawed(machine, state)
        shape, stamps = judge_state(judge, before), stamps_of(judge, before)
        ops = [*allocs, *(Op(Verb.FREE, held.order, pfn) for pfn, held in before.held.items())]
        log: list[Event] = []
        sums = 0
        for op in ops:
            zone = copy_of(before)
            try:
                outcome = perform(zone, op)
                check_in_step(zone)
                judge_step(judge, before, shape, op, outcome, zone, judge_state(judge, zone))
                judge_order(stamps, op, outcome, zone)
                if beside is not None:
                    beside(before, op, outcome, zone)
            except LawBroken as broken:
                raise located(broken, before, op) from broken
            except (LookupError, ValueError) as fault:
                raise located(LawBroken("OUT-fault", repr(fault)), before, op) from fault
            after = standing_for(zone)
            if after[0] not in seen:
                seen.add(after[0])
                todo.append(after)
            log += zone.log
            sums += checksum_of(state, op, outcome, after[0])
        kinds = [kind for kind, _, _ in log]
        found = (size, size * len(ops), *(size * kinds.count(kind) for kind in KINDS), sums)
        counts = Counts(*map(int.__add__, counts, found))
    return counts._replace(checksum=counts.checksum % 2**32)


def checksum_of(state: State, op: Op, outcome: Outcome, after: State) -> int:
    """A number for one step; the numbers of all steps are added, in whatever order they come."""
    served = bytes((op.verb is Verb.FREE, op.order, op.pfn, outcome % 256))
    return crc32(served + state + served + after)


def located(broken: LawBroken, before: Zone, op: Op) -> LawBroken:
    """The same breach with the step at which it showed."""
    machine = before.machine
    lists = [list(blocks) for blocks in before.free_area]
    held = {pfn: held.order for pfn, held in before.held.items()}
    return LawBroken(
        broken.law_id,
        f"{broken.complaint}; at {op.verb.value} order={op.order} pfn={op.pfn} on free lists "
        f"{lists} and held orders {held} of machine pages={machine.pages} top={machine.top} "
        f"start={machine.start} era={machine.era.name}",
    )
