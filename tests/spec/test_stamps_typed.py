"""Spec and stamps, written apart, do the same with all requests, pageblocks and types."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from random import Random
from typing import NamedTuple

import pytest

from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MOVABLE, REQUESTED, MigrateType
from pagespec.ops import perform
from pagespec.stamps import Stamps, boot_stamps, expected_lists, foretell, stamps_of
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone, lists_of

EVERYWHERE = {
    *(Kind.SPLIT, Kind.MERGE, Kind.HEAD, Kind.TAIL, Kind.FAIL, Kind.PIECES, Kind.TAILS),
    *(Kind.EXTFRAG, Kind.MOVED, Kind.TAKEN, Kind.CLAIMED, Kind.SINGLE, Kind.ISOLATED),
    *(Kind.RESTORED, Kind.OFFLINE, Kind.ONLINE),
}
SINCE_4_10 = EVERYWHERE | {
    *(Kind.CMA_LAST, Kind.RESERVED, Kind.RESERVE_USED, Kind.UNRESERVED, Kind.RANGE, Kind.UNDONE),
    Kind.REMERGED,
}
SINCE_5_15 = SINCE_4_10 | {Kind.CMA_FIRST, Kind.SMALLEST, Kind.POISONED}
SINCE_6_1 = SINCE_5_15 | {Kind.BARRIER, Kind.CUT, Kind.HEALED}
UNTIL_6_1 = {Kind.MIXED}
GUARDS = {Kind.GUARDED, Kind.UNGUARDED}
DUE: dict[str, set[Kind]] = {
    "2.6.37": EVERYWHERE | UNTIL_6_1 | {Kind.RESERVE_LAST},
    "2.6.39": EVERYWHERE | UNTIL_6_1 | {Kind.RESERVE_LAST},
    "4.10": SINCE_4_10 | UNTIL_6_1 | GUARDS,
    "5.8": (SINCE_5_15 | UNTIL_6_1 | GUARDS) - {Kind.POISONED},
    "5.15": SINCE_5_15 | UNTIL_6_1 | GUARDS,
    "6.1": SINCE_6_1 | UNTIL_6_1 | GUARDS,
    "6.12": SINCE_6_1 | {Kind.RETYPE, Kind.RESERVE_LAST},
}
"""What must have happened before the silence of a run means anything; 4.11-rc does as 4.10 does."""


def random_machine(rng: Random, era: Era) -> Machine:
    """A machine that leaves room for every branch: cut pageblocks, a hole, guards, all types."""
    top = rng.choice([2, 3, 4, 5])
    pageblock = rng.randint(max(1, top - 1) if era.retypes_on_merge else 1, top)
    pages, start = rng.choice([24, 61, 64, 100, 440]), rng.choice([0, 0, 5, 16])
    hole = rng.randrange(start + 1, start + pages - 1)
    bare = Machine(
        pages,
        top,
        era,
        start,
        holes=((hole, hole + 1),) if rng.random() < 0.2 else (),
        pageblock=pageblock,
        guard=min(rng.choice([0, 0, 1, 2]), pageblock) if era.guards else 0,
    )
    return replace(bare, types=_random_types(rng, bare))


def _random_types(rng: Random, machine: Machine) -> tuple[MigrateType, ...]:
    others = [mt for mt in machine.era.types if mt not in (CMA, ISOLATE, HIGHATOMIC)]
    types = [
        rng.choice(others) if rng.random() < 0.3 else MOVABLE for _ in range(machine.pageblocks)
    ]
    # A reserve that is large from the start never grows.
    reserved = machine.era.reserve != "none" and rng.random() < 0.5
    # CMA memory is whole isolation blocks, HIGHATOMIC pageblocks lie in the zone.
    size = SIZES[machine.isolation_order]
    count = size // SIZES[machine.pageblock or 0]
    first = -(-machine.start // size) * size
    for pfn in range(first, machine.end - size + 1, size):
        number, dice = machine.pageblock_number(pfn), rng.random()
        if machine.era.cma != "none" and dice < 0.3:
            types[number : number + count] = [CMA] * count
        elif reserved and dice < 0.4:
            types[number] = HIGHATOMIC
    return tuple(types)


class Habit(NamedTuple):
    """How a run asks for memory: how often it allocates, how small, and how often for whom."""

    hunger: float
    smallness: float
    types: tuple[MigrateType, ...]


def random_habit(rng: Random) -> Habit:
    """Some runs fill the zone, some with single frames, some mostly with memory that moves."""
    return Habit(
        hunger=rng.choice([0.4, 0.6, 0.9]),
        smallness=rng.choice([0.7, 1.5, 4]),
        types=rng.choice([REQUESTED, (*REQUESTED, *[MOVABLE] * 4)]),
    )


def random_request(rng: Random, zone: Zone, habit: Habit) -> Op:
    """Any request, mostly a legal one."""
    machine, held = zone.machine, list(zone.held)
    if rng.random() < 0.2:
        return _random_range_request(rng, zone)
    if not held or rng.random() < habit.hunger:
        return Op(
            Verb.ALLOC,
            min(machine.top, int(rng.expovariate(habit.smallness))),
            mt=rng.choice(habit.types),
            compound=rng.random() < 0.1,
            atomic=rng.random() < 0.3,
            nofragment=rng.random() < 0.1,
        )
    pfn = rng.choice(held)
    verb = rng.choice([*[Verb.FREE] * 8, Verb.GET, Verb.PUT, Verb.SPLIT, Verb.UNRESERVE])
    if verb is Verb.UNRESERVE:
        return Op(verb, mt=rng.choice(REQUESTED), force=rng.random() < 0.5)
    return Op(verb, 0 if verb is Verb.GET else zone.held[pfn].order, pfn)


def _random_range_request(rng: Random, zone: Zone) -> Op:
    machine, size = zone.machine, SIZES[zone.machine.pageblock or 0]
    verb = rng.choice(
        [Verb.ISOLATE, Verb.RESTORE, Verb.CONTIG, Verb.POISON, Verb.HEAL, Verb.OFFLINE, Verb.ONLINE]
    )
    isolated = [
        (machine.start // size + number) * size
        for number, mt in enumerate(zone.pageblocks)
        if mt is ISOLATE
    ]
    places = {
        Verb.RESTORE: isolated,
        Verb.OFFLINE: isolated,
        Verb.ONLINE: sorted(zone.offline),
        Verb.HEAL: sorted(zone.poisoned),
    }.get(verb) or range(machine.start, machine.end)
    pfn, pages = rng.choice(places), 0
    if verb is Verb.CONTIG:
        pages = rng.choice([1, 3, 8])
    elif verb not in (Verb.POISON, Verb.HEAL):
        whole = SIZES[machine.isolation_order]
        pfn, pages = pfn // whole * whole, whole * rng.choice([1, 1, 2, 3])
    return Op(verb, pfn=pfn, pages=pages, mt=rng.choice([MOVABLE, MOVABLE, CMA]))


def disagreement(zone: Zone, stamps: Stamps) -> tuple[str, object, object] | None:
    """Where the spec's state is not what the stamps say, with both values."""
    era, pages = zone.machine.era, Counter[MigrateType]()
    for block, mt in stamps.listed.items():
        pages[mt] += SIZES[block.order]
    kept_apart = 0 if era.isolation == "move" else pages[ISOLATE]
    for what, spec, foretold in (
        ("lists", lists_of(zone), expected_lists(stamps)),
        ("pageblocks", zone.pageblocks, stamps.pageblocks),
        ("reserved", zone.nr_reserved, stamps.reserved),
        ("free_pages", zone.free_pages, pages.total() - kept_apart),
        ("free_cma", zone.free_cma, pages[CMA]),
        ("free_highatomic", zone.free_highatomic, pages[HIGHATOMIC] * era.retypes_on_merge),
    ):
        if spec != foretold:
            return what, spec, foretold
    return None


