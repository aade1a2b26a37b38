"""Compaction in lockstep: the spec keeps every law on random machines, and faults are named."""

import pytest
from tests.compaction.faulty import (
    DropsTheLru,
    ForgetsToReset,
    LosesTargets,
    MovesPinned,
    Raises,
    failure,
    walked,
)

from pagefuzz.compaction.machine import CompactionLedger, run_compaction_machine
from pagefuzz.compaction.record import failure_of
from pagefuzz.compaction.replay import replay_compaction
from pagefuzz.compaction.shrink import compaction_size_of, shrink_compaction
from pagefuzz.compaction.target import SpecCompaction
from pagespec.compaction.trace import CompactionTrace, compaction_text_of
from pagespec.compaction.trace_reader import parse_compaction
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken


@pytest.mark.parametrize("era", ["2.6.37", "2.6.39", "4.10", "5.8", "6.12"])
def test_the_spec_keeps_every_law(era: str) -> None:
    """In each era that compacts in another way, and in the end everything is back."""
    for number in range(2):
        done = walked(f"{era} {number}", era=era)

        assert len(done.done) >= 101
        assert (done.seen.zone.held, done.seen.lru, done.seen.strays) == ({}, set(), {})


def test_a_seed_gives_the_same_requests() -> None:
    """Also the same machine, the same answers and the same events."""
    first, second = walked("same"), walked("same")

    assert (first.machine, first.done) == (second.machine, second.done)
    assert first.reached == second.reached
    assert first.done != walked("other").done


def test_whatever_a_walk_asks_can_be_written_and_read() -> None:
    """Wrong frames and numbers included; names find their blocks wherever they were moved."""
    broken = LawBroken("CMP-undo", "made up")
    for number in range(4):
        lockstep = walked(f"text {number}", era="6.12")
        trace = failure_of(lockstep.machine, lockstep, broken)
        assert parse_compaction(compaction_text_of(trace)) == trace
        verdict = replay_compaction(trace, SpecCompaction)
        assert (verdict.broken, verdict.skipped) == (None, ())
        assert verdict.reached == lockstep.reached


FAULTS: list[tuple[type[SpecCompaction], str, str, int]] = [
    (LosesTargets, "5.15", "CMP-undo", 3),
    (MovesPinned, "2.6.39", "CMP-move", 4),
    (ForgetsToReset, "4.10", "CMP-anew", 1),
    (DropsTheLru, "6.12", "CMP-holder", 3),
    (Raises, "2.6.37", "OUT-fault", 1),
]


@pytest.mark.parametrize(("fault", "era", "law", "requests"), FAULTS)
def test_faults_are_named_and_shrink(
    fault: type[SpecCompaction], era: str, law: str, requests: int
) -> None:
    """To a short trace on a small machine, which breaks the same law again."""
    found = failure(fault, era)
    small = shrink_compaction(found, fault)

    assert (found.expect, small.expect) == (law, law)
    assert len(small.requests) <= requests
    assert compaction_size_of(small) < compaction_size_of(found)
    verdict = replay_compaction(small, fault)
    assert verdict.broken is not None
    assert verdict.broken.law_id == law
    assert replay_compaction(small, SpecCompaction).broken is None


def test_hypothesis_compacts_and_finds_a_fault() -> None:
    """The spec keeps every law in its examples; one that loses targets is found, and written."""
    ledger = CompactionLedger(SpecCompaction, lambda trace: None)
    run_compaction_machine(ledger, [ERAS["6.1"]], 7, examples=4, shrink=False)
    assert ledger.operations > 200

    found: list[CompactionTrace] = []
    faulty = CompactionLedger(LosesTargets, found.append)
    with pytest.raises(LawBroken) as caught:
        run_compaction_machine(faulty, [ERAS["4.10"]], 7, examples=60, shrink=False)

    assert caught.value.law_id == found[-1].expect == "CMP-undo"
