"""Slabs in lockstep: spec and twin keep every law on random machines, and faults are named."""

import pytest
from tests.slabs.faulty import (
    ChargesNobody,
    FreesAnything,
    LeaksInBulk,
    Raises,
    failure,
    walked,
)

from pagefuzz.slabs.lockstep import failure_of
from pagefuzz.slabs.replay import replay_slabs
from pagefuzz.slabs.shrink import shrink_slabs, slab_size_of
from pagefuzz.slabs.target import SlabFactory, SpecSlabs
from pagefuzz.slabs.twin import TwinSlabFactory
from pagespec.era import SlabDesign
from pagespec.laws.law import LawBroken
from pagespec.slab.machine import Scheme
from pagespec.slab.trace import slab_text_of
from pagespec.slab.trace_reader import parse_slabs

KINDS: list[tuple[str, SlabDesign, Scheme]] = [
    ("5.8", "slub", "caches"),
    ("5.8", "slab", "caches"),
    ("5.15", "slub", "objects"),
    ("6.1", "slab", "objects"),
    ("6.12", "slub", "objects"),
]


@pytest.mark.parametrize("factory", [SpecSlabs, TwinSlabFactory()], ids=["spec", "twin"])
@pytest.mark.parametrize(("era", "design", "scheme"), KINDS)
def test_right_slabs_keep_every_law(
    era: str, design: SlabDesign, scheme: Scheme, factory: SlabFactory
) -> None:
    """Of each design, scheme and way to pay, and nothing is left in the end."""
    done = walked(f"{era} {design}", factory, era, design, scheme)

    assert len(done.done) > 120
    assert (done.seen.held, done.seen.caches, done.seen.frames) == ({}, {}, {})


def test_a_seed_gives_the_same_requests() -> None:
    """Also the same machine, the same answers and the same events."""
    first, second = walked("same"), walked("same")

    assert (first.machine, first.done) == (second.machine, second.done)
    assert first.reached == second.reached
    assert first.done != walked("other").done


def test_whatever_a_walk_asks_can_be_written_and_read() -> None:
    """Wrong addresses and numbers included, and what is read asks for the same objects again."""
    broken = LawBroken("SLB-place", "made up")
    for number in range(6):
        lockstep = walked(f"text {number}")
        trace = failure_of(lockstep.machine, lockstep, broken)
        assert parse_slabs(slab_text_of(trace)) == trace
        verdict = replay_slabs(trace, SpecSlabs)
        assert (verdict.broken, verdict.skipped) == (None, ())
        assert verdict.reached == lockstep.reached


FAULTS: list[tuple[type[SpecSlabs], SlabDesign, Scheme, int]] = [
    (LeaksInBulk, "slub", "none", 4),
    (LeaksInBulk, "slab", "none", 4),
    (ChargesNobody, "slub", "objects", 3),
    (FreesAnything, "slub", "none", 3),
    (Raises, "slab", "none", 1),
]


@pytest.mark.parametrize(("fault", "design", "scheme", "requests"), FAULTS)
def test_faults_are_found_and_shrink(
    fault: type[SpecSlabs], design: SlabDesign, scheme: Scheme, requests: int
) -> None:
    """To a short trace on a small machine, which breaks the same law again."""
    found = failure(fault, design, scheme)
    small = shrink_slabs(found, fault)

    assert small.expect == found.expect
    assert len(small.requests) <= requests
    assert slab_size_of(small) < slab_size_of(found)
    again = replay_slabs(parse_slabs(slab_text_of(small)), fault).broken
    assert again is not None
    assert again.law_id == small.expect
