"""Random requests for a host: each zone's caller draws, and says which memory it would have."""

from dataclasses import replace
from random import Random

from pagefuzz.campaign.mix import Mix, random_mix, remember
from pagefuzz.campaign.requests import Known, random_op
from pagefuzz.hosts.draw import classes_of
from pagefuzz.hosts.lockstep import HostLockstep
from pagespec.host import Host
from pagespec.laws.near import LISTED_VERBS
from pagespec.migratetype import MOVABLE
from pagespec.types import ZoneClass
from pagespec.verbs import Op, Verb

WALK_REQUESTS = 120
"""Requests of one walk."""

BULK, ONLY_NODE, STRANGE = 0.1, 0.1, 0.02
"""How many requests for memory fill an array, as far as there are lists; want no other node; and
ask for a node or zone in vain."""

REFRESHED, AGAIN = 0.08, 0.85
"""How often a CPU of a host with cells is refreshed, and how often it is again right after: lists
of far zones are given back after a few in a row."""


def walk(lockstep: HostLockstep, rng: Random, count: int) -> None:
    """Put so many random requests to a host in lockstep, then give everything back.

    Raises LawBroken.
    """
    host = lockstep.host
    machines = [replace(part.machine, min_free=host.min_free) for part in host.parts]
    mixes = [random_mix(rng, machine, frozenset(Verb)) for machine in machines]
    known = [Known(*pair) for pair in zip(lockstep.books, lockstep.out_of_use, strict=True)]
    near = rng.choice(host.nodes)
    cells = host.parts[0].machine.cells
    op = Op(Verb.DRAIN_ALL)
    for _ in range(count):
        number = rng.randrange(len(mixes))
        again = op.verb is Verb.REFRESH and rng.random() < AGAIN
        if not again and cells and rng.random() < REFRESHED:
            op = Op(Verb.REFRESH, cpu=rng.randrange(len(host.cpus)))
        elif not again:
            op = random_op(rng, known[number], mixes[number])
            op = _placed(rng, host, number, near, op)
        outcome = lockstep.step(op)
        for mix in _meant(mixes, number, op):
            remember(mix, op, outcome)
    lockstep.finish()


def _meant(mixes: list[Mix], number: int, op: Op) -> list[Mix]:
    """The callers that must know of the request: all, of one about a CPU."""
    return mixes if op.verb in (Verb.UNPLUG, Verb.PLUG) else [mixes[number]]


def _placed(rng: Random, host: Host, number: int, near: int, op: Op) -> Op:
    """The request with the memory that it would have, or the zone that it is about."""
    if op.verb in (Verb.DISABLE, Verb.ENABLE):
        return op._replace(pfn=host.parts[number].machine.start)
    if op.verb not in LISTED_VERBS:
        return op
    if op.verb is Verb.ALLOC and host.cpus and host.era.bulk != "none" and rng.random() < BULK:
        pages = rng.choice((1, 2, 3, 4, 6, 9, 16))
        op = op._replace(verb=Verb.BULK, order=0, compound=False, cold=False)
        op = op._replace(emergency=False, pages=pages)
    node = near if rng.random() < 0.6 else rng.choice(host.nodes)
    classes = [each for each in classes_of(host.era) if each is not ZoneClass.MOVABLE]
    highest = ZoneClass.MOVABLE if op.mt is MOVABLE else ZoneClass.NORMAL
    if rng.random() < 0.3:
        highest = rng.choice(classes)
    if rng.random() < STRANGE:
        node, highest = rng.choice((node, 7)), rng.choice(tuple(ZoneClass))
    only_node = op.verb is not Verb.UNRESERVE and rng.random() < ONLY_NODE
    return op._replace(node=node, highest=highest, only_node=only_node)
