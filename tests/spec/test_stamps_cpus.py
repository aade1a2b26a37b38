"""Spec and stamps, written apart, agree on what CPUs keep, marks refuse and bulk requests fill."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from random import Random

import pytest
from tests.spec.test_stamps_typed import (
    Habit,
    disagreement,
    random_habit,
    random_machine,
    random_request,
)

from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.laws.exact import pcps_of
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE, UNMOVABLE, MigrateType
from pagespec.ops import perform
from pagespec.stamps import Stamps, boot_stamps, expected_pcps, foretell, stamps_of
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

EVERYWHERE = {
    *(Kind.REFILL, Kind.FROM_LIST, Kind.TO_LIST, Kind.PCPU_DRAIN, Kind.FAIL),
    *(Kind.BELOW_MARK, Kind.KSWAPD, Kind.UNPLUGGED, Kind.PLUGGED),
}
BULKY = {Kind.BULK, Kind.FILLED}
DUE: dict[str, set[Kind]] = {
    "2.6.8": EVERYWHERE,
    "2004-v1": EVERYWHERE,
    "2004-v2": EVERYWHERE,
    "2.6.11": EVERYWHERE,
    "2.6.37": EVERYWHERE,
    "2.6.39": EVERYWHERE,
    "4.10": EVERYWHERE | {Kind.RESERVED, Kind.UNRESERVED},
    "4.11-rc": EVERYWHERE | {Kind.RESERVED, Kind.RESERVE_USED, Kind.BARRED},
    "5.8": EVERYWHERE | {Kind.RESERVED, Kind.UNRESERVED, Kind.BOOSTED},
    "5.15": EVERYWHERE | BULKY,
    "6.1": EVERYWHERE | BULKY | {Kind.BARRED},
    "6.12": EVERYWHERE | BULKY | {Kind.BARRED},
}
"""What must have happened before the silence of a run means anything."""

OF_CPUS = (
    *(Verb.DRAIN, Verb.DRAIN_ALL, Verb.DISABLE, Verb.ENABLE, Verb.AGE, Verb.AGE),
    *(Verb.EXPIRE, Verb.UNPLUG, Verb.UNPLUG, Verb.PLUG, Verb.PLUG, Verb.REST),
)


def machine_with_cpus(rng: Random, era: Era) -> Machine:
    """Few CPUs with lists so short that they drain, or none, and marks that are met, or none."""
    grouped = era.numbering is not None and rng.random() < 0.9
    machine = random_machine(rng, era if grouped else ERAS["6.12"])
    if not grouped:
        machine = replace(machine, era=era, pageblock=None, types=())
    cpus = rng.choice([0, 1, 2, 3])
    sized = era.tuning != "pair" and cpus > 0
    return replace(
        machine,
        cpus=cpus,
        batch=rng.choice([None, 0, 1, 2, 3, 5]) if cpus else None,
        high=rng.choice([None, 4, 9, 20]) if sized else None,
        min_free=rng.choice([None, 8, 20, 40, 100]),
    )


def request_with_cpus(rng: Random, zone: Zone, habit: Habit) -> Op:
    """Any request, mostly a legal one, by any CPU and in any plight."""
    cpus, dice = zone.machine.cpus, rng.random()
    cpu = rng.randrange(max(1, cpus))
    if cpus and dice < 0.07:
        verb = rng.choice(OF_CPUS)
        return Op(verb, cpu=min(zone.unplugged, default=cpu) if verb is Verb.PLUG else cpu)
    if cpus and dice < 0.12:
        pages, mt = rng.choice([1, 2, 3, 5, 8, 20]), rng.choice(habit.types)
        return Op(Verb.BULK, mt=mt, pages=pages, cpu=cpu, contended=rng.random() < 0.1)
    if zone.slots and dice < 0.17:
        return Op(Verb.FREE, 0, rng.choice(list(zone.slots)), cpu=cpu)
    op = random_request(rng, zone, habit)
    if op.verb not in (Verb.ALLOC, Verb.FREE, Verb.PUT):
        return op
    return op._replace(
        emergency=op.verb is Verb.ALLOC and rng.random() < 0.05,
        cpu=cpu,
        irq=rng.random() < 0.1,
        contended=rng.random() < 0.1,
        cold=rng.random() < 0.2,
    )


def disagreement_about_cpus(zone: Zone, stamps: Stamps) -> tuple[str, object, object] | None:
    """Where the spec's state is not what the stamps say, with both values."""
    levels = zone.levels
    for what, spec, foretold in (
        ("pcps", pcps_of(zone), expected_pcps(stamps)),
        ("loads", [[pcp.load for pcp in pcps] for pcps in zone.pcps], stamps.loads),
        ("slots", zone.slots, stamps.slots),
        ("unplugged", zone.unplugged, stamps.unplugged),
        ("disabled", zone.disabled, stamps.disabled),
        ("marks", None if levels is None else levels.marks, stamps.marks),
        ("boosted", levels is not None and levels.boosted, stamps.boosted),
        ("boost", 0 if levels is None else levels.boost, stamps.boost),
        ("below high", levels is not None and levels.below_high, stamps.below_high),
        ("reclaiming", levels is not None and levels.reclaiming, stamps.reclaiming),
    ):
        if spec != foretold:
            return what, spec, foretold
    return disagreement(zone, stamps)


