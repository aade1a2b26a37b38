"""The twin of hosts is the spec: every answer, every zone's state, and what each zone counts."""

from random import Random

import pytest

from pagefuzz.hosts.draw import random_host
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.twin import TwinHostFactory
from pagefuzz.hosts.walk import WALK_REQUESTS, walk
from pageimpl.source import plain_modules
from pagespec.era import ERAS
from pagespec.host import Host, Part
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.types import DomainError, ZoneClass
from pagespec.verbs import Op, Verb

NAMES = [name for name, era in ERAS.items() if era.bounds == "zone"]


def walked(seed: str, factory: TwinHostFactory, era: str | None = None) -> HostLockstep:
    """One walk on a random host. Raises LawBroken."""
    rng = Random(seed)
    lockstep = HostLockstep(random_host(rng, ERAS[era] if era else None), factory)
    walk(lockstep, rng, WALK_REQUESTS)
    return lockstep


def breaks(seed: str, factory: TwinHostFactory) -> bool:
    """Whether a walk breaks a law."""
    try:
        walked(seed, factory)
    except LawBroken:
        return True
    return False


@pytest.mark.parametrize("era", NAMES)
def test_the_twin_is_the_spec(era: str) -> None:
    """Compiled, on hosts of every shape, after every request."""
    for number in range(4):
        walked(f"twin {era} {number}", TwinHostFactory(), era)


def test_the_plain_form_is_the_spec_too() -> None:
    """No kernel leaves its memory: the plain form would say so."""
    factory = TwinHostFactory(plain_modules())

    for number in range(6):
        walked(f"plain {number}", factory)


PATCHES = {
    "the first zone that could is passed by": (
        "zonelist",
        "mem = zone_at(zones, number)\n        if may_serve",
        "mem = zone_at(zones, count - 1 - number)\n        if may_serve",
    ),
    "a miss is no foreign": ("system", "word_at(host, meant + FOREIGN) + times", "0"),
    "an array counts once": ("system", "want >> CPU_SHIFT & CPU_BITS, got)", "0, 1)"),
    "reserves go by the highest class in all eras": (
        "system",
        "by_highest = word_at(host, BY_HIGHEST) != 0",
        "by_highest = True",
    ),
    "lists of the own node expire": (
        "system",
        "if far_of(mem, area_of(mem, cpu, 0)):",
        "if cpu >= 0:",
    ),
}
"""Faults in the twin of hosts: the module, a text in it, and what stands there instead."""


@pytest.mark.parametrize("name", PATCHES)
def test_faults_of_the_twin_are_found(name: str) -> None:
    """Each within some walks."""
    module, text, other = PATCHES[name]
    factory = TwinHostFactory(plain_modules({module: lambda source: source.replace(text, other)}))

    assert any(breaks(f"patched {number}", factory) for number in range(80))


def test_eras_that_are_the_spec_s_alone_are_declined() -> None:
    """The two ways of 2004 that were not merged."""
    machine = Machine(16, 3, ERAS["2004-v2"])

    with pytest.raises(DomainError):
        TwinHostFactory()(Host((Part(ZoneClass.NORMAL, 0, machine),)))


def test_strange_numbers_are_refused() -> None:
    """Also those that a machine word might not hold."""
    host = Host((Part(ZoneClass.NORMAL, 0, Machine(16, 3, ERAS["6.1"])),))
    lockstep = HostLockstep(host, TwinHostFactory())

    for op in (
        Op(Verb.FREE, 0, 2**70),
        Op(Verb.FREE, -1, 0),
        Op(Verb.ALLOC, 2**40),
        Op(Verb.ALLOC, 0, node=2**70),
        Op(Verb.ALLOC, 0, cpu=2**70),
    ):
        assert lockstep.step(op) < -1


@pytest.mark.parametrize("era", ["4.10", "6.12"])
@pytest.mark.parametrize(
    "classes", [(ZoneClass.DMA, ZoneClass.NORMAL), (ZoneClass.NORMAL, ZoneClass.MOVABLE)]
)
def test_a_zone_may_be_one_hole(era: str, classes: tuple[ZoneClass, ZoneClass]) -> None:
    """It has no share of the marks and keeps nothing; nor has one above it a share of its own."""
    hole = Machine(16, 3, ERAS[era], holes=((0, 16),), pageblock=3)
    parts = (
        Part(classes[0], 0, hole),
        Part(classes[1], 0, Machine(16, 3, ERAS[era], start=16, pageblock=3)),
    )
    host = Host(parts, min_free=16, ratios=(1, 1, 1))

    walk(HostLockstep(host, TwinHostFactory(plain_modules())), Random(era), WALK_REQUESTS)
