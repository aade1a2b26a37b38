"""Slabs in campaigns and commands: a finding is one file, and one command shows it again."""

from pathlib import Path

import pytest
from tests.fuzz.material import plan_of

from pagefuzz.campaign.canary import missed_by, planted_twin
from pagefuzz.campaign.unit import run_unit
from pagefuzz.campaign.verdict import Offer, exits_of, summary_of
from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit, worst
from pagefuzz.slabs.floor import slab_floor
from pagefuzz.slabs.stream import SlabReplay
from pagefuzz.target.builtin import Spec, TwinFactory
from pagespec.era import ERAS
from pagespec.laws.law import LawBook
from pagespec.verbs import Verb

TEXT = """pagefuzz-trace 1
slabs era=6.1 pages=16 top=3 start=1 cpus=2
create cache=1 size=2048 order=0
a,b = allocbulk cache=1 objects=2 -> objects 2
free a cpu=1
free b+8 -> refused NOT_OBJECT
"""

OFFER = Offer("exact", frozenset(Verb), frozenset())


def test_a_unit_holds_and_reaches_the_floor(tmp_path: Path) -> None:
    """Each request of walks and examples is judged; as many as a turn of `smoke` has do."""
    plan = plan_of(tmp_path, eras=("5.15",), gears=("slabs",), rounds=4)
    result = run_unit(plan, 0, TwinFactory())

    assert (result.law, result.complaint) == (None, "")
    assert result.judged > 1000
    assert slab_floor(ERAS["5.15"]) - result.reached.keys() == set()


def test_eras_before_slabs_have_nothing_to_do(tmp_path: Path) -> None:
    """And no event to reach."""
    plan = plan_of(tmp_path, eras=("4.10",), gears=("slabs",))
    result = run_unit(plan, 0, TwinFactory())

    assert (result.operations, result.law) == (0, None)
    assert worst(exits_of(summary_of(plan, OFFER, [result], []))) is Exit.HELD


def test_a_unit_is_the_same_again(tmp_path: Path) -> None:
    """Whatever ran before: the same seed and number give the same requests."""
    plan = plan_of(tmp_path, gears=("slabs",))
    first, other, second = (run_unit(plan, number, Spec) for number in (7, 8, 7))

    assert (first.operations, first.reached) == (second.operations, second.reached)
    assert first.reached != other.reached


def test_the_gear_catches_the_canary(tmp_path: Path) -> None:
    """It is asked like any other before its silence counts."""
    assert missed_by(plan_of(tmp_path, gears=("slabs",)), "exact") == []


def test_a_gear_without_laws_catches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the canary tells whether they are asked; streams, which ask none, aside."""
    monkeypatch.setattr(LawBook, "check", lambda *_: None)
    monkeypatch.setattr(SlabReplay, "run", lambda *_: None)
    plan = plan_of(tmp_path, gears=("slabs",))

    assert run_unit(plan, 0, planted_twin()).law is None


def test_a_run_that_met_too_little_is_vacuous(tmp_path: Path) -> None:
    """Without one event of the floor silence means nothing."""
    plan = plan_of(tmp_path, gears=("slabs",))
    result = run_unit(plan, 0, Spec)
    floor = slab_floor(ERAS["6.1"])
    result.reached.update(floor)
    assert worst(exits_of(summary_of(plan, OFFER, [result], []))) is Exit.HELD

    for event in floor:
        del result.reached[event]
        summary = summary_of(plan, OFFER, [result], [])
        assert summary.missing == {"6.1": [event]}
        assert worst(exits_of(summary)) is Exit.INCONCLUSIVE
        result.reached[event] = 1


def test_commands_take_such_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Replayed on twin and spec, drawn step by step; without a fault there is nothing to shrink."""
    path = tmp_path / "a.trace"
    path.write_text(TEXT)

    for target in ("numba", "spec"):
        assert run(["replay", "--target", target, str(path)]) == Exit.HELD
        assert "every law held in 4 requests" in capsys.readouterr().out
    assert run(["shrink", str(path), "--out", str(tmp_path)]) == Exit.USAGE
    assert "the trace breaks no law" in capsys.readouterr().err
    assert run(["show", str(path)]) == Exit.HELD
    boot, create, bulk, free, refused = capsys.readouterr().out.strip().split("\n\n")
    assert boot.splitlines()[0] == "0: boot"
    assert "cache 1         2048 bytes, 2 a slab of order 0" in create
    assert "held            1#0, 1#1" in bulk
    assert "  cpu 0         page[1] in use 1/2 chain 0; the CPU's -, tid " in free
    assert refused.splitlines()[0] == "4: free b+8    refused NOT_OBJECT"
    assert refused.splitlines()[1:] == free.splitlines()[1:]
