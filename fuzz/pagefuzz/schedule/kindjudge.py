"""Judging steps of compaction and slabs: the laws at every step, and those at rest."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TypeAlias, TypeVar

from pagefuzz.schedule.judging import NONE, Judge
from pagespec.compaction.laws.moments import AT_EVERY_STEP as OF_COMPACTION
from pagespec.compaction.laws.moments import Glance, glance
from pagespec.compaction.laws.moments import Moment as Look
from pagespec.compaction.laws.rest import REST_LAWS as COMPACTION_AT_REST
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.state import Compaction
from pagespec.era import Era
from pagespec.laws.law import Law, LawBroken
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.schedule.contexts import Move, Scenario, World
from pagespec.schedule.laws import CONTEXT_LAWS
from pagespec.schedule.moment import Moment
from pagespec.schedule.moments import moment_of
from pagespec.schedule.silence import SPEAKS
from pagespec.slab.laws.judge import SLAB_REST_LAWS
from pagespec.slab.machine import SlabMachine
from pagespec.slab.state import Slabs
from pagespec.steps import Step

SILENT = frozenset({"BUD-success"})
"""The law that speaks of requests of zones alone."""


Asked = TypeVar("Asked")


def speaking(laws: Iterable[Law[Asked]], era: Era, but: frozenset[str] = NONE) -> list[Law[Asked]]:
    """The laws that speak of an era."""
    return [law for law in laws if law.eras(era) and law.id not in but]


def is_of_kind(scenario: Scenario) -> bool:
    """Whether compaction or slabs are what is shared, and not a zone or counters."""
    return isinstance(scenario.machine, CompactionMachine | SlabMachine)


Judged: TypeAlias = Callable[[World, Move], tuple[Moment, LawBroken | None]]
"""Takes a step, and says the first law that it breaks. Raises LawBroken if it can't be taken."""


def judge_of(scenario: Scenario) -> Judged:
    """Who takes the steps of a scenario and judges each as one of its own."""
    if is_of_kind(scenario):
        return KindJudge(scenario).step
    judge, number = Judge(), count()

    def judged(world: World, move: Move) -> tuple[Moment, LawBroken | None]:
        moment = moment_of(world, move)
        # Zones are not compared, so each step has a number of its own.
        return moment, judge.broken(moment, next(number))

    return judged


class KindJudge:
    """Takes steps and judges them. asked: the laws that have been asked."""

    def __init__(self, scenario: Scenario) -> None:
        era, machine = scenario.machine.era, scenario.machine
        zone = machine.zone if isinstance(machine, CompactionMachine | SlabMachine) else machine
        assert isinstance(zone, Machine)
        silent = SILENT | {law for law, speaks in SPEAKS.items() if not speaks(scenario, zone)}
        self.every = speaking(CONTEXT_LAWS.laws, era, silent)
        self.looks = speaking(OF_COMPACTION.laws, era)
        self.compacted = speaking(COMPACTION_AT_REST.laws, era)
        self.slabs = speaking(SLAB_REST_LAWS.laws, era)
        self.zones = speaking(STATE_LAWS.laws, era, silent)
        self.asked: set[str] = set()

    def step(self, world: World, move: Move) -> tuple[Moment, LawBroken | None]:
        """Take a step, and the first law that it breaks. Raises LawBroken if it can't be taken."""
        context, shared = world.contexts[move.context], world.shared
        locked = context.stop is Step.LOCK or any(hold.lists is None for hold in context.holds)
        before = glance(shared) if isinstance(shared, Compaction) else None
        moment = moment_of(world, move)
        return moment, self.broken(moment, before, locked)

    def broken(self, moment: Moment, before: Glance | None, locked: bool) -> LawBroken | None:
        """The first law that is broken."""
        world, shared = moment.world, moment.world.shared
        rests = all(context.rest is None for context in world.contexts)
        found = None
        if isinstance(shared, Compaction):
            assert before is not None
            found = self.first(self.looks, Look(before, shared, locked))
        found = found or self.first(self.every, moment)
        if found is not None or not rests:
            return found
        if isinstance(shared, Slabs):
            found = self.first(self.slabs, shared)
        elif isinstance(shared, Compaction):
            found = self.first(self.compacted, shared)
        return found or self.first(self.zones, swept(world.zone))

    def first(self, laws: Sequence[Law[Asked]], of: Asked) -> LawBroken | None:
        """The first of some laws that is broken."""
        for law in laws:
            self.asked.add(law.id)
            complaint = law.complaint(of)
            if complaint is not None:
                return LawBroken(law.id, complaint)
        return None
