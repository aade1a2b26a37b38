"""Drawing scenarios about counters: who changes cells, tells what they hold, and comes between."""

from dataclasses import replace
from random import Random

from pagefuzz.counters.draw import random_counters
from pagespec.era import Era
from pagespec.guards import RULES
from pagespec.schedule.contexts import Level, Role, Scenario
from pagespec.vmstat.machine import CounterMachine, Item
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterOp, CounterVerb

ROLES, REQUESTS, FIRST = (2, 2, 3, 4), (1, 2, 3), (0, 2, 6)
"""Contexts, requests of one, and requests before anybody works."""

CHANGES = (CounterVerb.MOD, CounterVerb.MOD, CounterVerb.INC, CounterVerb.DEC)
COUNTS = (CounterVerb.COUNT, CounterVerb.COUNT)
OTHERS = (CounterVerb.REFRESH, CounterVerb.REFRESH, CounterVerb.WAKE, CounterVerb.REST)
"""What is asked for: interrupts change and count. 4.11-rc loses counts, which is known."""

MOVES, INTERRUPTS, CHANGED, IRQS_ON = 0.4, 0.35, 0.7, 0.7
"""How many tasks may move, how many contexts are interrupts, how much of it all is changes, and how
many of these see to interrupts themselves."""

MOST_CPUS = 3
"""CPUs of a machine at most; on more, contexts seldom meet."""


def happens(rng: Random, share: float) -> bool:
    """Whether something happens that does in that share of all cases.

    It does not where the number drawn is 0: Hypothesis shrinks towards that.
    """
    return rng.random() >= 1 - share


def random_counting(rng: Random, era: Era) -> Scenario:
    """A scenario of two to four contexts that share counters."""
    machine = random_counters(rng, era)
    machine = replace(machine, cpus=machine.cpus[:MOST_CPUS])
    cpus = len(machine.cpus)
    setup = [_change(rng, machine) for _ in range(rng.choice(FIRST))]
    first = tuple(CounterRequest(op._replace(cpu=rng.randrange(cpus))) for op in setup)
    roles = [_task(rng, machine)]
    for _ in range(rng.choice(ROLES) - 1):
        interrupts = happens(rng, INTERRUPTS)
        roles.append(_interrupt(rng, machine) if interrupts else _task(rng, machine))
    return Scenario(machine, tuple(roles), first)


def _task(rng: Random, machine: CounterMachine) -> Role:
    requests = tuple(
        CounterRequest(_change(rng, machine) if happens(rng, CHANGED) else _other(rng, machine))
        for _ in range(rng.choice(REQUESTS))
    )
    # Allocations are counted with the guard of the lists held, so that the CPU is known.
    counts = any(request.op.verb is CounterVerb.COUNT for request in requests)
    moves = len(machine.cpus) > 1 and not counts and happens(rng, MOVES)
    return Role(Level.TASK, rng.randrange(len(machine.cpus)), requests, moves)


def _interrupt(rng: Random, machine: CounterMachine) -> Role:
    level = rng.choice((Level.SOFTIRQ, Level.HARDIRQ))
    request = CounterRequest(_change(rng, machine))
    return Role(level, rng.randrange(len(machine.cpus)), (request,))


def _change(rng: Random, machine: CounterMachine) -> CounterOp:
    counts = () if RULES[machine.era.guard].bars_interrupts else COUNTS
    verb, zones = rng.choice((*CHANGES, *counts)), range(len(machine.zones))
    op = CounterOp(verb, where=rng.choice(zones), times=rng.choice((1, 1, 2)))
    if verb is CounterVerb.COUNT:
        return op._replace(preferred=rng.choice(zones))
    op = op._replace(item=Item.FREE, irqs_on=happens(rng, IRQS_ON))
    if verb is CounterVerb.MOD:
        return op._replace(times=1, by=rng.choice((-7, -2, -1, 1, 2, 3, 7)))
    return op


def _other(rng: Random, machine: CounterMachine) -> CounterOp:
    verb = rng.choice(OTHERS)
    return CounterOp(
        verb, where=0 if verb is CounterVerb.REFRESH else rng.choice(machine.zones).node
    )
