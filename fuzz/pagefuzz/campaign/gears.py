"""Gears: streams for volume, walks for depth, Hypothesis for shape; each other kind has its own.

Each does its share of a unit, enters what it did into the result, and hands a failure to `found`
as soon as it has one.
"""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from pagefuzz.campaign.plan import Gear, Plan, Result, enter
from pagefuzz.campaign.walk import WALK_REQUESTS, large_machine, random_machine, walk
from pagefuzz.compaction.gear import run_compactions
from pagefuzz.counters.gear import run_counters
from pagefuzz.coverage import verbs_served
from pagefuzz.hosts.gear import run_hosts
from pagefuzz.lockstep import Lockstep
from pagefuzz.machines.failure import failure_of
from pagefuzz.plainer import plainer
from pagefuzz.record import trace_of
from pagefuzz.schedule.gear import run_schedules
from pagefuzz.slabs.gear import run_slabs
from pagefuzz.target.builtin import TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.host_trace import AnyTrace
from pagespec.laws.law import LawBroken
from pagespec.types import DomainError

Found: TypeAlias = Callable[[AnyTrace], None]
RunGear: TypeAlias = Callable[[Plan, Random, Era, Factory, Result, Found], None]

STREAM_REQUESTS, WALKS, EXAMPLES, LIST_EXAMPLES = 2_000, 4, 2, 1
"""What one round is, for about as long in each gear: requests of each of five streams, walks,
Hypothesis examples of the whole allocator and of CPUs' lists alone."""

DECLINED = 60
"""Machines of one round that an allocator may decline in all forms before it is walked on fewer."""


def run_streams(
    plan: Plan, rng: Random, era: Era, factory: Factory, result: Result, found: Found
) -> None:
    """Compiled requests to the twin, on machines of any shape and on ones with every order.

    Each round takes new ones: the largest blocks split and merge most while a zone is young.
    """
    # Numba takes a third of a second to import, and only this gear needs it.
    from pagefuzz.campaign.stream import Replay

    assert isinstance(factory, TwinFactory), "only the twin has compiled streams"
    draws = (random_machine, large_machine, random_machine, large_machine, random_machine)
    for draw in draws * plan.rounds:
        machine = draw(rng, era)
        replay = Replay(machine, rng, factory.kernels)
        try:
            replay.run(STREAM_REQUESTS)
        except LawBroken as broken:
            found(trace_of(machine, replay.done, broken, replay.filled))
            return
        finally:
            result.operations += len(replay.done)
            result.reached += replay.reached + verbs_served(replay.done)


def run_walks(
    plan: Plan, rng: Random, era: Era, factory: Factory, result: Result, found: Found
) -> None:
    """Random requests in lockstep, on machines of any shape; others for those that are declined.

    What an allocator declines it is first offered in plainer forms.
    """
    left = WALKS * plan.rounds
    while left and result.declined < DECLINED * plan.rounds:
        for machine in plainer(random_machine(rng, era)):
            lockstep: Lockstep | None = None
            try:
                lockstep = Lockstep(machine, factory, plan.level)
                result.reached += walk(lockstep, rng, WALK_REQUESTS)
            except DomainError:
                continue
            except LawBroken as broken:
                found(failure_of(machine, lockstep, broken))
                return
            finally:
                if lockstep is not None:
                    left -= 1
                    done = lockstep.done
                    enter(result, len(done), lockstep.reached + verbs_served(done))
            break
        else:
            result.declined += 1


def run_hypothesis(
    plan: Plan, rng: Random, era: Era, factory: Factory, result: Result, found: Found
) -> None:
    """Hypothesis examples in lockstep; the first failure ends them.

    It is shrunk like any other, as a trace: that takes a fraction of a second, where Hypothesis
    needs several to shrink what it drew. A test that runs the machine itself has both.
    """
    # Hypothesis takes a third of a second to import, and only this gear needs it.
    from hypothesis.errors import Flaky

    from pagefuzz.machines.buddy import buddy_machine
    from pagefuzz.machines.judged import Ledger, entered
    from pagefuzz.machines.lists import list_machine
    from pagefuzz.machines.running import run_machine

    ledger = Ledger(factory, plan.level, found)
    try:
        with entered(result, ledger):
            for make, examples in ((buddy_machine, EXAMPLES), (list_machine, LIST_EXAMPLES)):
                run_machine(
                    ledger,
                    [era],
                    rng.getrandbits(63),
                    examples=examples * plan.rounds,
                    shrink=False,
                    make=make,
                )
    except Flaky:
        # What Hypothesis drew depends on the answers, and the same requests got others.
        result.complaint = result.complaint or "the same requests got different answers"
    finally:
        result.declined += ledger.declined


RUN_GEAR: dict[Gear, RunGear] = {
    "stream": run_streams,
    "walk": run_walks,
    "hypothesis": run_hypothesis,
    "hosts": run_hosts,
    "counters": run_counters,
    "slabs": run_slabs,
    "compaction": run_compactions,
    "schedules": run_schedules,
}
