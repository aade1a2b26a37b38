"""Allocators to be judged, right and wrong, and what it takes to build those in C."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pagefuzz.campaign.walk import random_machine, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.target import native
from pagefuzz.target.build import COMPILERS, built
from pagefuzz.target.native import Library
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS, Era
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine

EXAMPLES = native.HEADER.parent / "example"
SMALL = Machine(pages=16, top=3, era=ERAS["6.12"])

needs_cc = pytest.mark.skipif(
    not any(map(shutil.which, COMPILERS)), reason="no C compiler: C targets cannot be built"
)


def forget(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let modules of these names be found anew now, and again when the test is over."""
    for name in names:
        # What was there before comes back; what was not is taken away, whoever has put it there.
        monkeypatch.setitem(sys.modules, name, sys)
        monkeypatch.delitem(sys.modules, name)


def any_machines(count: int, eras: tuple[Era, ...] = tuple(ERAS.values())) -> Iterator[Machine]:
    """Machines of every shape, the eras in turn, the same ones each time."""
    rng = Random("machines")
    for number in range(count):
        yield random_machine(rng, eras[number % len(eras)])


def alone(machine: Machine) -> Machine:
    """The machine without CPUs that keep lists and without watermarks."""
    return replace(machine, cpus=0, batch=None, high=None, min_free=None, cells=False)


def machines(count: int, eras: tuple[Era, ...] = tuple(ERAS.values())) -> Iterator[Machine]:
    """The same with nothing but blocks: what an allocator that is asked by calls takes."""
    for machine in any_machines(count, eras):
        yield replace(alone(machine), pageblock=None, types=(), guard=0)


def listed_machines(count: int, eras: tuple[Era, ...] = tuple(ERAS.values())) -> Iterator[Machine]:
    """Machines whose CPUs may keep frames, with nothing else that a call has no word for."""
    for number, machine in enumerate(machines(count, eras)):
        yield replace(machine, cpus=1 + number % 4, batch=2)


def walked(factory: Factory, machine: Machine, seed: int = 0, level: Level = "exact") -> Lockstep:
    """The allocator after one random walk, through to the end. Raises LawBroken."""
    lockstep = Lockstep(machine, factory, level)
    walk(lockstep, Random(f"{seed}/{machine}"), 100)
    return lockstep


def first_break(factory: Factory, walks: int = 200) -> LawBroken:
    """The first law that random walks see broken; fails the test if they see none."""
    for seed, machine in enumerate(machines(walks)):
        try:
            walked(factory, machine, seed)
        except LawBroken as broken:
            return broken
    pytest.fail(f"no law broke in {walks} walks")


def changed(directory: Path, old: str, new: str, source: str = "buddy.c") -> Library:
    """The library of an example after a change of its text, which must stand there once."""
    text = (EXAMPLES / source).read_text()
    assert text.count(old) == 1
    path = directory / source
    path.write_text(text.replace(old, new))
    return Library(built(path), source)