def follow(zone: Zone, stamps: Stamps, op: Op) -> tuple[str, object, object] | None:
    """Let spec and stamps serve a request; where they part then."""
    zone.log.clear()
    outcome = perform(zone, op)
    if outcome < NO_MEMORY:
        return None
    foretold = foretell(stamps, op, zone.log)
    if foretold != outcome:
        return "outcome", outcome, foretold
    return disagreement_about_cpus(zone, stamps)


def run(seed: int, era: Era, foretelling: Era, steps: int) -> Iterator[Kind]:
    """Let spec and stamps serve the same requests, the stamps by an era that may be another's."""
    machine, rng = machine_with_cpus(Random(seed), era), Random(seed)
    zone, stamps = boot(machine), boot_stamps(replace(machine, era=foretelling))
    habit = random_habit(rng)
    for _ in range(steps):
        op = request_with_cpus(rng, zone, habit)
        assert follow(zone, stamps, op) is None, (seed, machine, op)
        yield from (event.kind for event in zone.log)
    again = stamps_of(zone)
    for field in ("guards", "movable", "offline", "slots", "loads"):
        assert getattr(again, field) == getattr(stamps, field), (seed, machine, field)
    assert expected_pcps(again) == pcps_of(zone)


@pytest.mark.parametrize("name", DUE)
def test_spec_and_stamps_agree(name: str) -> None:
    reached: set[Kind] = set()
    for seed in range(40):
        reached.update(run(seed, ERAS[name], ERAS[name], 150))

    assert reached >= DUE[name]


SLIPS = [
    ("2.6.8", replace(ERAS["2.6.8"], marks="quarters")),
    ("2.6.8", replace(ERAS["2.6.8"], rights="quarter-after")),
    ("2.6.8", replace(ERAS["2.6.8"], order_check="counts")),
    ("2.6.11", replace(ERAS["2.6.11"], marks="thirds")),
    ("2.6.11", replace(ERAS["2.6.11"], order_check="none")),
    ("2.6.37", replace(ERAS["2.6.37"], order_check="lists")),
    ("2.6.37", replace(ERAS["2.6.37"], drains_on_failure=False)),
    ("4.10", replace(ERAS["4.10"], marks="shift")),
    ("4.10", replace(ERAS["4.10"], guard="no-interrupt")),
    ("4.11-rc", replace(ERAS["4.11-rc"], guard="irqs-off")),
    ("4.11-rc", replace(ERAS["4.11-rc"], reserve_for_frames=False)),
    ("5.15", replace(ERAS["5.15"], guard="trylock")),
    ("5.15", replace(ERAS["5.15"], tuning="doubling-flush")),
    ("5.15", replace(ERAS["5.15"], shortcut="none")),
    ("6.1", replace(ERAS["6.1"], guard="local-lock")),
    ("6.1", replace(ERAS["6.1"], tuning="doubling")),
    ("6.12", replace(ERAS["6.12"], lists="huge-alone")),
    ("6.12", replace(ERAS["6.12"], tries_high_first=False)),
]


