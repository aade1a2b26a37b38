"""Compiled streams beside the spec: they agree, and a difference is seen at the next batch."""

from random import Random

import pytest
from tests.fuzz.material import ALWAYS_HEAD, COUNT_OFF, NO_DOUBLE, NO_MERGE, Fault, planted

from pagefuzz.campaign.stream import BATCH, Replay
from pagefuzz.campaign.walk import FUZZED_ERAS, large_machine, random_machine
from pagespec.era import ERAS, Era
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.migratetype import RECLAIMABLE, UNMOVABLE

SMALL = Machine(pages=64, top=4, era=ERAS["6.1"])


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
        (ALWAYS_HEAD, "BUD-place"),
        (COUNT_OFF, "TWIN-equal"),
    ],
    ids=lambda each: each.law if isinstance(each, Fault) else None,
)
def test_planted_faults_are_found(fault: Fault, law: str) -> None:
    """A wrong answer, a wrong place or a wrong count is seen in its batch."""
    replay = Replay(SMALL, Random(0), planted(fault).kernels)
    with pytest.raises(LawBroken, match=law):
        replay.run(3000)


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
