"""The requests of a scenario by where they stand, so that some can be left out or changed.

Whatever speaks of a block that nothing names any more goes with what named it: whoever waited for
it would wait for ever, which is another fault than the one that is looked for.
"""

from dataclasses import replace
from typing import NamedTuple, TypeAlias

from pagespec.machine import Machine
from pagespec.schedule.contexts import Asked, Scenario
from pagespec.trace import Request
from pagespec.vmstat.trace import CounterRequest

SETUP = -1
"""In place of a context's number, for what happens first."""


class Spot(NamedTuple):
    """Where a request stands: whose it is, and which of his."""

    context: int
    at: int


Requests: TypeAlias = dict[Spot, Asked]


def requests_of(scenario: Scenario) -> Requests:
    """All requests by where they stand, the setup's first."""
    setup: tuple[Asked, ...] = scenario.setup
    requests: Requests = {Spot(SETUP, at): asked for at, asked in enumerate(setup)}
    for number, role in enumerate(scenario.roles):
        requests |= {Spot(number, at): asked for at, asked in enumerate(role.requests)}
    return requests


def with_requests(scenario: Scenario, requests: Requests) -> Scenario:
    """The scenario with these requests, in the order of their spots, as far as they make sense."""
    names = {asked.name for asked in requests.values() if isinstance(asked, Request)} | {None}
    asked_by: dict[int, list[Asked]] = {at: [] for at in range(SETUP, len(scenario.roles))}
    for spot in sorted(requests):
        if _block_of(requests[spot]) in names:
            asked_by[spot.context].append(requests[spot])
    first = asked_by.pop(SETUP)
    roles = tuple(
        role._replace(requests=tuple(asked_by[number]))
        for number, role in enumerate(scenario.roles)
    )
    if isinstance(scenario.machine, Machine):
        setup = tuple(asked for asked in first if isinstance(asked, Request))
        return replace(scenario, roles=roles, setup=setup)
    counted = tuple(asked for asked in first if isinstance(asked, CounterRequest))
    return replace(scenario, roles=roles, setup=counted)


def _block_of(asked: Asked) -> str | None:
    """The name of the block that a request is about, if it is about one."""
    if isinstance(asked, Request) and asked.operand is not None:
        return asked.operand.name
    return None
