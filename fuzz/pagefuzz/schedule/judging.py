"""Judging a step: the laws at every step, and those of zones at rest wherever the locks allow."""

from collections.abc import Hashable

from pagespec.laws.kept import KEPT_STATE_LAWS
from pagespec.laws.law import LawBroken
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.schedule.contexts import Sizes
from pagespec.schedule.laws import AT_EVERY_STEP, Moment
from pagespec.verbs import Verb
from pagespec.zone import Zone, copy_of

NONE: frozenset[str] = frozenset()

OF_LISTS = frozenset(law.id for law in KEPT_STATE_LAWS.laws)
"""The laws about CPUs' lists, which can be asked when nobody is at any."""
IN_FLIGHT = frozenset({"BUD-partition"})
"""The laws that do not know of frames in flight."""
UNDER_WAY: dict[Verb, frozenset[str]] = {
    Verb.DISABLE: frozenset({"PCP-off"}),
    Verb.ISOLATE: frozenset({"MT-list"}),
    Verb.RESTORE: frozenset({"MT-list"}),
    Verb.CONTIG: frozenset({"MT-list"}),
}
"""The laws about what a request is bringing about: they hold again when it has ended.

Lists are disabled before they are drained, and a range changes its type pageblock by pageblock, a
free block that is larger with its first one.
"""


class Judge:
    """Judges steps, and remembers what the laws of zones at rest said of each zone."""

    def __init__(self) -> None:
        self.said: dict[Hashable, LawBroken | None] = {}

    def broken(self, moment: Moment, zone: Hashable) -> LawBroken | None:
        """The first law that is broken, if any. zone: the zone after the step, as a value."""
        world = moment.world
        era = world.scenario.machine.era
        for broken in AT_EVERY_STEP.broken(era, moment):
            return broken
        without = NONE
        for role, context in zip(world.scenario.roles, world.contexts, strict=True):
            if context.rest is not None:
                asked = role.requests[context.at]
                without |= NONE if isinstance(asked, Sizes) else UNDER_WAY.get(asked.verb, NONE)
            if context.flight:
                without |= IN_FLIGHT
            for hold in context.holds:
                if hold.lists is None:
                    return None
                without |= OF_LISTS
        key = zone, without
        if key not in self.said:
            self.said[key] = at_rest(world.zone, without)
        return self.said[key]


def at_rest(zone: Zone, without: frozenset[str]) -> LawBroken | None:
    """The first law of zones at rest that is broken, but for some."""
    for broken in STATE_LAWS.broken(zone.machine.era, swept(copy_of(zone)), without):
        return broken
    return None
