"""The twin's own text under a scheduler: exhausted as it is, refuted with a fault in it."""

import pytest

from pagefuzz.errors import UsageError
from pagefuzz.schedule.twin.cases import TWIN_CASES
from pagefuzz.schedule.twin.explore import TwinResult, explore_twin, replay_twin
from pagefuzz.schedule.twin.faults import TWIN_FAULTS
from pageimpl.memory import LOADS, zone_lock_of

BOUND = 2
"""Preemptions to which every case is exhausted here."""

WHOLE = ("put-put", "count-tell", "fold-fold", "count-fold")
"""Cases so small that more preemptions than they have stops leave no schedule out."""


@pytest.mark.parametrize("case", TWIN_CASES)
def test_sound_text_is_exhausted(case: str) -> None:
    """No schedule with two preemptions breaks a law, and none of those drawn beyond."""
    result = explore_twin(case, BOUND, seed=1)

    assert result.finding is None
    assert result.verdict == "exhausted"
    assert result.schedules > 2 * len(TWIN_CASES[case].what.split(" while "))
    assert result.points > 0
    assert result.drawn > 0


@pytest.mark.parametrize("case", WHOLE)
def test_small_cases_have_no_more_schedules(case: str) -> None:
    """From some bound on there are no more states: then every schedule there is was tried."""
    few, more = (explore_twin(case, bound, seed=1) for bound in (9, 12))

    assert (few.states, few.schedules) == (more.states, more.schedules)
    assert few.verdict == more.verdict == "exhausted"


@pytest.mark.parametrize("case", ["put-put", "fold-fold", "count-fold", "inc-inc"])
def test_states_that_were_met_can_be_left(case: str) -> None:
    """Without it, more schedules come to the same verdict."""
    hashed, plain = (explore_twin(case, 2, seed=1, hashing=on) for on in (True, False))

    assert hashed.verdict == plain.verdict == "exhausted"
    assert hashed.schedules <= plain.schedules
    assert plain.states == 0 < hashed.states


@pytest.mark.parametrize("fault", TWIN_FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    """Each with few switches, all of which say where in the kernels' text they are."""
    planted = TWIN_FAULTS[fault]

    result = explore_twin(planted.case, BOUND, seed=1, patches=planted.patches)

    finding = result.finding
    assert result.verdict == "refuted"
    assert finding is not None
    assert finding.law in planted.laws
    assert len(finding.switches) <= BOUND
    assert len(finding.told) <= 4
    assert all(told.line for told in finding.told[: len(finding.switches)])
    again = replay_twin(planted.case, finding.switches, finding.points, planted.patches)
    assert again == finding
    assert replay_twin(planted.case, finding.switches, finding.points) is None


@pytest.mark.parametrize(
    "fault", ["plain-event", "plain-reference", "plain-cell", "released-early"]
)
def test_faults_are_found_without_leaving_states(fault: str) -> None:
    """The same law breaks where every schedule is run."""
    planted = TWIN_FAULTS[fault]

    results = [
        explore_twin(planted.case, 1, seed=1, patches=planted.patches, hashing=on)
        for on in (True, False)
    ]

    assert [result.finding.law for result in results if result.finding] == 2 * [
        results[0].finding and results[0].finding.law
    ]


def test_a_case_is_its_seed() -> None:
    """The same case, bound and seed come to the same result, word for word."""
    fault = TWIN_FAULTS["tested-then-set"]

    results = {
        str(explore_twin("alloc-alloc", bound, seed=5, patches=patches))
        for patches in (None, fault.patches)
        for bound in (0, 0)
    }

    assert len(results) == 2


def test_drawn_schedules_find_what_no_bound_allows() -> None:
    """With no preemption at all nothing breaks; the drawn ones beyond it do, and are shrunk."""
    fault = TWIN_FAULTS["tested-then-set"]

    result = explore_twin(fault.case, 0, seed=1, patches=fault.patches)

    assert result.drawn > 0
    assert result.finding is not None
    assert len(result.finding.switches) <= 3


def test_contexts_stop_at_locks() -> None:
    """The zone's lock is one of the points, and what no context writes is none."""
    points = explore_twin("alloc-alloc", 0, seed=1, patches=TWIN_FAULTS["plain-event"].patches)

    assert points.finding is not None
    assert dict(LOADS)[zone_lock_of].offset in points.finding.points


@pytest.mark.parametrize(
    ("case", "bound", "said"), [("no-such", 1, "no case 'no-such'"), ("put-put", -1, "bound -1")]
)
def test_what_cannot_be_explored_is_refused(case: str, bound: int, said: str) -> None:
    """An unknown case, or a bound below 0."""
    with pytest.raises(UsageError, match=said):
        explore_twin(case, bound, seed=1)


def test_results_are_rows() -> None:
    """A result has a name and a plain value for every column."""
    result = explore_twin("fold-fold", 1, seed=1)

    assert isinstance(result, TwinResult)
    assert result._asdict()["case"] == "fold-fold"
