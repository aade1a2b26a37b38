"""Judging a step: the laws at every step, and those of zones at rest wherever the locks allow."""

from collections.abc import Hashable, Sequence

from pagespec.laws.kept import KEPT_STATE_LAWS
from pagespec.laws.law import Law, LawBroken
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import Swept, swept
from pagespec.schedule.contexts import Context, Role, World
from pagespec.schedule.laws import AMONG_ALL, AT_EVERY_STEP
from pagespec.schedule.moment import Moment
from pagespec.schedule.silence import silent_about
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
        self.among_all: Sequence[Law[Moment]] = ()
        self.kept_off: dict[tuple[int, int], frozenset[str] | None] = {}
        self.at_rest: dict[frozenset[str], Sequence[Law[Swept]]] = {}

    def broken(
        self,
        moment: Moment,
        zone: Hashable,
        stands: Sequence[int] | None = None,
        *,
        again: bool = False,
    ) -> LawBroken | None:
        """The first law that is broken, if any.

        zone: the zone after the step, as a value. stands: how each context stands after it, as a
        number, if there is one. again: whether the same step was judged before, with others who
        stood elsewhere.
        """
        world = moment.world
        if not self.at_every_step:
            self._choose(world)
        for law in self.among_all if again else self.at_every_step:
            complaint = law.complaint(moment)
            if complaint is not None:
                return LawBroken(law.id, complaint)
        without = self.unasked(world, stands)
        if without is None:
            return None
        key = zone, without
        if key not in self.said:
            self.said[key] = self.broken_at_rest(world, without)
        return self.said[key]

    def _choose(self, world: World) -> None:
        """Choose the laws at every step that speak of this world."""
        era, unwanted = world.scenario.machine.era, silent_about(world.scenario) | self.without
        self.at_every_step = [
            law for law in AT_EVERY_STEP.laws if law.eras(era) and law.id not in unwanted
        ]
        self.among_all = [law for law in self.at_every_step if law.id in AMONG_ALL]
        self.asked |= {law.id for law in self.at_every_step}

    def unasked(self, world: World, stands: Sequence[int] | None) -> frozenset[str] | None:
        """The laws of zones at rest that cannot be asked just now; None if none can."""
        if not isinstance(world.shared, Zone):
            return None
        without = NONE
        for number, context in enumerate(world.contexts):
            role = world.scenario.roles[number]
            if stands is None:
                kept = kept_off(role, context)
            else:
                key = number, stands[number]
                if key not in self.kept_off:
                    self.kept_off[key] = kept_off(role, context)
                kept = self.kept_off[key]
            if kept is None:
                return None
            if kept:
                without |= kept
        return without

    def broken_at_rest(self, world: World, without: frozenset[str]) -> LawBroken | None:
        """The first law of zones at rest that is broken, but for some."""
        laws = self.at_rest.get(without)
        if laws is None:
            era = world.scenario.machine.era
            unwanted = without | self.without | silent_about(world.scenario)
            laws = [law for law in STATE_LAWS.laws if law.eras(era) and law.id not in unwanted]
            self.at_rest[without] = laws
            self.asked |= {law.id for law in laws}
        state = swept(world.zone)
        for law in laws:
            complaint = law.complaint(state)
            if complaint is not None:
                return LawBroken(law.id, complaint)
        return None


def kept_off(role: Role, context: Context) -> frozenset[str] | None:
    """The laws of zones at rest that a context keeps from being asked just now; None for all.

    So it is with the zone's lock held.
    """
    without = NONE
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
