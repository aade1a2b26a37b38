"""The gear of a campaign that lets several contexts work at once: walks, priorities, examples.

It searches the schedules of the spec, which the twin stands for request by request.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from pagefuzz.campaign.plan import Plan, Result, enter
from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.pct import pct
from pagefuzz.schedule.record import schedule_trace_of
from pagefuzz.schedule.walk import Walked, walk
from pagefuzz.target.builtin import TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import Era
from pagespec.schedule.trace import ScheduleTrace

WALKS, PRIORITIES, EXAMPLES = 18, 2, 1
"""What one round is: walks of a scenario each, runs by priorities, and Hypothesis examples."""

STEPS, DEPTH = 40, 3
"""The steps within which priorities change, and the depth of the faults that are looked for."""


def run_schedules(
    plan: Plan,
    rng: Random,
    era: Era,
    factory: Factory,
    result: Result,
    found: Callable[[ScheduleTrace], None],
) -> None:
    """Random schedules of random scenarios, each step judged; the first failure ends them."""
    if isinstance(factory, TwinFactory) and factory.guard is not None:
        era = replace(era, guard=factory.guard)
    for walked in _walks(plan, rng, era):
        enter(result, walked.steps, walked.reached)
        if walked.broken is not None:
            found(schedule_trace_of(walked.scenario, tuple(walked.schedule), walked.broken))
            return
    # Hypothesis takes a third of a second to import; whoever only replays traces need not wait.
    from pagefuzz.machines.judged import entered
    from pagefuzz.schedule.machine import ScheduleLedger, run_examples

    ledger = ScheduleLedger(found)
    examples = EXAMPLES * plan.rounds
    with entered(result, ledger):
        run_examples(ledger, [era], rng.getrandbits(63), examples=examples, shrink=False)


def _walks(plan: Plan, rng: Random, era: Era) -> Iterator[Walked]:
    for _ in range(WALKS * plan.rounds):
        yield walk(rng.getrandbits(63), random_scenario(rng, era))
    for _ in range(PRIORITIES * plan.rounds):
        yield pct(rng.getrandbits(63), random_scenario(rng, era), STEPS, DEPTH)
