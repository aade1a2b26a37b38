"""Which laws have nothing to say of a scenario, so that they would hold of it for nothing.

Whoever says how far laws have held says of these that they were not asked.
"""

from collections.abc import Callable

from pagespec.machine import Machine
from pagespec.schedule.contexts import Scenario
from pagespec.schedule.countlaws import COUNTER_CELL_LAWS
from pagespec.trace import Request
from pagespec.verbs import Verb

OF_ZONES = frozenset({"PCP-owner", "OUT-disjoint", "BUD-success", "BUD-partition", "EVT-count"})
"""Those about frames, lists and events, of which counters alone have none."""


def asks(scenario: Scenario, verb: Verb) -> bool:
    """Whether anybody asks for that, at first or later."""
    asked = (*scenario.setup, *(each for role in scenario.roles for each in role.requests))
    return any(isinstance(each, Request) and each.verb is verb for each in asked)


SPEAKS: dict[str, Callable[[Scenario, Machine], bool]] = {
    "VM-conserve": lambda scenario, machine: machine.cells,
    "CELL-sum": lambda scenario, machine: machine.cells,
    "CELL-width": lambda scenario, machine: machine.cells,
    "WM-formula": lambda scenario, machine: machine.min_free is not None,
    "MT-list": lambda scenario, machine: machine.pageblock is not None,
    "PCP-off": lambda scenario, machine: asks(scenario, Verb.DISABLE),
    "PCP-unplugged": lambda scenario, machine: asks(scenario, Verb.UNPLUG),
    # What the law says itself; it is all that it says.
    "EVT-count": lambda scenario, machine: (
        not (scenario.splits_adds and machine.era.counts_unguarded)
    ),
}
"""Of which scenarios with a zone a law speaks, for those that do not of all."""


def silent_about(scenario: Scenario) -> frozenset[str]:
    """The laws that have nothing to say of a scenario."""
    machine = scenario.machine
    if not isinstance(machine, Machine):
        return OF_ZONES
    silent = frozenset(law for law, speaks in SPEAKS.items() if not speaks(scenario, machine))
    return silent | frozenset(law.id for law in COUNTER_CELL_LAWS.laws)
