"""Taking a step and seeing what came of it: what moved, and who has what in flight."""

from collections.abc import Callable, Sequence

from pagespec.events import Event
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move, World, beside, placed, zone_in
from pagespec.schedule.contexts import placed as placed_with
from pagespec.schedule.moment import Moment
from pagespec.schedule.rules import moves, placed_counter_op, take_step
from pagespec.schedule.sums import due_by_events, due_by_request, sums_of
from pagespec.types import EndlessWalk, Pfn
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterVerb
from pagespec.zone import Zone


def moment_of(
    world: World,
    move: Move,
    placed: Callable[[Zone], tuple[int, int]] = placed,
    moves: Callable[[World], Sequence[Move]] = moves,
) -> Moment:
    """Let a step happen, and return what the laws at every step are asked of.

    placed, moves: whoever has seen the same before may remember what they said.

    Raises LawBroken if the operation itself does not get through the step: it would walk without
    end, or stumbles over what others left.
    """
    context = world.contexts[move.context]
    flight, before, owed, at = context.flight, world.placed, context.owes, context.at
    begins = move.cpu is None and context.rest is None
    sums = sums_of(world.shared)
    zone = zone_in(world.shared)
    held = {} if zone is None else zone.held.copy()
    kept, holds = kept_in(zone), context.holds
    if zone is not None:
        zone.log.clear()
    try:
        take_step(world, move)
    except EndlessWalk as endless:
        # Nothing more is to be said by its cause, which is the complaint itself.
        raise LawBroken("LIVE-ends", str(endless)) from None
    except (LookupError, AssertionError) as fault:
        complaint = f"context {move.context} stumbles: {type(fault).__name__} {fault}"
        raise LawBroken("OUT-fault", complaint) from fault
    log: tuple[Event, ...] = ()
    twice = 0
    if zone is not None:
        log = tuple(zone.log)
        zone.log.clear()
        others = beside(world.shared)
        world.placed, twice = placed_with(zone, others) if others else placed(zone)
        context.flight = (flight | (before & ~world.placed)) & ~world.placed
    due = due_of(world, move.context, at, begins=begins, log=log)
    context.owes = left_of(owed, due, sums, sums_of(world.shared))
    nexts = tuple(moves(world))
    mine = {hold.lists for hold in holds}
    changed = (cpu for cpu, has in enumerate(kept_in(zone)) if has != kept[cpu])
    unguarded = tuple(cpu for cpu in changed if cpu not in mine)
    return Moment(
        world, move.context, before, world.placed, twice, flight, log, nexts, at, held, unguarded
    )


def kept_in(zone: Zone | None) -> list[list[tuple[int, list[tuple[Pfn, ...]]]]]:
    """Per CPU, of each set of its lists, the count and which blocks there are, in their order."""
    if zone is None:
        return []
    # Most lists are empty.
    return [
        [(pcp.count, [tuple(blocks) if blocks else () for blocks in pcp.lists]) for pcp in pcps]
        for pcps in zone.pcps
    ]


def due_of(
    world: World, number: int, at: int, *, begins: bool, log: Sequence[Event]
) -> tuple[int, ...] | None:
    """What a step makes due, or None where it sets the sums anew.

    at: the number of the request. Of counters all is due at once when a request begins, but what is
    taken only if there is enough.
    """
    if isinstance(world.shared, Zone):
        return due_by_events(world.shared, log)
    if not isinstance(world.shared, Counters):
        return ()
    context = world.contexts[number]
    requests = world.scenario.roles[number].requests
    if at == len(requests):
        return ()
    asked = requests[at]
    assert isinstance(asked, CounterRequest)
    ends = context.at > at
    if asked.op.verb is CounterVerb.NUMA_OFF:
        return None
    if not (ends if asked.op.verb is CounterVerb.TAKE else begins):
        return ()
    op = placed_counter_op(world, context.place, asked.op)
    return due_by_request(world.counters, op, context.outcomes[-1] if ends else None)


def left_of(
    owed: tuple[int, ...], due: tuple[int, ...] | None, before: Sequence[int], after: Sequence[int]
) -> tuple[int, ...]:
    """What is in flight after a step: what is owed and due without what was added; () for nothing.

    So who has nothing in flight is in the same state whatever the sums are.
    """
    if due is None or (before == after and not any(due)):
        return owed
    some = owed or (0,) * len(after)
    more = due or (0,) * len(after)
    left = [
        had + comes - (now - was)
        for had, comes, was, now in zip(some, more, before, after, strict=True)
    ]
    return tuple(left) if any(left) else ()
