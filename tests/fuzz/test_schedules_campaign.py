"""Schedules in campaigns: each step is judged, a finding is one file, and silence has a floor."""

from pathlib import Path

import pytest
from tests.fuzz.material import plan_of

from pagefuzz.campaign import tables
from pagefuzz.campaign.canary import missed_by, planted_twin
from pagefuzz.campaign.unit import run_unit
from pagefuzz.campaign.verdict import Offer, exits_of, summary_of
from pagefuzz.exits import Exit, worst
from pagefuzz.schedule.fewest import switches_of
from pagefuzz.schedule.floor import schedule_floor
from pagefuzz.schedule.judging import Judge
from pagefuzz.schedule.meetings import Meeting
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.spots import requests_of
from pagefuzz.target.builtin import TwinFactory
from pagespec.era import ERAS
from pagespec.host_trace import parse_any
from pagespec.schedule.trace import ScheduleTrace
from pagespec.verbs import Verb

OFFER = Offer("exact", frozenset(Verb), frozenset())


@pytest.mark.parametrize("era", ["2.6.11", "4.11-rc", "6.12"])
def test_a_unit_holds_and_judges_each_step(era: str, tmp_path: Path) -> None:
    """Walks, priorities and examples all count."""
    plan = plan_of(tmp_path, eras=(era,), gears=("schedules",))
    result = run_unit(plan, 0, TwinFactory())

    assert (result.law, result.complaint) == (None, "")
    assert result.operations == result.judged > 200


def test_a_unit_is_the_same_again(tmp_path: Path) -> None:
    """Whatever ran before: the same seed and number give the same scenarios and schedules."""
    plan = plan_of(tmp_path, gears=("schedules",))
    first, other, second = (run_unit(plan, number, TwinFactory()) for number in (7, 8, 7))

    assert (first.operations, first.reached) == (second.operations, second.reached)
    assert first.reached != other.reached


def test_a_finding_is_one_file_and_small(tmp_path: Path) -> None:
    """Kept as it was found, then shrunk; both break the same law again."""
    result = run_unit(plan_of(tmp_path, gears=("schedules",), rounds=30), 0, planted_twin())

    assert result.finding is not None
    for path in (result.finding, *(tmp_path / "raw").iterdir()):
        trace = parse_any(path.read_text())
        assert isinstance(trace, ScheduleTrace)
        followed = follow(trace.scenario, trace.schedule)
        assert followed.broken is not None
        assert followed.broken.law_id == result.law
    small = parse_any(result.finding.read_text())
    assert isinstance(small, ScheduleTrace)
    assert len(requests_of(small.scenario)) <= 6
    assert switches_of(small.schedule) <= 3


def test_the_gear_catches_the_canary(tmp_path: Path) -> None:
    """With whatever seed."""
    for seed in range(4):
        assert missed_by(plan_of(tmp_path, seed=seed, gears=("schedules",)), "exact") == []


def test_a_gear_without_laws_catches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the canary tells whether they are asked."""
    monkeypatch.setattr(Judge, "broken", lambda *_: None)
    plan = plan_of(tmp_path, gears=("schedules",), rounds=3)

    assert run_unit(plan, 0, planted_twin()).law is None


@pytest.mark.parametrize("era", ["2.6.8", "4.11-rc", "6.12"])
def test_some_units_reach_the_floor(era: str, tmp_path: Path) -> None:
    """A few of those that a run has are enough for every meeting of the era."""
    plan = plan_of(tmp_path, eras=(era,), gears=("schedules",), rounds=20)
    result = run_unit(plan, 0, TwinFactory())

    assert schedule_floor(ERAS[era]) - result.reached.keys() == set()


def test_a_run_that_met_too_little_is_vacuous(tmp_path: Path) -> None:
    """Without one meeting of the floor silence means nothing."""
    plan = plan_of(tmp_path, gears=("schedules",))
    result = run_unit(plan, 0, TwinFactory())
    floor = schedule_floor(ERAS["6.1"])
    result.reached.update(floor)
    assert worst(exits_of(summary_of(plan, OFFER, [result], []))) is Exit.HELD

    for meeting in floor:
        del result.reached[meeting]
        summary = summary_of(plan, OFFER, [result], [])
        assert summary.missing == {"6.1": [meeting]}
        assert worst(exits_of(summary)) is Exit.INCONCLUSIVE
        result.reached[meeting] = 1


def test_each_guard_has_a_floor_of_its_own() -> None:
    """What it lets happen, and what it does about it."""
    floors = {
        name: {meeting for meeting, _ in schedule_floor(ERAS[name])}
        for name in ("2.6.11", "4.10", "4.11-rc", "5.15", "6.1", "6.12")
    }
    always = floors["2.6.11"]

    assert {name: floor - always for name, floor in floors.items()} == {
        "2.6.11": set(),
        "4.10": {Meeting.HALF_STORED},
        "4.11-rc": {Meeting.HALF_STORED, Meeting.BARRED, Meeting.WITHIN},
        "5.15": {Meeting.HALF_STORED},
        "6.1": {Meeting.HALF_STORED, Meeting.LOST},
        "6.12": {Meeting.HALF_STORED, Meeting.LOST, Meeting.WITHIN},
    }
    assert {name for name, floor in floors.items() if always - floor} == {"6.1", "6.12"}


def test_laws_at_every_step_are_asked_of_schedules_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those about zones at rest by other gears as well; the others not of schedules."""
    plan = plan_of(tmp_path, gears=("schedules",))
    result = run_unit(plan, 0, TwinFactory())
    tables.show(plan, OFFER, summary_of(plan, OFFER, [result], []), 1.0)
    out = capsys.readouterr().out
    rows = {line.split("│")[1].strip(): line for line in out.splitlines() if line.count("│") == 4}

    for law in ("LOCK-order", "LOCK-released", "PCP-count", "BUD-maximal", "VM-drift"):
        assert f"not refuted in {result.operations} operations" in rows[law]
    for law in ("TWIN-equal", "BUD-place", "NUMA-sum", "VM-threshold"):
        assert "not asked of this target" in rows[law]
