"""Spec and stamps, written apart, agree on what CPUs keep of a zone's counts, and what is told."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from random import Random

import pytest
from tests.spec.test_stamps_cpus import follow, machine_with_cpus, request_with_cpus
from tests.spec.test_stamps_typed import random_habit

from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.stamps import boot_stamps, foretell, stamps_of
from pagespec.verbs import Op, Verb

NAMES = [era.name for era in ERAS.values() if era.cells != "none"]

DUE = {
    *(Kind.REFILL, Kind.PCPU_DRAIN, Kind.UNPLUGGED, Kind.PLUGGED),
    *(Kind.TOLD_MORE, Kind.TOLD_LESS, Kind.READ_OUT),
}
"""What must have happened before the silence of a run means anything."""


def machine_with_cells(rng: Random, era: Era) -> Machine:
    """One to four CPUs that keep parts of counts; some belong to another node than the zone.

    Now and then the gap between the marks is larger than what they may keep.
    """
    machine = machine_with_cpus(rng, era)
    cpus = machine.cpus or rng.choice([1, 4])
    far = frozenset(cpu for cpu in range(cpus) if rng.random() < 0.4)
    min_free = rng.choice([machine.min_free, machine.min_free, 200])
    return replace(machine, cpus=cpus, far=far, min_free=min_free, cells=True)


def run(seed: int, era: Era, foretelling: Era, steps: int) -> Iterator[Kind]:
    """Let spec and stamps serve the same requests, the stamps by an era that may be another's."""
    rng = Random(seed)
    machine = machine_with_cells(rng, era)
    zone, stamps = boot(machine), boot_stamps(replace(machine, era=foretelling))
    assert zone.cells == stamps.cells, (seed, machine)
    habit = random_habit(rng)
    for _ in range(steps):
        op = request_with_cpus(rng, zone, habit)
        if rng.random() < 0.08:
            op = Op(Verb.REFRESH, cpu=rng.randrange(machine.cpus))
        assert follow(zone, stamps, op) is None, (seed, machine, op)
        assert zone.cells == stamps.cells, (seed, machine, op)
        yield from (event.kind for event in zone.log)
    assert stamps_of(zone).cells == stamps.cells


@pytest.mark.parametrize("name", NAMES)
def test_spec_and_stamps_agree(name: str) -> None:
    reached: set[Kind] = set()
    for seed in range(30):
        reached.update(run(seed, ERAS[name], ERAS[name], 150))

    assert reached >= DUE


SLIPS = [
    ("2.6.37", replace(ERAS["2.6.37"], counts_drain_once=False)),
    ("2.6.37", replace(ERAS["2.6.37"], close_reads="never")),
    ("2.6.37", replace(ERAS["2.6.37"], refreshes_unplugged=False)),
    ("2.6.39", replace(ERAS["2.6.39"], lowers_thresholds=False)),
    ("4.10", replace(ERAS["4.10"], counts_drain_once=True)),
    ("4.10", replace(ERAS["4.10"], refreshes_unplugged=True)),
    ("5.15", replace(ERAS["5.15"], drains_remotely=True)),
    ("5.15", replace(ERAS["5.15"], early_drift_marks=False)),
    ("6.1", replace(ERAS["6.1"], drains_remotely=False)),
    ("6.12", replace(ERAS["6.12"], lowers_thresholds=False)),
]


@pytest.mark.parametrize(("name", "slipped"), SLIPS)
def test_a_choice_of_another_era_shows(name: str, slipped: Era) -> None:
    """Each choice makes a difference that the comparison sees."""
    runs = (run(seed, ERAS[name], slipped, 150) for seed in range(200))

    with pytest.raises(AssertionError):
        list(chain.from_iterable(runs))


def test_stamps_go_on_from_a_zone_as_it_stands() -> None:
    """What has been kept and told so far is taken over, and shared with nothing."""
    zone = boot(Machine(64, 3, ERAS["6.12"], cpus=2, batch=3, cells=True))
    assert follow(zone, boot_stamps(zone.machine), Op(Verb.ALLOC)) is None
    stamps = stamps_of(zone)
    foretell(stamps, Op(Verb.REFRESH), ())
    assert zone.cells is not None
    assert stamps.cells is not None
    assert (zone.cells.free.told, zone.cells.free.kept) == (64, [-3, 0])
    assert (stamps.cells.free.told, stamps.cells.free.kept) == (61, [0, 0])
