"""Requests of every verb that no stream chose: the twin answers them as the spec does."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from tests.impl.machines import TYPED_ERAS, varied

from pageimpl.allocator import Allocator
from pageimpl.refine import zone_of
from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.machine import MAX_PAGES, MAX_PFN, Machine
from pagespec.migratetype import CMA, MOVABLE, REQUESTED, UNMOVABLE, MigrateType
from pagespec.ops import perform
from pagespec.types import MAX_TOP, DomainError, Refusal
from pagespec.verbs import BLOCK_VERBS, Op, Verb
from pagespec.zone import STATE, Zone

RANGE_VERBS = (
    Verb.ISOLATE,
    Verb.RESTORE,
    Verb.RESTORE,
    Verb.CONTIG,
    Verb.OFFLINE,
    Verb.ONLINE,
)


def machine_of(era: Era, rng: Random) -> Machine:
    """A small machine with pageblocks: any gap to the top, any start, holes, types and guards."""
    while True:
        top = rng.randint(1, 5)
        pageblock = rng.randint(max(1, top - 1) if era.retypes_on_merge else 1, top)
        pages, start = rng.choice((1, 16, 32, 61, 100, 500)), rng.choice((0, 0, 5, 16, 999))
        edges = sorted(rng.sample(range(start, start + pages + 1), 2 * rng.randint(0, 2 % pages)))
        try:
            machine = Machine(
                pages,
                top,
                era,
                start,
                holes=tuple(zip(edges[::2], edges[1::2], strict=True)),
                pageblock=pageblock,
                guard=rng.choice((0, 0, rng.randint(0, top))) if era.guards else 0,
            )
            types = tuple(rng.choice(era.types[:4]) for _ in range(machine.pageblocks))
            return rng.choice((machine, varied(machine), replace(machine, types=types)))
        except DomainError:
            continue


def op_for(zone: Zone, rng: Random) -> Op:
    """A request that fits what the zone holds, as often as not."""
    machine, held = zone.machine, list(zone.held)
    dice = rng.random()
    any_pfn = rng.randrange(machine.start, machine.end)
    if dice < 0.1:
        return Op(
            rng.choice(list(Verb)),
            rng.randrange(-1, 8),
            rng.choice((any_pfn, rng.randrange(-40, 600))),
            mt=rng.choice(list(MigrateType)),
            pages=rng.randrange(-4, 40),
        )
    if dice < 0.5 or not held:
        order = min(machine.top, int(rng.expovariate(0.8)))
        atomic, nofragment, compound = (rng.random() < odds for odds in (0.2, 0.1, 0.1))
        mt = rng.choice(REQUESTED)
        return Op(Verb.ALLOC, order, mt=mt, atomic=atomic, nofragment=nofragment, compound=compound)
    if dice < 0.8:
        pfn = rng.choice(held)
        verb = rng.choice((Verb.FREE, Verb.FREE, Verb.FREE, Verb.SPLIT))
        return Op(verb, zone.held[pfn].order, pfn)
    if dice < 0.82:
        return Op(rng.choice((Verb.GET, Verb.PUT)), 0, rng.choice(held))
    if dice < 0.84:
        return Op(Verb.UNRESERVE, mt=rng.choice(REQUESTED), force=rng.random() < 0.5)
    if dice < 0.88:
        verb = rng.choice((Verb.POISON, Verb.HEAL))
        pfn = rng.choice([*zone.poisoned, any_pfn]) if verb is Verb.HEAL else any_pfn
        return Op(verb, pfn=pfn)
    verb = rng.choice(RANGE_VERBS)
    unit = 2**machine.isolation_order
    pages = unit * rng.choice((1, 1, 2))
    if verb is Verb.CONTIG:
        pages = rng.randint(1, pages)
    else:
        any_pfn = any_pfn // unit * unit
    return Op(verb, pfn=any_pfn, pages=pages, mt=rng.choice((MOVABLE, MOVABLE, MOVABLE, CMA)))


def lockstep(machine: Machine, rng: Random, jit: bool, count: int) -> None:
    """Compare outcome and state after each request; what is refused changes not a byte."""
    zone, allocator = boot(machine), Allocator(machine, jit=jit)
    for _ in range(count):
        op, before = op_for(zone, rng), allocator.memory.array.copy()
        outcome = allocator.perform(op)
        assert (op, outcome) == (op, perform(zone, op))
        view = zone_of(allocator)
        for field in STATE:
            assert (field, getattr(zone, field)) == (field, getattr(view, field))
        if outcome <= max(Refusal):
            assert np.array_equal(before, allocator.memory.array)


@pytest.mark.parametrize("era", TYPED_ERAS, ids=lambda era: era.name)
@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_small_machines(era: Era, jit: bool) -> None:
    """On thirty machines an era and form, request by request."""
    for seed in range(30):
        rng = Random(f"{era.name} {seed} {jit}")
        lockstep(machine_of(era, rng), rng, jit, 150)


@pytest.mark.parametrize("era", ["2.6.8", "2.6.37", "4.10", "5.15", "6.12"])
def test_without_pageblocks(era: str) -> None:
    """A machine without pageblocks serves what it can, and takes the rest for unsupported."""
    for seed in range(10):
        rng = Random(seed)
        guard = 2 if ERAS[era].guards else 0
        lockstep(Machine(61, 4, ERAS[era], start=5, holes=((20, 23),), guard=guard), rng, True, 200)


HUGE = (-(2**70), -1, MAX_TOP + 1, MAX_PAGES + 1, MAX_PFN, 2**70)


@pytest.mark.parametrize("verb", Verb)
@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_numbers_beyond_machine_words(verb: Verb, jit: bool) -> None:
    """Orders, frames and counts of any size are refused as the spec refuses them."""
    machine = Machine(64, 4, ERAS["6.1"], pageblock=3)
    zone, allocator = boot(machine), Allocator(machine, jit=jit)
    for huge in HUGE:
        for op in (Op(verb, huge), Op(verb, pfn=huge, pages=8), Op(verb, pfn=8, pages=huge)):
            op = op._replace(mt=MOVABLE if verb is Verb.CONTIG else UNMOVABLE)
            if verb in BLOCK_VERBS or verb is Verb.SPLIT:
                op = op._replace(pages=0)
            assert (op, perform(zone, op)) == (op, allocator.perform(op))
    assert zone.pageblocks == allocator.pageblocks()


@pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])
def test_no_range_goes_offline_with_its_neighbour(jit: bool) -> None:
    """Two isolated pageblocks whose free frames have merged, the second of which is to leave.

    Its other neighbour is held in part, so that the free blocks have as many frames as the range.
    """
    allocator = Allocator(Machine(64, 4, ERAS["6.12"], pageblock=3), jit=jit)
    held = [allocator.perform(Op(Verb.ALLOC, mt=MOVABLE)) for _ in range(17)]
    assert held == list(range(17))
    for pfn in held[1:16]:
        allocator.free(pfn, 0)
    for pfn in (0, 8, 16):
        assert allocator.perform(Op(Verb.ISOLATE, pfn=pfn, pages=8)) == 0
    allocator.free(0, 0)

    assert allocator.perform(Op(Verb.OFFLINE, pfn=8, pages=16)) == Refusal.NOT_FREE
    assert allocator.perform(Op(Verb.OFFLINE, pfn=8, pages=8)) == Refusal.NOT_FREE
    assert allocator.perform(Op(Verb.OFFLINE, pfn=0, pages=16)) == 0