def run(seed: int, machine: Machine, foretelling: Era, steps: int) -> Iterator[Kind]:
    """Let spec and stamps serve the same requests, the stamps by an era that may be another's.

    Yields what happened; raises AssertionError where they part.
    """
    rng = Random(seed)
    zone, stamps = boot(machine), boot_stamps(replace(machine, era=foretelling))
    assert disagreement(zone, stamps) is None, (seed, machine)
    habit = random_habit(rng)
    for _ in range(steps):
        op = random_request(rng, zone, habit)
        zone.log.clear()
        outcome = perform(zone, op)
        if outcome < NO_MEMORY:
            continue
        assert foretell(stamps, op, zone.log) == outcome, (seed, machine, op)
        assert disagreement(zone, stamps) is None, (seed, machine, op)
        yield from (event.kind for event in zone.log)
    for field in ("guards", "movable", "offline"):
        assert getattr(stamps_of(zone), field) == getattr(stamps, field), (seed, machine, field)


@pytest.mark.parametrize("name", DUE)
def test_spec_and_stamps_agree(name: str) -> None:
    reached: set[Kind] = set()
    for seed in range(80):
        machine = random_machine(Random(seed), ERAS[name])
        reached.update(run(seed, machine, machine.era, 150))

    assert reached >= DUE[name]


@pytest.mark.parametrize("era", ERAS.values(), ids=ERAS)
def test_without_pageblocks_types_do_not_matter(era: Era) -> None:
    reached: set[Kind] = set()
    for seed in range(20):
        typed = random_machine(Random(seed), ERAS["6.12"])
        reached.update(run(seed, replace(typed, era=era, pageblock=None, types=()), era, 100))

    assert reached >= {Kind.SPLIT, Kind.MERGE, Kind.HEAD, Kind.PIECES, Kind.TAILS}


SLIPS = [
    ("2.6.37", replace(ERAS["2.6.37"], fallback="steal-largest")),
    ("2.6.39", replace(ERAS["2.6.39"], placement="likely")),
    ("4.10", replace(ERAS["4.10"], fallback="take-largest")),
    ("4.10", replace(ERAS["4.10"], fallback="move-then-retry")),
    ("4.10", replace(ERAS["4.10"], cma="balanced")),
    ("4.10", replace(ERAS["4.10"], reserve="one-percent")),
    ("4.10", replace(ERAS["4.10"], moved_to_tail=True)),
    ("5.15", replace(ERAS["5.15"], boot_to_tail=False)),
    ("5.15", replace(ERAS["5.15"], nofragment=False)),
    ("5.15", replace(ERAS["5.15"], fallback="claim-or-single")),
    ("6.1", replace(ERAS["6.1"], barrier="isolate")),
    ("6.1", replace(ERAS["6.1"], isolation="split-large")),
    ("6.12", replace(ERAS["6.12"], isolation="split-ends")),
    ("6.12", replace(ERAS["6.12"], retypes_on_merge=False)),
    ("6.12", replace(ERAS["6.12"], reserve="at-least-one")),
]


@pytest.mark.parametrize(("name", "slipped"), SLIPS)
def test_a_choice_of_another_era_shows(name: str, slipped: Era) -> None:
    """Each choice makes a difference that the comparison sees."""
    runs = (run(seed, random_machine(Random(seed), ERAS[name]), slipped, 150) for seed in range(40))

    with pytest.raises(AssertionError):
        Counter(chain.from_iterable(runs))
