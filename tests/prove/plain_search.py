"""Reachability without laws, stamps or bytes: the states of a zone, types of what is held included.

Slow, and written apart from what it judges.
"""

from typing import TypeAlias

from pagefuzz.prove.vocabulary import Vocabulary, requests_in
from pagespec.boot import boot
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.zone import Zone, copy_of, lists_of

Key: TypeAlias = tuple[str, str]


def key_of(zone: Zone) -> Key:
    """All that a zone is, without the types of what is held, and those types."""
    held = sorted(zone.held.items())
    orders = [(pfn, held.order) for pfn, held in held]
    places = zone.guards, sorted(zone.poisoned), sorted(zone.offline)
    rest = (lists_of(zone), orders, zone.pageblocks, zone.nr_reserved, places)
    return repr(rest), repr([held.mt for _, held in held])


def states_with_held_types(machine: Machine, vocabulary: Vocabulary) -> int:
    """How many states are reached when the types of what is held matter, then left out."""
    booted = boot(machine)
    seen, todo = {key_of(booted)}, [booted]
    while todo:
        before = todo.pop()
        for op in requests_in(vocabulary, before):
            zone = copy_of(before)
            perform(zone, op)
            zone.log.clear()
            if (key := key_of(zone)) not in seen:
                seen.add(key)
                todo.append(zone)
    return len({rest for rest, _ in seen})
