"""How long each operation has interrupts off: its windows, from the steps that it takes."""

from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.guards import RULES
from pagespec.ops import STEPS, outcome_of
from pagespec.pcp.cpus import work_on
from pagespec.schedule.running import AnySteps
from pagespec.schedule.windows import Lists, Window
from pagespec.steps import Guard, Step, Steps, Stop, Visit
from pagespec.verbs import Op, Outcome
from pagespec.zone import Zone

ENDS = (Step.UNLOCK, Step.UNGUARD, Step.BACK)
"""The stops that end what the last one before them that is not yet ended has begun."""


class Measured(NamedTuple):
    """What came of a request, and the longest that it had interrupts off."""

    outcome: Outcome
    window: Window


def begins(zone: Zone, stop: Stop) -> bool | None:
    """Whether interrupts are off for what begins at that stop; None where nothing begins.

    What is about to be taken there is had at once, since nobody else is at work.
    """
    rule = RULES[zone.machine.era.guard]
    if isinstance(stop, Guard):
        return rule.drains_irqs_off
    if isinstance(stop, Visit):
        return zone.machine.era.visits == "interrupt"
    return {Step.LOCK: True, Step.GUARD: rule.irqs_off}.get(stop)


def watched(zone: Zone, steps: AnySteps, found: list[int]) -> Steps[int | None]:
    """The same steps; what they visit each time that interrupts are off is found."""
    begun: list[bool] = []
    since = 0
    try:
        while True:
            stop = next(steps)
            off = any(begun)
            begin = begins(zone, stop)
            if begin is not None:
                begun.append(begin)
            elif stop in ENDS:
                begun.pop()
            if any(begun) and not off:
                since = zone.visited
            elif off and not any(begun):
                found.append(zone.visited - since)
            yield stop
    except StopIteration as end:
        value: int | None = end.value
        return value


def lists_before(zone: Zone, op: Op) -> Lists:
    """The CPUs' lists as a bound heeds them, before a request."""
    sets = [pcp for pcps in zone.pcps for pcp in pcps]
    held = zone.held.get(op.pfn)
    freed = 0 if held is None else SIZES[held.order]
    loads = tuple(dict.fromkeys(pcp.load for pcp in sets))
    kept = max((pcp.count for pcp in sets), default=0)
    on_a_cpu = max((sum(pcp.count for pcp in pcps) for pcps in zone.pcps), default=0)
    return Lists(loads, kept + freed, on_a_cpu)


def measure(zone: Zone, op: Op) -> Measured:
    """Serve a request and measure the longest that it had interrupts off."""
    lists = lists_before(zone, op)
    found: list[int] = []
    work_on(zone, op.cpu)
    outcome = outcome_of(op.verb, watched(zone, STEPS[op.verb](zone, op), found))
    return Measured(outcome, Window(zone.machine, op, lists, max(found, default=0)))
