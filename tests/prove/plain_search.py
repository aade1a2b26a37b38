"""Reachability without laws, stamps or bytes, the types of what is held being part of a state.

Slow, and written apart from what it judges.
"""

from typing import NamedTuple

from pagefuzz.prove.vocabulary import Vocabulary, requests_in
from pagespec.boot import boot
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.verbs import Op, Outcome
from pagespec.zone import Zone, copy_of, lists_of


class Step(NamedTuple):
    """A request between two states, which leave out the types of what is held."""

    before: str
    op: Op
    outcome: Outcome
    after: str


def rest_of(zone: Zone) -> str:
    """All that a zone is, without the types of what is held."""
    orders = sorted((pfn, held.order) for pfn, held in zone.held.items())
    places = sorted(zone.guards.items()), sorted(zone.poisoned), sorted(zone.offline)
    return repr((lists_of(zone), orders, zone.pageblocks, zone.nr_reserved, places))


def steps_with_held_types(machine: Machine, vocabulary: Vocabulary) -> set[Step]:
    """The steps between all states that are reached, where those types may matter."""
    booted = boot(machine)
    seen, todo = {(rest_of(booted), "")}, [booted]
    steps: set[Step] = set()
    while todo:
        before = todo.pop()
        was = rest_of(before)
        for op in requests_in(vocabulary, before):
            zone = copy_of(before)
            outcome = perform(zone, op)
            zone.log.clear()
            becomes = rest_of(zone)
            steps.add(Step(was, op, outcome, becomes))
            key = (becomes, repr([zone.held[pfn].mt for pfn in sorted(zone.held)]))
            if key not in seen:
                seen.add(key)
                todo.append(zone)
    return steps
