"""Which contexts may change places: those that ask for the same on CPUs that nothing tells apart.

What can come of a state can then come of the one in which they have changed places, with their
CPUs' lists and the names that they give. Every law holds of both or of neither, since none knows
one CPU or context from another. So one of the two stands for both.

To change places, every number of a CPU must be known as one. Those in a place, a hold, a stop or in
what a request says are. Operations that go from CPU to CPU have others in their locals, so that
scenarios in which anybody drains or resizes lists are left alone, and so are zones whose requests
drain when they fail, and machines on which others may come between the read and the write of a
count: whoever stands there knows by number whose count it is.

Source: derived; Ip and Dill, Better Verification Through Symmetry (1996).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from pagespec.machine import Machine
from pagespec.schedule.contexts import Role, Scenario
from pagespec.trace import Request
from pagespec.verbs import Verb

OF_ONE_CPU = frozenset({Verb.ALLOC, Verb.FREE, Verb.GET, Verb.PUT, Verb.SPLIT})
"""The requests whose locals hold no number of a CPU but as part of what was asked."""


class Swap(NamedTuple):
    """A change of places. cpus, roles: per number, the new one. names: per name, the new one."""

    cpus: tuple[int, ...]
    roles: tuple[int, ...]
    names: Mapping[str, str]


def swaps_of(scenario: Scenario) -> Iterator[Swap]:
    """All changes of places that leave as it is what the roles ask for."""
    machine, roles = scenario.machine, scenario.roles
    asked = [request for role in roles for request in role.requests]
    if not isinstance(machine, Machine) or machine.far or machine.cells:
        return
    if machine.min_free is not None or scenario.splits_adds:
        return
    if not all(isinstance(each, Request) and each.verb in OF_ONE_CPU for each in asked):
        return
    fixed = {request.name for request in scenario.setup if isinstance(request, Request)}
    for cpus in permutations(range(machine.cpus)):
        for order in permutations(range(len(roles))):
            names = renaming([(roles[at], roles[to]) for at, to in enumerate(order)], cpus)
            if names is None or any(names.get(name or "", name) != name for name in fixed):
                continue
            if order != tuple(range(len(roles))):
                yield Swap(cpus, order, names)


def renaming(pairs: Sequence[tuple[Role, Role]], cpus: Sequence[int]) -> dict[str, str] | None:
    """How blocks are called when each role takes the other's place; None if it cannot."""
    names: dict[str, str] = {}
    for role, other in pairs:
        place = (role.level, cpus[role.cpu], role.moves, len(role.requests))
        if place != (other.level, other.cpu, other.moves, len(other.requests)):
            return None
        for one, two in zip(role.requests, other.requests, strict=True):
            assert isinstance(one, Request)
            assert isinstance(two, Request)
            if nameless(one) != nameless(two):
                return None
            for name, new in zip(names_in(one), names_in(two), strict=True):
                if names.setdefault(name, new) != new:
                    return None
    return names if len(set(names.values())) == len(names) else None


def nameless(request: Request) -> Request:
    """A request but for the names in it, and for what is set when it begins."""
    operand = request.operand
    if operand is not None and operand.name is not None:
        operand = operand._replace(name="")
    name = None if request.name is None else ""
    return request._replace(name=name, operand=operand, cpu=0, irq=False)


def names_in(request: Request) -> list[str]:
    """The names in a request."""
    operand = None if request.operand is None else request.operand.name
    return [name for name in (request.name, operand) if name is not None]
