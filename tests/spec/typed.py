"""Random machines with pageblocks and random requests of every verb: functions of a generator."""

from dataclasses import replace
from random import Random

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, ISOLATE, MOVABLE, REQUESTED, UNMOVABLE
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

RANGES = (
    *(Verb.ISOLATE, Verb.RESTORE, Verb.RESTORE, Verb.CONTIG),
    *(Verb.POISON, Verb.HEAL, Verb.OFFLINE, Verb.ONLINE),
)


def machine_of(rng: Random, era: Era) -> Machine:
    """A small zone with pageblocks: cut at its ends, with a hole, with guards, of several types."""
    pages, start = rng.choice((16, 32, 64, 61, 300)), rng.choice((0, 0, 5, 16))
    # In a long zone one percent is a pageblock, if these are small.
    top = 2 if pages == 300 else rng.choice((2, 3, 4, 5, 5))
    least = max(1, top - 1) if era.retypes_on_merge else 1
    hole = start + rng.randrange(pages - 2)
    machine = Machine(
        pages,
        top,
        era,
        start,
        ((hole, hole + rng.choice((1, 2))),) if rng.random() < 0.15 else (),
        pageblock=(pageblock := rng.randint(least, top)),
        guard=min(rng.choice((0, 0, 0, 1, 2)), pageblock) if era.guards else 0,
    )
    size, types = SIZES[machine.pageblock or 0], list(machine.first_types)
    mixed = rng.choice((0.0, 0.4, 0.4))
    for number in range(len(types)):
        first = (start // size + number) * size
        cut = first < start or first + size > machine.end
        if rng.random() < mixed:
            types[number] = rng.choice(era.types[: 3 if cut else 4])
    aligned = -(-start // SIZES[top]) * SIZES[top]
    if era.cma != "none" and aligned + SIZES[top] <= machine.end and rng.random() < 0.5:
        first = machine.pageblock_number(aligned)
        count = SIZES[top] // size
        types[first : first + count] = [CMA] * count
    return replace(machine, types=tuple(types))


def op_of(rng: Random, zone: Zone) -> Op:
    """A request, mostly a legal one, about what the zone has."""
    machine, dice, held = zone.machine, rng.random(), list(zone.held)
    if dice < 0.45:
        return Op(
            Verb.ALLOC,
            min(machine.top + (rng.random() < 0.02), int(rng.expovariate(0.8))),
            mt=rng.choice(REQUESTED) if rng.random() < 0.98 else CMA,
            atomic=rng.random() < 0.2,
            nofragment=rng.random() < 0.1,
            compound=rng.random() < 0.1,
        )
    if dice < 0.85 and held:
        pfn = rng.choice(held)
        order = zone.held[pfn].order
        if rng.random() < 0.08:
            return Op(
                Verb.FREE, max(0, order + rng.choice((0, 0, 1, -1))), pfn + rng.randint(-1, 2)
            )
        verb = Verb.FREE if dice < 0.8 else rng.choice((Verb.SPLIT, Verb.SPLIT, Verb.GET, Verb.PUT))
        return Op(verb, order if verb in (Verb.FREE, Verb.SPLIT) else 0, pfn)
    if dice < 0.88:
        return Op(Verb.UNRESERVE, mt=rng.choice((*REQUESTED, CMA)), force=rng.random() < 0.5)
    return _range_op(rng, zone)


def _range_op(rng: Random, zone: Zone) -> Op:
    machine, verb = zone.machine, rng.choice(RANGES)
    size = SIZES[machine.isolation_order]
    pfn = rng.randrange(max(0, machine.start - 1), machine.end + 2)
    likely: list[int] = []
    if verb in (Verb.RESTORE, Verb.OFFLINE):
        block = SIZES[machine.pageblock or 0]
        first = machine.start // block
        likely = [
            (first + number) * block for number, mt in enumerate(zone.pageblocks) if mt is ISOLATE
        ]
    elif verb in (Verb.HEAL, Verb.ONLINE):
        likely = sorted(zone.poisoned if verb is Verb.HEAL else zone.offline)
    if likely and rng.random() < 0.8:
        return Op(
            verb,
            0,
            rng.choice(likely),
            pages=size if verb in WHOLE else 0,
            mt=MOVABLE if verb in GIVING else UNMOVABLE,
        )
    if verb in WHOLE and not likely and rng.random() < 0.7:
        verb = Verb.ISOLATE
    if verb in (Verb.POISON, Verb.HEAL):
        return Op(verb, 0, pfn)
    mt = rng.choice((MOVABLE, MOVABLE, MOVABLE, CMA, UNMOVABLE)) if verb in GIVING else UNMOVABLE
    if verb is Verb.CONTIG:
        return Op(verb, 0, pfn, pages=rng.choice((0, 1, 2, 3, 7)), mt=mt)
    pages = size * rng.choice((1, 1, 2, 3)) + (rng.random() < 0.03)
    return Op(verb, 0, pfn // size * size + (rng.random() < 0.03), pages=pages, mt=mt)


WHOLE = frozenset({Verb.RESTORE, Verb.OFFLINE, Verb.ONLINE})
"""The verbs about ranges that exist already."""

GIVING = frozenset({Verb.RESTORE, Verb.CONTIG})
"""The verbs about ranges that give a type."""
