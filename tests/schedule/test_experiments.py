"""The experiments: each breaks its law soon, and without what is varied nothing breaks."""

from dataclasses import replace

import pytest

from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.experiments import EXPERIMENTS, FELT, OWNER
from pagefuzz.schedule.fewest import Search, switches_of
from pagefuzz.schedule.replay import follow
from pagespec.era import ERAS
from pagespec.guards import RULES
from pagespec.machine import Machine
from pagespec.schedule.contexts import Level, Scenario
from pagespec.schedule.trace import ScheduleTrace
from pagespec.vmstat.machine import CounterMachine

AS_IT_WAS = frozenset(
    {
        *("one-cpu-drain", "drain-that-looks-first", "high-before-batch"),
        *("hits-with-interrupts-on", "hits-lost", "events-lost"),
    }
)
"""Those that vary nothing: the releases were so."""


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_law_breaks_soon(name: str) -> None:
    """After three switches or interrupts at most, in at most six requests."""
    scenario, laws, *_ = EXPERIMENTS[name]
    broken = exhaust(scenario).broken
    assert broken is not None
    assert broken.law_id in laws

    schedule = Search(scenario, broken.law_id).fewest(switches=3, states=10_000)
    assert schedule is not None
    assert switches_of(schedule) <= 3
    assert len(ScheduleTrace(scenario).requests) <= 6
    followed = follow(scenario, schedule).broken
    assert followed is not None
    assert followed.law_id == broken.law_id


@pytest.mark.parametrize("name", [name for name, each in EXPERIMENTS.items() if each.felt])
def test_users_feel_it(name: str) -> None:
    """A frame is given twice or lost, or a count is wrong, if nobody asks whose the lists are."""
    experiment = EXPERIMENTS[name]
    broken = exhaust(experiment.scenario, without=OWNER).broken

    assert experiment.laws == OWNER
    assert broken is not None
    assert broken.law_id in experiment.felt <= FELT


def mended(scenario: Scenario) -> Scenario:
    """The scenario in its era as it was, with the zone's lock as it is, and without NMIs."""
    assert isinstance(scenario.machine, Machine | CounterMachine)
    era = ERAS[scenario.machine.era.name]
    roles = tuple(
        role._replace(level=min(role.level, Level.HARDIRQ), requests=role.requests)
        for role in scenario.roles
    )
    return replace(
        scenario, machine=replace(scenario.machine, era=era), roles=roles, lock_irqs_on=False
    )


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_it_is_what_was_left_out(name: str) -> None:
    """With the rule in place every state of the same scenario keeps every law."""
    scenario = EXPERIMENTS[name].scenario
    found = exhaust(mended(scenario))

    assert (found.broken is None) is (name not in AS_IT_WAS)
    assert (mended(scenario) == scenario) is (name in AS_IT_WAS)


@pytest.mark.parametrize(
    ("name", "era"),
    [
        ("high-before-batch", "4.10"),
        ("high-before-batch", "5.15"),
        ("batch-before-high", "5.15"),
        ("hits-with-interrupts-on", "4.10"),
        ("hits-lost", "4.10"),
        ("events-lost", "4.10"),
        ("one-cpu-trylock", "6.1"),
        ("one-cpu-trylock", "6.12"),
        ("one-cpu-drain", "6.1"),
        ("drain-that-looks-first", "5.15"),
        ("drain-that-looks-first", "6.12"),
    ],
)
def test_other_eras_do_without(name: str, era: str) -> None:
    """They store the batch as 1 meanwhile or look how much there is, and turn interrupts off."""
    scenario = EXPERIMENTS[name].scenario
    assert isinstance(scenario.machine, Machine | CounterMachine)
    found = exhaust(replace(scenario, machine=replace(scenario.machine, era=ERAS[era])))

    assert found.broken is None
    assert found.exhausted


def test_the_guards_that_no_release_had_are_tried() -> None:
    """They are there for that alone."""
    tried = {each.scenario.machine.era.guard for each in EXPERIMENTS.values()}

    assert {"preempt-off", "bare-trylock"} <= tried
    assert {"preempt-off", "bare-trylock"} == set(RULES) - {each.guard for each in ERAS.values()}


def test_every_sentence_says_what_follows() -> None:
    """One each, with a full stop."""
    sentences = [each.sentence for each in EXPERIMENTS.values()]

    assert len(set(sentences)) == len(sentences)
    assert all(sentence.endswith(".") for sentence in sentences)
