"""The canary: every gear catches it, and a harness that has gone blind does not."""

from pathlib import Path

import pytest
from tests.fuzz.material import GEARS, plan_of

from pagefuzz.campaign import canary, stream
from pagefuzz.campaign.canary import missed_by
from pagefuzz.campaign.plan import Gear
from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.lockstep import Lockstep
from pagespec.laws.law import LawBook, Level


def blind_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    """No law has anything to complain about."""
    monkeypatch.setattr(LawBook, "check", lambda *_: None)
    monkeypatch.setattr(LawBook, "broken", lambda *_: iter(()))


def blind_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streams no longer compare lists, nor what a request gave."""
    monkeypatch.setattr(stream.Replay, "_compare_lists", lambda _: None)
    monkeypatch.setattr(stream.Replay, "_batch", lambda _: None)


@pytest.mark.parametrize("level", ["outside", "refines", "exact"])
@pytest.mark.parametrize("gear", GEARS)
def test_every_gear_catches_it(gear: Gear, level: Level, tmp_path: Path) -> None:
    """At whatever level the run judges, the fault is found, kept and shrunk."""
    for seed in range(3):
        assert missed_by(plan_of(tmp_path, seed=seed, gears=(gear,)), level) == []


def test_a_harness_without_laws_misses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law books that hold nothing are noticed by the gear that judges by them alone."""
    blind_laws(monkeypatch)

    assert missed_by(plan_of(tmp_path, gears=("walk",)), "exact") == ["walk"]


def test_a_stream_that_does_not_compare_misses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gear whose comparison has gone blind is named, and only that one."""
    blind_comparison(monkeypatch)
    monkeypatch.setattr(stream.Replay, "run", lambda _, count: None)

    assert missed_by(plan_of(tmp_path), "exact") == ["stream"]


def test_findings_that_are_not_kept_count_as_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gear that finds and then loses it has not caught it."""
    monkeypatch.setattr("pagefuzz.campaign.unit.keep", lambda trace, folder: tmp_path / "nothing")

    assert missed_by(plan_of(tmp_path), "exact") == list(GEARS)


@pytest.mark.parametrize("name", ["Least", "Leaks"])
def test_a_missed_canary_exits_4(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No verdict of a blind harness counts: 4 goes before the 1 of a finding and the 3 of a gap."""
    monkeypatch.setattr(Lockstep, "step", lambda *_: 0)
    options = ["--units", "1", "--seed", "1", "--era", "6.1", "--out", str(tmp_path)]
    code = run(["run", "--target", f"{Path(__file__).with_name('targets.py')}:{name}", *options])

    assert code == Exit.UNTRUSTWORTHY
    assert "the canary was missed by walk, hypothesis" in capsys.readouterr().out


def test_the_fault_stands_in_the_kernel() -> None:
    """The text that the canary changes is there, once: a canary that is no fault proves nothing."""
    from pageimpl import buddy

    text = Path(buddy.__file__).read_text()
    assert text.count(canary.FAULT[0]) == 1
