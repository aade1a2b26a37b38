"""Compiled streams beside the spec: they agree, and a difference is seen at the next batch."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from tests.fuzz.material import ALWAYS_HEAD, COUNT_OFF, NO_DOUBLE, NO_MERGE, Fault, planted

from pagefuzz.campaign.mix import OF_CPUS, OF_LISTS
from pagefuzz.campaign.stream import BATCH, Replay
from pagefuzz.campaign.walk import FUZZED_ERAS, large_machine, random_machine
from pagespec.era import ERAS, Era
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.migratetype import RECLAIMABLE, UNMOVABLE
from pagespec.types import Refusal
from pagespec.verbs import Op, Verb

SMALL = Machine(pages=64, top=4, era=ERAS["6.1"])
LISTED = replace(SMALL, cpus=3, batch=3, high=8, min_free=16)
TO_TAIL = Fault(
    "pcp.lists",
    "push(mem, q + index, p, want & tail_flags_of(mem) != 0)",
    "push(mem, q + index, p, True)",
    "TWIN-equal",
)
UNCOUNTED = Fault("bulk", "count_alloc(mem, got)", "pass", "TWIN-counts")


@pytest.mark.parametrize("era", FUZZED_ERAS, ids=lambda era: era.name)
def test_streams_agree_with_the_spec(era: Era) -> None:
    """Compiled code and the spec answer alike, and their lists and states are the same."""
    rng = Random(era.name)
    for machine in (random_machine(rng, era), large_machine(rng, era)):
        replay = Replay(machine, rng)
        replay.run(1000)
        assert len(replay.done) == 1000


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        (NO_MERGE, "TWIN-equal"),
        (NO_DOUBLE, "TWIN-equal"),
        # By the lists, or by the frame that a later request of the same batch gets.
        (ALWAYS_HEAD, "BUD-place|TWIN-equal"),
        (COUNT_OFF, "TWIN-equal"),
    ],
    ids=lambda each: each.law if isinstance(each, Fault) else None,
)
def test_planted_faults_are_found(fault: Fault, law: str) -> None:
    """A wrong answer, a wrong place or a wrong count is seen in its batch."""
    replay = Replay(SMALL, Random(0), planted(fault).kernels)
    with pytest.raises(LawBroken, match=law):
        replay.run(3000)


@pytest.mark.parametrize("fault", [TO_TAIL, UNCOUNTED], ids=lambda fault: fault.law)
def test_faults_of_lists_and_counts_are_found(fault: Fault) -> None:
    """What CPUs keep in the wrong order, or a count too few, is seen in the tenth batch."""
    replay = Replay(LISTED, Random(0), planted(fault).kernels)
    with pytest.raises(LawBroken, match=fault.law):
        replay.run(3000)


def test_streams_ask_for_all_that_lists_and_marks_serve() -> None:
    """Every verb beside those on ranges, from every CPU, and each way to ask."""
    asked: Counter[Verb] = Counter()
    ops: list[Op] = []
    for seed in range(4):
        replay = Replay(replace(LISTED, era=ERAS["6.12"]), Random(seed))
        replay.run(3000)
        ops += [op for op, _ in replay.done]
        asked.update(op.verb for op, outcome in replay.done if outcome >= 0)
        assert replay.filled.keys() <= set(range(len(replay.done)))

    assert asked.keys() >= OF_LISTS | OF_CPUS | {Verb.REST}
    assert {op.cpu for op in ops} >= {0, 1, 2}
    for word in ("irq", "contended", "cold", "emergency", "atomic"):
        assert {getattr(op, word) for op in ops if op.verb is Verb.ALLOC} == {False, True}


def test_some_cpu_is_always_left_to_ask() -> None:
    """The last CPU stays, so that requests never come from one that is unplugged but by mistake."""
    replay = Replay(replace(SMALL, cpus=2), Random(5))
    replay.run(5000)
    refused = sum(outcome == Refusal.BAD_CPU for _, outcome in replay.done)

    assert any(op.verb is Verb.UNPLUG and outcome == 0 for op, outcome in replay.done)
    assert refused < len(replay.done) // 50


def test_lists_are_compared_after_every_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """From boot on, a difference in the lists lives no longer than a batch."""
    compared: list[int] = []
    replay = Replay(SMALL, Random(0))
    monkeypatch.setattr(Replay, "_compare_lists", lambda replay: compared.append(len(replay.done)))
    replay.run(3 * BATCH)

    assert compared == [0, BATCH, 2 * BATCH, 3 * BATCH]


def test_a_block_in_another_place_is_seen_after_the_batch() -> None:
    """Lists of the same blocks in another order differ, before any answer does."""
    replay = Replay(Machine(pages=64, top=0, era=ERAS["6.1"]), Random(0))
    replay.zone.free_area[0][UNMOVABLE].move_to_end(8)

    with pytest.raises(LawBroken, match="BUD-place"):
        replay.run(BATCH)
    assert replay.done == []


@pytest.mark.parametrize("field", ["pageblocks", "free_pages"])
def test_types_and_counts_are_seen_after_the_batch(field: str) -> None:
    """A pageblock of another type, or a frame too few, differs before any answer does."""
    replay = Replay(Machine(pages=64, top=4, era=ERAS["6.1"], pageblock=3), Random(0))
    if field == "pageblocks":
        replay.zone.pageblocks[-1] = RECLAIMABLE
    else:
        replay.zone.free_pages -= 1

    with pytest.raises(LawBroken, match="TWIN-equal"):
        replay.run(BATCH)
    assert replay.done == []
