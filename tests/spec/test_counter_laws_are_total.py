"""Laws about counters judge whatever is done to them: they hold or are broken, and never stumble.

And what the spec does keeps them all, in every era and design.
"""

from random import Random

import pytest

from pagefuzz.counters.draw import random_counters
from pagefuzz.counters.requests import random_mix, random_request
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.types import FAULT, NO_MEMORY, Refusal
from pagespec.vmstat.counters import Counters, Stage, Update, boot_counters, copy_of_counters
from pagespec.vmstat.laws.book import CounterBook, book_of
from pagespec.vmstat.laws.judge import COUNTER_LAWS, TWIN_COUNTER_LAWS, judge_counters
from pagespec.vmstat.laws.refused import REFUSAL_LAWS
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.machine import CounterMachine, Item
from pagespec.vmstat.numa import NUMA_DESIGNS
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp, CounterVerb

OUTCOMES = (0, 1, 7, -200, NO_MEMORY, FAULT, *map(int, Refusal))
BOOKS = (REFUSAL_LAWS, COUNTER_LAWS, TWIN_COUNTER_LAWS)
NUMBERS = (-(2**40), -1, 0, 1, 2, 9, 2**40)


def walked(rng: Random, machine: CounterMachine, count: int) -> list[CounterStep]:
    """Random requests that the spec serves, each judged."""
    counters, book, mix = boot_counters(machine), book_of(machine), random_mix(rng, machine)
    steps: list[CounterStep] = []
    for _ in range(count):
        op, before = random_request(rng, counters, mix), copy_of_counters(counters)
        outcome = perform(counters, op)
        after = copy_of_counters(counters)
        steps.append(CounterStep(before, op, outcome, after, book, after, outcome))
        judge_counters(steps[-1])
    return steps


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("numa", NUMA_DESIGNS)
def test_the_spec_keeps_all_laws(era: str, numa: str) -> None:
    """Each request of a walk on machines of that era and design."""
    rng = Random(f"laws {era} {numa}")
    machine = random_counters(rng, ERAS[era])
    while machine.numa_name != numa:
        machine = random_counters(rng, ERAS[era])

    walked(rng, machine, 80)


def strange_op(rng: Random) -> CounterOp:
    """Of any verb, about anything, also what is not there."""

    def number() -> int:
        return rng.choice(NUMBERS)

    def flag() -> bool:
        return rng.random() < 0.5

    return CounterOp(
        rng.choice(list(CounterVerb)),
        cpu=number(),
        item=rng.choice(list(Item)),
        where=number(),
        by=number(),
        times=number(),
        irqs_on=flag(),
        open=flag(),
        number=number(),
        close=flag(),
        order=number(),
        reclaim=flag(),
        preferred=number(),
        interleave=flag(),
        pages=number(),
        silent=flag(),
    )


def stir(rng: Random, counters: Counters) -> None:
    """Change a state at random."""
    places, cpus = range(len(counters.places)), range(len(counters.cells))
    for _ in range(4):
        rng.choice(counters.cells)[rng.choice(places)] = rng.choice(NUMBERS)
        counters.told[rng.choice(places)] = rng.choice(NUMBERS)
        counters.totals[rng.choice(list(counters.totals))] = rng.choice(NUMBERS)
    counters.running ^= {rng.choice(cpus)}
    counters.thresholds[rng.randrange(len(counters.thresholds))] = rng.choice((-1, 0, 3, 125, 300))
    counters.drift_marks[rng.randrange(len(counters.drift_marks))] = rng.choice(NUMBERS)
    counters.numa_on = rng.random() < 0.5
    left = rng.choice((None, *NUMBERS))
    cell = Update(rng.choice(places), rng.choice(NUMBERS), rng.choice(cpus), Stage.CELL, left)
    counters.updates.insert(rng.randint(0, len(counters.updates)), cell)


def judged(step: CounterStep, book: CounterBook) -> list[str]:
    """The laws that a request breaks, one by one and then in order."""
    names = [
        broken.law_id for laws in BOOKS for broken in laws.broken(step.before.machine.era, step)
    ]
    try:
        judge_counters(step._replace(book=book))
    except LawBroken as broken:
        names.append(broken.law_id)
    return names


@pytest.mark.parametrize("seed", range(8))
def test_any_step_is_judged(seed: int) -> None:
    """Also one whose states, request and outcome have nothing to do with each other."""
    rng = Random(f"total {seed}")
    machine = random_counters(rng, rng.choice(list(ERAS.values())))
    steps = walked(rng, machine, 40)
    states = [copy_of_counters(step.after) for step in steps]
    for state in states[::3]:
        stir(rng, state)
    names: list[str] = []
    for _ in range(60):
        before, after, twin = (rng.choice(states) for _ in range(3))
        op = strange_op(rng) if rng.random() < 0.3 else rng.choice(steps).op
        verb = rng.choice(list(CounterVerb)) if rng.random() < 0.3 else op.verb
        step = CounterStep(
            before, op._replace(verb=verb), rng.choice(OUTCOMES), after, steps[0].book, twin, 0
        )
        names += judged(step, rng.choice((steps[0].book, book_of(machine))))

    assert {"VM-refused", "VM-conserve", "TWIN-counters"} <= set(names)
