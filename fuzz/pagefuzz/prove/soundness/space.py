"""Every state that the free count of one small zone can reach, shortest ways first.

What happens is put to the machine as requests, and what is free in truth is kept in a book of its
own: the sum of what was asked for. So nothing that is judged here comes from the code that is
judged, but for the answers.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from pagespec.frames import SIZES
from pagespec.types import Order
from pagespec.vmstat.counters import Counters, boot_counters, copy_of_counters
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp, CounterVerb, Level

Action: TypeAlias = tuple[CounterOp, ...]
"""Requests that belong together: if one is answered by no, the rest is not made."""

Kind: TypeAlias = Callable[[Counters, int], Iterable[Action]]
"""The actions of one kind that a CPU can begin in a state."""

Profile: TypeAlias = tuple[bool, int, tuple[tuple[str, int, tuple[int, ...]], ...]]
"""Whether a CPU runs, what it keeps, and its updates under way."""

CHANGES = {CounterVerb.INC: 1, CounterVerb.DEC: -1}


class Reached(NamedTuple):
    """A state, what is free there in truth, and how it was reached.

    before: the state that the action led from, None for the first.
    """

    counters: Counters
    truth: int
    action: Action
    before: "Reached | None"


@dataclass(frozen=True, slots=True)
class Space:
    """A machine of one zone, and what may happen there: first what leads to the start, then kinds.

    most_updates: how many updates may be under way at a time.
    """

    machine: CounterMachine
    start: tuple[CounterOp, ...]
    kinds: tuple[Kind, ...]
    most_updates: int = 0


def visit(space: Space) -> Iterator[Reached]:
    """Every state once, in the order of how many actions lead there.

    CPUs that keep the same stand for one another.
    """
    counters = boot_counters(space.machine)
    first = done(Reached(counters, space.machine.zones[0].pages, (), None), space.start)
    assert first is not None
    todo = [first._replace(action=(), before=None)]
    seen = {key_of(todo[0])}
    while todo:
        found: list[Reached] = []
        for at in todo:
            yield at
            for action in actions_at(space, at.counters):
                after = done(at, action)
                if after is None or len(after.counters.updates) > space.most_updates:
                    continue
                key = key_of(after)
                if key not in seen:
                    seen.add(key)
                    found.append(after)
        todo = found


def way_to(reached: Reached) -> list[Action]:
    """The actions that led to a state, first to last."""
    way = []
    at: Reached | None = reached
    while at is not None:
        way.append(at.action)
        at = at.before
    return way[-2::-1]


def actions_at(space: Space, counters: Counters) -> Iterator[Action]:
    """What may happen in a state, on one of the CPUs that keep the same."""
    cpus = {profile_of(counters, cpu): cpu for cpu in range(len(counters.cells))}
    for cpu in cpus.values():
        for kind in space.kinds:
            yield from kind(counters, cpu)


def done(at: Reached, action: Action) -> Reached | None:
    """The state after an action, or None if it is refused, answered by no, or finds no frames."""
    counters, truth = copy_of_counters(at.counters), at.truth
    for op in action:
        adds = CHANGES.get(op.verb, op.by if op.verb is CounterVerb.MOD else 0)
        adds -= SIZES[op.order] if op.verb is CounterVerb.TAKE else 0
        truth += adds
        if not 0 <= truth <= counters.pages[0]:
            return None
        outcome = perform(counters, op)
        asks = op.verb in (CounterVerb.CHECK, CounterVerb.TAKE)
        if outcome < asks:
            return None
    return Reached(counters, truth, action, at)


def profile_of(counters: Counters, cpu: int) -> Profile:
    """What sets a CPU apart: whether it runs, what it keeps, and its updates under way."""
    cell = counters.cells[cpu][0]
    if not counters.updates:
        return cpu in counters.running, cell, ()
    updates = sorted(
        (update.stage.name, update.pages, () if update.left is None else (update.left,))
        for update in counters.updates
        if update.cpu == cpu
    )
    return cpu in counters.running, cell, tuple(updates)


def key_of(at: Reached) -> tuple[object, ...]:
    """All that the zone's count depends on, whichever CPU it is that keeps what."""
    counters = at.counters
    profiles = sorted(profile_of(counters, cpu) for cpu in range(len(counters.cells)))
    retuned = counters.thresholds[0], counters.drift_marks[0], counters.min_free, counters.pages[0]
    return counters.told[0], at.truth, *profiles, *retuned, bool(counters.reclaiming)


# --- kinds of what may happen ------------------------------------------------------------------


def changes(*amounts: int, irqs_on: bool = False, left_open: bool = False) -> Kind:
    """Changes by some amounts; those by one are increments and decrements as well."""
    one_by_one = {1: CounterVerb.INC, -1: CounterVerb.DEC}

    def kind(counters: Counters, cpu: int) -> Iterator[Action]:
        for by in amounts:
            op = CounterOp(CounterVerb.MOD, cpu, by=by, irqs_on=irqs_on, open=left_open)
            yield (op,)
            if by in one_by_one:
                yield (op._replace(verb=one_by_one[by], by=0),)

    return kind


def landings(counters: Counters, cpu: int) -> Iterator[Action]:
    """The next step of each update that is under way on the CPU."""
    for number, update in enumerate(counters.updates):
        if update.cpu == cpu:
            yield (CounterOp(CounterVerb.LAND, number=number),)


def single(*verbs: CounterVerb) -> Kind:
    """Requests that need no more than a verb and a CPU, or node 0."""

    def kind(counters: Counters, cpu: int) -> Iterator[Action]:
        for verb in verbs:
            yield (CounterOp(verb, cpu),)

    return kind


def min_free(*kbytes: int) -> Kind:
    """Other values of min_free_kbytes."""

    def kind(counters: Counters, cpu: int) -> Iterator[Action]:
        for size in kbytes:
            yield (CounterOp(CounterVerb.MIN_FREE, pages=size),)

    return kind


def takes(level: Level, *orders: Order) -> Kind:
    """Requests for one block, each of which passes the allocator's own check first."""

    def kind(counters: Counters, cpu: int) -> Iterator[Action]:
        for order in orders:
            yield (CounterOp(CounterVerb.TAKE, cpu, level=level, order=order),)

    return kind


def refill(cpu: int, level: Level, batch: int) -> Action:
    """The allocator's own check, and the batch that it moves to the CPU's list if it passes."""
    check = CounterOp(CounterVerb.CHECK, level=level)
    return check, CounterOp(CounterVerb.MOD, cpu, by=-batch)
