"""The spec itself as the sequential specification: level `exact`.

Requests that overlap must get the very frames that they would get one after the other, in some
order. That holds where each request does all that matters under one lock: in zones without lists,
and on one CPU as long as interrupts cannot come between. A request that may lose a guard to who is
interrupted has two ways to go, and both are allowed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from pagefuzz.threads.linear import Call
from pagespec.boot import boot
from pagespec.guards import RULES
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.types import Refused
from pagespec.verbs import Op
from pagespec.zone import STATE, Zone, copy_of

Key: TypeAlias = str
"""All of a zone that its answers depend on, as text."""


def key_of(zone: Zone) -> Key:
    """The state of a zone as text, without counts, on which no answer depends.

    Zones of one text are in one state; those in one state mostly have one text.
    """
    return repr([getattr(zone, name) for name in STATE])


@dataclass(slots=True)
class Exactly:
    """The specification of one machine, from a state on; it keeps each state that it has met."""

    machine: Machine
    start: Key = ""
    zones: dict[Key, Zone] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.start = self.enter(boot(self.machine))

    def enter(self, zone: Zone) -> Key:
        """Keep a state, and return its key."""
        key = key_of(zone)
        self.zones.setdefault(key, zone)
        return key

    def after(self, key: Key, call: Call[Op]) -> Iterator[Key]:
        """The state in which the call leaves that state, if it has its outcome there."""
        for op in self._ways(call.request):
            zone = copy_of(self.zones[key])
            zone.log.clear()
            try:
                outcome = perform(zone, op)
            except Refused as refused:
                outcome = refused.refusal.value
            if outcome == call.outcome:
                yield self.enter(zone)

    def _ways(self, op: Op) -> tuple[Op, ...]:
        """The request as it is, and as it is for who loses the guard of his CPU's lists."""
        loses = self.machine.cpus > 0 and RULES[self.machine.era.guard].locks
        return (op, op._replace(contended=True)) if loses else (op,)
