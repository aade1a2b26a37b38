"""The gear of a campaign that asks for objects: walks, Hypothesis examples and streams."""

from collections.abc import Callable
from itertools import product
from random import Random

from pagefuzz.campaign.plan import Plan, Result, enter
from pagefuzz.coverage import verbs_served
from pagefuzz.slabs.draw import random_slabs
from pagefuzz.slabs.lockstep import SlabLockstep, failure_of
from pagefuzz.slabs.record import slab_trace_of
from pagefuzz.slabs.target import SlabFactory
from pagefuzz.slabs.under import slab_factory_of
from pagefuzz.slabs.walk import WALK_REQUESTS, walk
from pagefuzz.target.builtin import TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.slab.machine import Scheme
from pagespec.slab.trace import SlabTrace

WALKS, EXAMPLES, STREAM_REQUESTS = 3, 1, 100
"""What one round is: walks, Hypothesis examples, and requests of a stream."""

TURNS: tuple[Scheme, ...] = ("objects", "caches", "objects", "none")
"""The schemes in turn, that with the most to go wrong more often."""


def run_slabs(
    plan: Plan,
    rng: Random,
    era: Era,
    factory: Factory,
    result: Result,
    found: Callable[[SlabTrace], None],
) -> None:
    """Random requests for objects of every design and scheme in lockstep, and more in streams.

    Nothing in an era without slabs.
    """
    if not era.slab_designs:
        return
    slabs = slab_factory_of(factory)
    kinds = list(product(TURNS, era.slab_designs))
    for number in range(WALKS * plan.rounds):
        scheme, design = kinds[number % len(kinds)]
        machine = random_slabs(rng, era, design, scheme)
        lockstep: SlabLockstep | None = None
        try:
            lockstep = SlabLockstep(machine, slabs)
            walk(lockstep, rng, WALK_REQUESTS)
        except LawBroken as broken:
            found(failure_of(machine, lockstep, broken))
            return
        finally:
            if lockstep is not None:
                done = lockstep.done
                enter(result, len(done), lockstep.reached + verbs_served(done))
    if isinstance(factory, TwinFactory):
        _run_streams(plan, rng, era, factory, result, found)
    if result.law is None:
        _run_examples(plan, rng, era, slabs, result, found)


def _run_streams(
    plan: Plan,
    rng: Random,
    era: Era,
    factory: TwinFactory,
    result: Result,
    found: Callable[[SlabTrace], None],
) -> None:
    # Numba takes a third of a second to import; whoever tests the spec need not wait.
    from pagefuzz.slabs.stream import SlabReplay

    for _ in range(plan.rounds):
        machine = random_slabs(rng, era)
        replay = SlabReplay(machine, rng, factory.kernels)
        try:
            replay.run(STREAM_REQUESTS)
        except LawBroken as broken:
            found(slab_trace_of(machine, replay.done, replay.filled, broken))
            return
        finally:
            result.operations += len(replay.done)


def _run_examples(
    plan: Plan,
    rng: Random,
    era: Era,
    slabs: SlabFactory,
    result: Result,
    found: Callable[[SlabTrace], None],
) -> None:
    """Hypothesis examples; the first failure ends them, and is shrunk as a trace."""
    # Hypothesis takes a third of a second to import; whoever only replays traces need not wait.
    from pagefuzz.machines.judged import entered
    from pagefuzz.slabs.machine import SlabLedger, run_slab_machine

    ledger = SlabLedger(slabs, found)
    examples = EXAMPLES * plan.rounds
    with entered(result, ledger):
        run_slab_machine(ledger, [era], rng.getrandbits(63), examples=examples, shrink=False)
