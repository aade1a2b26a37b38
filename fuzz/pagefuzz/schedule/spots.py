"""The requests of a scenario by where they stand, so that some can be left out or changed.

Whatever speaks of a block that nothing names any more goes with what named it: whoever waited for
it would wait for ever, which is another fault than the one that is looked for.
"""

from dataclasses import replace
from typing import NamedTuple, TypeAlias

from pagespec.schedule.contexts import Asked, Scenario, Sizes, given_by, waits_for

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
    names = frozenset[str]().union(*map(given_by, requests.values()))
    asked_by: dict[int, list[Asked]] = {at: [] for at in range(SETUP, len(scenario.roles))}
    for spot in sorted(requests):
        if waits_for(requests[spot]) <= names:
            asked_by[spot.context].append(requests[spot])
    first = asked_by.pop(SETUP)
    roles = tuple(
        role._replace(requests=tuple(asked_by[number]))
        for number, role in enumerate(scenario.roles)
    )
    setup = tuple(asked for asked in first if not isinstance(asked, Sizes))
    return replace(scenario, roles=roles, setup=setup)
