"""How long a session goes on when its seconds did not suffice to meet every event."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pagefuzz.campaign import session
from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.campaign.plan import Plan, Result
from pagefuzz.campaign.pool import Budget
from pagefuzz.campaign.verdict import Offer, summary_of
from pagespec.verbs import BLOCK_VERBS

OFFER = Offer("outside", BLOCK_VERBS, frozenset())


def _numbers_run(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    budget: Budget,
    meets: int | None,
    law: str | None = None,
) -> list[int]:
    """The numbers of the units that a session runs, of which one meets the floor, or none."""
    plan = Plan(("run",), 1, "spec", "outside", ("6.1",), ("walk",), tmp_path, 1)
    floor = summary_of(plan, OFFER, [], []).missing["6.1"]
    numbers: list[int] = []

    def run(
        plan: Plan,
        jobs: int,
        budget: Budget,
        told: Callable[[Result], None],
        enough: Callable[[], bool],
        first: int = 0,
        only: Callable[[int], bool] = lambda _: True,
    ) -> None:
        for number in range(first, first + (budget.units or 2)):
            if not only(number):
                continue
            numbers.append(number)
            result = Result(number, "walk", "6.1", law=law)
            if number == meets:
                result.reached.update(floor)
            told(result)

    monkeypatch.setattr(session, "run_units", run)
    with Interrupt() as interrupt:
        session._run(plan, OFFER, 1, budget, interrupt)
    return numbers


def test_seconds_that_met_every_event_are_enough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The floor is met in the second unit: no turn is added."""
    assert _numbers_run(monkeypatch, tmp_path, Budget(seconds=1), meets=1) == [0, 1]


def test_a_run_that_is_short_of_events_goes_on_until_it_meets_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A turn is one unit here; the fourth unit meets the floor."""
    assert _numbers_run(monkeypatch, tmp_path, Budget(seconds=1), meets=3) == [0, 1, 2, 3]


def test_units_that_are_to_complete_their_eras_go_on_with_those(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As a run by seconds does; a turn of all eras is not due."""
    completing = Budget(units=1, completes=True)

    assert _numbers_run(monkeypatch, tmp_path, completing, meets=2) == [0, 1, 2]
    assert _numbers_run(monkeypatch, tmp_path, completing, meets=0) == [0]


def test_a_run_does_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Three turns are added at most; what is missing then is told."""
    assert _numbers_run(monkeypatch, tmp_path, Budget(seconds=1), None) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("budget", "law"), [(Budget(units=2), None), (Budget(seconds=1), "BUD-align")]
)
def test_units_and_failures_are_not_prolonged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, budget: Budget, law: str | None
) -> None:
    """Who asks for units gets as many; a broken law ends the run."""
    assert _numbers_run(monkeypatch, tmp_path, budget, None, law) == [0, 1]
