"""Judging a step: the laws at every step, and those of zones at rest wherever the locks allow."""

from collections.abc import Hashable, Sequence

from pagespec.laws.kept import KEPT_STATE_LAWS
from pagespec.laws.law import Law, LawBroken
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import Swept, swept
from pagespec.schedule.contexts import World
from pagespec.schedule.laws import AT_EVERY_STEP
from pagespec.schedule.moment import Moment
from pagespec.trace import Request
from pagespec.verbs import Verb
from pagespec.zone import Zone

NONE: frozenset[str] = frozenset()

OF_LISTS = frozenset(law.id for law in KEPT_STATE_LAWS.laws)
"""The laws about CPUs' lists, which can be asked when nobody is at any."""
IN_FLIGHT = frozenset({"BUD-partition"})
"""The laws that do not know of frames in flight."""
UNDER_WAY: dict[Verb, frozenset[str]] = {
    Verb.DISABLE: frozenset({"PCP-off"}),
    Verb.UNPLUG: frozenset({"PCP-unplugged", "CELL-sum", "CELL-width"}),
    Verb.REFRESH: frozenset({"CELL-sum"}),
    Verb.ISOLATE: frozenset({"MT-list"}),
    Verb.RESTORE: frozenset({"MT-list"}),
    Verb.CONTIG: frozenset({"MT-list"}),
}
"""The laws about what a request is bringing about: they hold again when it has ended.

Lists are disabled before they are drained, a CPU is gone before its lists are empty, what a refresh
has taken out of a cell is in flight, and a range changes its type pageblock by pageblock, a free
block that is larger with its first one.
"""


class Judge:
    """Judges the steps of one scenario, and remembers what was said of each zone at rest.

    without: laws that are not asked. asked: those that have been.
    """

    def __init__(self, without: frozenset[str] = NONE) -> None:
        self.without = without
        self.asked: set[str] = set()
        self.said: dict[Hashable, LawBroken | None] = {}
        self.at_every_step: Sequence[Law[Moment]] = ()
        self.at_rest: dict[frozenset[str], Sequence[Law[Swept]]] = {}

    def broken(self, moment: Moment, zone: Hashable) -> LawBroken | None:
        """The first law that is broken, if any. zone: the zone after the step, as a value."""
        world = moment.world
        if not self.at_every_step:
            era = world.scenario.machine.era
            laws = [law for law in AT_EVERY_STEP.laws if law.eras(era)]
            self.at_every_step = [law for law in laws if law.id not in self.without]
            self.asked |= {law.id for law in self.at_every_step}
        for law in self.at_every_step:
            complaint = law.complaint(moment)
            if complaint is not None:
                return LawBroken(law.id, complaint)
        without = unasked(world)
        if without is None:
            return None
        key = zone, without
        if key not in self.said:
            self.said[key] = self.broken_at_rest(world, without)
        return self.said[key]

    def broken_at_rest(self, world: World, without: frozenset[str]) -> LawBroken | None:
        """The first law of zones at rest that is broken, but for some."""
        laws = self.at_rest.get(without)
        if laws is None:
            era, unwanted = world.scenario.machine.era, without | self.without
            laws = [law for law in STATE_LAWS.laws if law.eras(era) and law.id not in unwanted]
            self.at_rest[without] = laws
            self.asked |= {law.id for law in laws}
        state = swept(world.zone)
        for law in laws:
            complaint = law.complaint(state)
            if complaint is not None:
                return LawBroken(law.id, complaint)
        return None


def unasked(world: World) -> frozenset[str] | None:
    """The laws of zones at rest that cannot be asked just now; None if none can.

    So it is with the zone's lock held, and of counters.
    """
    if not isinstance(world.shared, Zone):
        return None
    without = NONE
    for role, context in zip(world.scenario.roles, world.contexts, strict=True):
        if context.rest is not None:
            asked = role.requests[context.at]
            if isinstance(asked, Request) and asked.verb in UNDER_WAY:
                without |= UNDER_WAY[asked.verb]
        if context.flight:
            without |= IN_FLIGHT
        for hold in context.holds:
            if hold.lists is None:
                return None
            without |= OF_LISTS
    return without
