"""Compiled streams beside the spec: they agree, and a difference is seen at the next batch."""

from random import Random

import pytest
from tests.fuzz.material import ALWAYS_HEAD, COUNT_OFF, NO_DOUBLE, NO_MERGE, Fault, planted

from pagefuzz.campaign.stream import BATCH, OP_OF_CODE, Replay
from pagefuzz.campaign.walk import FUZZED_ERAS, large_machine, random_machine
from pageimpl import stream as words
from pagespec.era import ERAS, Era
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.verbs import Verb

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
        (ALWAYS_HEAD, "TWIN-equal"),
        (COUNT_OFF, "BUD-count"),
    ],
    ids=lambda each: each.law if isinstance(each, Fault) else None,
)
def test_planted_faults_are_found(fault: Fault, law: str) -> None:
    """A wrong answer is seen in its batch, a wrong count at the end."""
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
    replay.zone.free_area[0].move_to_end(8)

    with pytest.raises(LawBroken, match="BUD-place"):
        replay.run(BATCH)
    assert replay.done == []


def test_the_words_of_rows_are_the_twins() -> None:
    """What a row's number means here is what the kernels meant when they wrote it."""
    codes = (words.ALLOC, words.ALLOC_COMPOUND, words.FREE, words.GET, words.PUT)

    assert [OP_OF_CODE[code] for code in codes] == [
        (Verb.ALLOC, False),
        (Verb.ALLOC, True),
        (Verb.FREE, False),
        (Verb.GET, False),
        (Verb.PUT, False),
    ]