@pytest.mark.parametrize(("name", "slipped"), SLIPS)
def test_a_choice_of_another_era_shows(name: str, slipped: Era) -> None:
    """Each choice makes a difference that the comparison sees."""
    runs = (run(seed, ERAS[name], slipped, 150) for seed in range(200))

    with pytest.raises(AssertionError):
        Counter(chain.from_iterable(runs))


def frames(order: int, mt: MigrateType) -> Op:
    """A request for a block."""
    return Op(Verb.ALLOC, order, mt=mt)


def bare(era: str, pages: int, top: int, pageblock: int | None = None) -> Machine:
    """A machine without CPUs' lists and marks."""
    return Machine(pages, top, ERAS[era], pageblock=pageblock)


BROKEN_UP = (*[frames(3, MOVABLE)] * 7, frames(0, MOVABLE), frames(0, UNMOVABLE))
"""The last of these breaks up a pageblock, in a zone of 64 frames and pageblocks of 8."""

WORKED_OUT: dict[str, tuple[Machine, Sequence[Op]]] = {
    "an emergency wakes kswapd before it goes below the marks": (
        replace(bare("2.6.11", 24, 2), min_free=100),
        [frames(0, UNMOVABLE)._replace(emergency=True)],
    ),
    "an emergency tries with its rights before it goes below the marks": (
        replace(
            bare("6.1", 64, 3, pageblock=2),
            types=(HIGHATOMIC, HIGHATOMIC, *[MOVABLE] * 14),
            min_free=240,
        ),
        [frames(1, UNMOVABLE)._replace(atomic=True, emergency=True)],
    ),
    "until 6.9 a refill leaves the count of free frames when it is done": (
        replace(bare("6.1", 32, 4, pageblock=4), types=(CMA, MOVABLE), cpus=1, batch=5, high=20),
        [frames(0, MOVABLE)],
    ),
    "a fallback that boosts the marks wakes kswapd": (
        replace(bare("5.15", 64, 3, pageblock=3), min_free=16),
        BROKEN_UP,
    ),
    "in 5.8 a fallback wakes kswapd in a zone that is too small for a boost": (
        replace(bare("5.8", 24, 3, pageblock=3), min_free=16),
        BROKEN_UP[-4:],
    ),
    "what is offline is not isolated": (
        replace(bare("4.10", 64, 3, pageblock=3), cpus=1, batch=1, high=20),
        [
            Op(Verb.ISOLATE, pfn=56, pages=8),
            Op(Verb.OFFLINE, pfn=56, pages=8),
            *[frames(3, MOVABLE)] * 6,
            frames(0, MOVABLE),
            Op(Verb.FREE, pfn=0),
            frames(0, UNMOVABLE),
            Op(Verb.DRAIN),
        ],
    ),
    "until 5.10 lists are drained after each pageblock that is isolated": (
        replace(bare("2.6.37", 16, 3, pageblock=2), cpus=1, batch=1, high=9),
        [
            *[frames(2, MOVABLE), frames(0, MOVABLE), Op(Verb.FREE, pfn=12)],
            Op(Verb.ISOLATE, pfn=8, pages=8),
        ],
    ),
    "an unplugged CPU keeps nothing": (
        replace(bare("6.1", 32, 5, pageblock=2), cpus=2, batch=3, high=9),
        [Op(Verb.UNPLUG, cpu=0), Op(Verb.CONTIG, pfn=13, mt=MOVABLE, pages=8)],
    ),
    "to enable lists gives them back the sizes that they had": (
        replace(bare("5.15", 64, 3, pageblock=3), cpus=1, batch=1, min_free=16),
        [*BROKEN_UP, Op(Verb.DISABLE), Op(Verb.ENABLE)],
    ),
}
"""What a kernel does where a reader might expect another thing."""


@pytest.mark.parametrize("what", WORKED_OUT)
def test_they_agree_where_it_is_easy_to_part(what: str) -> None:
    machine, requests = WORKED_OUT[what]
    zone, stamps = boot(machine), boot_stamps(machine)
    for op in requests:
        assert follow(zone, stamps, op) is None, op
