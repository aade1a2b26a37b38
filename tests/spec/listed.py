"""Random machines with CPUs' lists and watermarks, and random requests of every verb."""

from dataclasses import replace
from random import Random

from tests.spec.typed import machine_of as grouped_machine
from tests.spec.typed import op_of as grouped_op

from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.migratetype import REQUESTED
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

CPU_VERBS = (
    *(Verb.DRAIN, Verb.DRAIN, Verb.DRAIN_ALL, Verb.DISABLE, Verb.ENABLE, Verb.AGE, Verb.AGE),
    *(Verb.EXPIRE, Verb.UNPLUG, Verb.UNPLUG, Verb.PLUG, Verb.PLUG, Verb.PLUG, Verb.REST),
)


def machine_of(rng: Random, era: Era) -> Machine:
    """A small zone whose CPUs keep small lists, mostly, and which has watermarks, mostly."""
    if era.numbering is None or rng.random() < 0.2:
        pages, top = rng.choice((16, 32, 61, 100)), rng.choice((2, 3, 4, 5))
        machine = Machine(pages, top, era, rng.choice((0, 0, 5, 16)))
    else:
        machine = grouped_machine(rng, era)
    cpus = rng.choice((0, 1, 1, 2, 3))
    sized = cpus and era.tuning != "pair"
    return replace(
        machine,
        cpus=cpus,
        batch=rng.choice((None, 1, 2, 3, 4)) if cpus else None,
        high=rng.choice((None, 0, 3, 5, 9, 20)) if sized else None,
        min_free=rng.choice((None, 4, 8, 20, 40, 100)),
    )


def op_of(rng: Random, zone: Zone) -> Op:
    """A request, mostly a legal one, about what the zone and its CPUs have."""
    dice, cpus = rng.random(), max(1, zone.machine.cpus)
    cpu = rng.randrange(cpus + (rng.random() < 0.01))
    if dice < 0.08:
        return Op(rng.choice(CPU_VERBS), cpu=cpu)
    if dice < 0.14:
        pages = rng.choice((0, 1, 2, 3, 5, 8, 20))
        mt, contended = rng.choice(REQUESTED), rng.random() < 0.1
        return Op(Verb.BULK, cpu=cpu, pages=pages, mt=mt, contended=contended)
    if dice < 0.2 and zone.slots:
        return Op(Verb.FREE, 0, rng.choice(list(zone.slots)), cpu=cpu)
    if dice < 0.35:
        return _in_a_row(rng, zone, cpu)
    op = grouped_op(rng, zone)
    if op.verb not in (Verb.ALLOC, Verb.FREE, Verb.PUT, Verb.CONTIG):
        return op
    return op._replace(
        emergency=op.verb is Verb.ALLOC and rng.random() < 0.1,
        cpu=cpu,
        irq=rng.random() < 0.1,
        contended=rng.random() < 0.1,
        cold=rng.random() < 0.2,
    )


def _in_a_row(rng: Random, zone: Zone, cpu: int) -> Op:
    """A request as the one before: lists fill and empty only in rows of such."""
    if zone.given and len(zone.given) % 3 and zone.held:
        pfn = rng.choice(list(zone.held))
        return Op(Verb.FREE, zone.held[pfn].order, pfn, cpu=cpu)
    return Op(Verb.ALLOC, rng.choice((0, 0, 0, 1, 2)), mt=rng.choice(REQUESTED), cpu=cpu)
