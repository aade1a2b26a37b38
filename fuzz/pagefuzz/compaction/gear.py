"""The gear of a campaign that compacts: walks in lockstep, and Hypothesis examples."""

from collections.abc import Callable
from random import Random

from pagefuzz.campaign.plan import Plan, Result, enter
from pagefuzz.compaction.draw import random_compaction
from pagefuzz.compaction.lockstep import CompactionLockstep
from pagefuzz.compaction.record import failure_of
from pagefuzz.compaction.under import compaction_factory_of
from pagefuzz.compaction.walk import WALK_REQUESTS, walk
from pagefuzz.coverage import verbs_served
from pagefuzz.target.protocol import Factory
from pagespec.compaction.trace import CompactionTrace
from pagespec.era import Era
from pagespec.laws.law import LawBroken

WALKS, EXAMPLES = 2, 1
"""What one round is: walks and Hypothesis examples."""


def run_compactions(
    plan: Plan,
    rng: Random,
    era: Era,
    factory: Factory,
    result: Result,
    found: Callable[[CompactionTrace], None],
) -> None:
    """Random requests to zones that are compacted; nothing in an era that compacts nothing."""
    if era.compaction is None:
        return
    compactions = compaction_factory_of(factory)
    for number in range(WALKS * plan.rounds):
        machine = random_compaction(rng, era, number)
        lockstep: CompactionLockstep | None = None
        try:
            lockstep = CompactionLockstep(machine, compactions)
            walk(lockstep, rng, WALK_REQUESTS)
        except LawBroken as broken:
            found(failure_of(machine, lockstep, broken))
            return
        finally:
            if lockstep is not None:
                done = lockstep.done
                enter(result, len(done), lockstep.reached + verbs_served(done))
    # Hypothesis takes a third of a second to import; whoever only replays traces need not wait.
    from pagefuzz.compaction.machine import CompactionLedger, run_compaction_machine
    from pagefuzz.machines.judged import entered

    ledger = CompactionLedger(compactions, found)
    with entered(result, ledger):
        run_compaction_machine(
            ledger, [era], rng.getrandbits(63), examples=EXAMPLES * plan.rounds, shrink=False
        )
