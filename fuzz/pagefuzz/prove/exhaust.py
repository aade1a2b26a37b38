"""Every exact state that a zone can reach, with no bound on the number of operations.

Operations are alloc of any order and free of any held block, without references. From boot each is
tried in each state until nothing new turns up; in between, laws are judged. So what holds here
holds after any sequence of such operations, however long, on a zone this small.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from pagefuzz.prove.judging import Shape, judge_of, judge_order, judge_state, judge_step, stamps_of
from pagefuzz.prove.renaming import canonical_of, renaming_of
from pagefuzz.prove.states import State, check_in_step, check_small, frozen, thawed
from pagespec.boot import boot
from pagespec.events import Event, Kind
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.ops import Op, Outcome, Verb, perform
from pagespec.zone import Zone, copy_of

Beside: TypeAlias = Callable[[Zone, Op, Outcome, Zone], None]
"""Another allocator's part: serve the request in the state before, raise LawBroken if it differs.
"""


class Counts(NamedTuple):
    """What an exhaustion found: states, and what happened on the steps between them.

    heads, tails: blocks that entered their list at the head and at the tail.
    """

    states: int
    steps: int
    failures: int
    splits: int
    merges: int
    heads: int
    tails: int


KINDS = (Kind.FAIL, Kind.SPLIT, Kind.MERGE, Kind.HEAD, Kind.TAIL)
"""The events behind the last five counts."""


def exhaust(machine: Machine, *, renaming: bool = True, beside: Beside | None = None) -> Counts:
    """The counts over all reachable states and all steps between them.

    renaming: whether one state stands for all that exchange whole TOP-order blocks; the counts are
    of all states either way.

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
    state, size = standing_for(zone)
    shapes: dict[State, Shape] = {state: judge_state(judge, zone)}
    todo = [(state, size)]
    allocs = [Op(Verb.ALLOC, order) for order in range(machine.top + 1)]
    counts = Counts(0, 0, 0, 0, 0, 0, 0)
    while todo:
        state, size = todo.pop()
        before = thawed(machine, state)
        shape, stamps = shapes[state], stamps_of(judge, before)
        log: list[Event] = []
        ops = [*allocs, *(Op(Verb.FREE, held.order, pfn) for pfn, held in before.held.items())]
        for op in ops:
            zone = copy_of(before)
            try:
                outcome = perform(zone, op)
                check_in_step(zone)
                state, members = standing_for(zone)
                if state not in shapes:
                    shapes[state] = judge_state(judge, zone)
                    todo.append((state, members))
                judge_step(judge, before, shape, op, outcome, zone, shapes[state])
                judge_order(stamps, op, outcome, zone)
                if beside is not None:
                    beside(before, op, outcome, zone)
            except LawBroken as broken:
                raise located(broken, before, op) from broken
            log += zone.log
        counts = Counts(*map(int.__add__, counts, _counted(size, len(ops), log)))
    return counts


def _counted(size: int, steps: int, log: Iterable[Event]) -> Counts:
    """The counts of a class of so many states, from the steps of one of them."""
    kinds = [kind for kind, _, _ in log]
    return Counts(size, size * steps, *(size * kinds.count(kind) for kind in KINDS))


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
