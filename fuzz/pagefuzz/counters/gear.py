"""The gear of a campaign that counts: walks, Hypothesis examples and streams of counters."""

from collections.abc import Callable
from random import Random

from pagefuzz.campaign.plan import Plan, Result, enter
from pagefuzz.counters.draw import random_counters
from pagefuzz.counters.lockstep import CounterLockstep
from pagefuzz.counters.record import counter_trace_of
from pagefuzz.counters.target import CounterFactory
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.counters.walk import WALK_REQUESTS, walk
from pagefuzz.coverage import verbs_served
from pagefuzz.target.builtin import TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.vmstat.numa import NumaName
from pagespec.vmstat.trace import CounterTrace

WALKS, EXAMPLES, STREAM_REQUESTS = 2, 1, 1_000
"""What one round is: walks, Hypothesis examples, and requests of a stream."""

DESIGNS: tuple[NumaName, ...] = ("u16", "s16-draft", "events", "items", "longs")
"""The designs in turn, those first whose events need more than one walk."""


def run_counters(
    plan: Plan,
    rng: Random,
    era: Era,
    factory: Factory,
    result: Result,
    found: Callable[[CounterTrace], None],
) -> None:
    """Random requests to counters of every design in lockstep, and more of them in batches."""
    counters = counter_factory_of(factory)
    for number in range(WALKS * plan.rounds):
        machine = random_counters(rng, era, DESIGNS[number % len(DESIGNS)])
        lockstep: CounterLockstep | None = None
        try:
            lockstep = CounterLockstep(machine, counters)
            walk(lockstep, rng, WALK_REQUESTS)
        except LawBroken as broken:
            found(counter_trace_of(machine, lockstep.done if lockstep else [], broken))
            return
        finally:
            if lockstep is not None:
                done = lockstep.done
                enter(result, len(done), lockstep.reached + verbs_served(done))
    if isinstance(factory, TwinFactory):
        _run_streams(plan, rng, era, factory, result, found)
    if result.law is None:
        _run_examples(plan, rng, era, counters, result, found)


def _run_streams(
    plan: Plan,
    rng: Random,
    era: Era,
    factory: TwinFactory,
    result: Result,
    found: Callable[[CounterTrace], None],
) -> None:
    # Numba takes a third of a second to import; whoever tests the spec need not wait.
    from pagefuzz.counters.stream import CounterReplay

    for _ in range(plan.rounds):
        machine = random_counters(rng, era)
        replay = CounterReplay(machine, rng, factory.kernels)
        try:
            replay.run(STREAM_REQUESTS)
        except LawBroken as broken:
            found(counter_trace_of(machine, replay.done, broken))
            return
        finally:
            result.operations += len(replay.done)


def _run_examples(
    plan: Plan,
    rng: Random,
    era: Era,
    counters: CounterFactory,
    result: Result,
    found: Callable[[CounterTrace], None],
) -> None:
    """Hypothesis examples; the first failure ends them, and is shrunk as a trace."""
    # Hypothesis takes a third of a second to import; whoever only replays traces need not wait.
    from pagefuzz.counters.machine import CounterLedger, run_counter_machine
    from pagefuzz.machines.judged import entered

    ledger = CounterLedger(counters, found)
    examples = EXAMPLES * plan.rounds
    with entered(result, ledger):
        run_counter_machine(ledger, [era], rng.getrandbits(63), examples=examples, shrink=False)
