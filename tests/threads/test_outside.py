"""Libraries of others on threads: one with a lock, and some that should not be called so."""

from pathlib import Path

import pytest

from pagefuzz.errors import UsageError
from pagefuzz.target.build import built
from pagefuzz.target.native import Library
from pagefuzz.threads.outside import hunt_library
from pagespec.era import ERAS
from pagespec.machine import Machine

MACHINE = Machine(60, 3, ERAS["6.12"], start=4)


LOCKED = Path(__file__).with_name("locked.c")


def library(name: str, path: Path = LOCKED) -> Library:
    return Library(built(path), name)


def test_a_library_with_a_lock_is_not_refuted() -> None:
    broken, served = hunt_library(library("locked"), MACHINE, threads=2, seed=1, steps=100_000)

    assert broken is None, broken
    assert served == 200_000


def test_a_library_without_a_lock_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CFLAGS", "-O2 -g -DNO_LOCK")
    unlocked = library("unlocked")
    monkeypatch.delenv("CFLAGS")
    alone, _ = hunt_library(unlocked, MACHINE, threads=1, seed=1, steps=100_000)
    broken, _ = hunt_library(unlocked, MACHINE, threads=2, seed=1, steps=2_000_000)

    assert alone is None
    assert broken is not None
    assert broken.law_id in ("OUT-disjoint", "OUT-return", "OUT-fault")


def test_threads_must_be_allowed() -> None:
    with pytest.raises(UsageError, match=r"threads=9, expected at most 8: pf_threads\(\) says so"):
        hunt_library(library("locked"), MACHINE, threads=9, seed=1, steps=1)
    example = Path(__file__).parents[2] / "fuzz/pagefuzz/target/example/firstfit.c"
    with pytest.raises(UsageError, match="at most 1: it does not define pf_threads"):
        hunt_library(library("firstfit", example), MACHINE, threads=2, seed=1, steps=1)


def test_cpus_are_those_of_the_threads() -> None:
    machine = Machine(60, 3, ERAS["6.12"], cpus=2)
    with pytest.raises(UsageError, match="cpus=2 for 2 threads; expected 0, it has no pf_alloc_on"):
        hunt_library(library("locked"), machine, threads=2, seed=1, steps=1)
