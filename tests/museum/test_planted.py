"""Faults planted in the spec: they are there inside the block, and gone behind it."""

from dataclasses import replace

import pytest

from pagefuzz.museum.catalogue import matching
from pagefuzz.museum.hunting import Fate, hunt_all, hunt_plain, seeds_of
from pagefuzz.museum.mutant import Edit, Mutant
from pagefuzz.museum.planted import planted_in_spec
from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.experiments import FELT, OWNER
from pagespec import alloc
from pagespec.schedule.trace_reader import parse_schedule

EVERY = matching("interleavings")
"""All that take several contexts."""


def body_of(edits: tuple[Edit, ...]) -> bytes:
    with planted_in_spec(edits):
        return alloc.give_back.__code__.co_code


def test_the_spec_is_itself_again() -> None:
    """Also what was imported for the fault alone is gone, and also if the block fails."""
    mutant = matching("merge-without-the-lock")[0]
    before = alloc.give_back.__code__
    assert body_of(mutant.edits) != before.co_code
    assert alloc.give_back.__code__ is before
    assert not hasattr(alloc, "parent_of")

    with pytest.raises(KeyError), planted_in_spec(mutant.edits):
        raise KeyError
    assert alloc.give_back.__code__ is before


def test_an_edit_that_changes_no_function_is_an_error() -> None:
    """Else a mutant would quietly be the original: a table that has been made stays as it is."""
    with (
        pytest.raises(ValueError, match="change no function"),
        planted_in_spec([Edit("alloc", '"tag": free_by_type', '"tag": give_back')]),
    ):
        pass


@pytest.mark.parametrize("mutant", EVERY, ids=lambda mutant: mutant.id)
def test_only_the_fault_breaks_a_law(mutant: Mutant) -> None:
    """Every state of the scenario is visited without it, and all laws hold."""
    assert mutant.scenario is not None
    found = exhaust(mutant.scenario, reduced=False)

    assert found.broken is None
    assert found.exhausted


def test_every_one_is_killed_at_once() -> None:
    """By a law that fits, within some hundred states, the same each time."""
    verdicts = hunt_all(EVERY[:4], 1, 5, 1, lambda line: None).verdicts
    assert [verdict.fate for verdict in verdicts] == [Fate.KILLED] * 4
    assert all(len(verdict.kills) == 1 for verdict in verdicts)

    for mutant in EVERY:
        kill = hunt_plain(mutant, 0)
        assert kill is not None
        assert kill.law in mutant.laws
        assert kill.operations < 1000
        assert parse_schedule(kill.trace).expect == kill.law


@pytest.mark.parametrize("mutant", EVERY, ids=lambda mutant: mutant.id)
def test_steps_that_are_taken_as_one_hide_nothing(mutant: Mutant) -> None:
    """Nobody else sees them only if all keep to the guards, and who does not is named."""
    assert mutant.scenario is not None
    with planted_in_spec(mutant.edits):
        broken = exhaust(mutant.scenario).broken

    assert broken is not None
    assert broken.law_id in mutant.laws


@pytest.mark.parametrize(
    "mutant", [each for each in EVERY if "PCP-owner" in each.laws], ids=lambda mutant: mutant.id
)
def test_who_is_at_lists_without_their_guard_is_felt(mutant: Mutant) -> None:
    """A frame is given twice, or a count is wrong, if nobody asks whose the lists are."""
    assert mutant.scenario is not None
    with planted_in_spec(mutant.edits):
        broken = exhaust(mutant.scenario, reduced=False, without=OWNER).broken

    assert broken is not None
    assert broken.law_id in FELT


def test_one_hunt_is_enough() -> None:
    """Where every state is visited no seed matters."""
    assert len(seeds_of(1, EVERY[0], 5)) == 1
    assert len(seeds_of(1, matching("tails-leaked")[0], 5)) == 5


def test_a_scenario_that_is_sound_is_no_kill() -> None:
    """All its states are visited, and the hunt says that it found nothing."""
    mutant = EVERY[0]
    harmless = replace(mutant, edits=(Edit("alloc", "piece = order - 1", "piece = -1 + order"),))
    assert hunt_plain(harmless, 0) is None
