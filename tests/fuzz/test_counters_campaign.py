"""Counters in campaigns and commands: a finding is one file, and one command shows it again."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from tests.fuzz.material import Fault, plan_of, planted

from pagefuzz.campaign.canary import missed_by, planted_twin
from pagefuzz.campaign.unit import run_unit
from pagefuzz.campaign.verdict import Offer, exits_of, summary_of
from pagefuzz.cli._entry import run
from pagefuzz.counters.draw import random_counters
from pagefuzz.counters.floor import counter_floor
from pagefuzz.counters.replay import replay_counters
from pagefuzz.counters.stream import CounterReplay
from pagefuzz.counters.under import counter_factory_of
from pagefuzz.exits import Exit, worst
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS
from pagespec.laws.law import LawBook, LawBroken
from pagespec.verbs import Verb
from pagespec.vmstat.trace_reader import parse_counters

TEXT = """pagefuzz-trace 1
counters era=6.1 cpus=0,1 min_free=64 normal=2
zone node=0 pages=500
zone node=1 pages=1000
inc free zone=0 cpu=1 times=3
mod free zone=1 by=-31 irqs_on=1 open=1
land number=0
refresh cpu=1 -> count 1
check zone=0 level=low order=0 reclaim=1 -> yes
"""

STRICT = Fault("vmstat.cell", "if total > threshold or total", "if total >= threshold or total", "")
"""A plain change tells at its threshold already."""

NEVER_EMPTY = Fault("vmstat.reads", "return max(0, seen)", "return max(1, seen)", "")
"""What nobody has counted reads as 1; no state shows it."""

OFFER = Offer("exact", frozenset(Verb), frozenset())


@pytest.mark.parametrize("factory", [TwinFactory(), Spec], ids=["twin", "spec"])
@pytest.mark.parametrize("era", ["2.6.11", "6.12"])
def test_a_unit_holds_and_counts(era: str, factory: Factory, tmp_path: Path) -> None:
    """It judges each request of walks and examples; streams only compare."""
    plan = plan_of(tmp_path, eras=(era,), gears=("counters",))
    result = run_unit(plan, 0, factory)

    assert (result.law, result.complaint) == (None, "")
    assert result.judged > 300
    assert result.operations - result.judged == (1000 if factory is not Spec else 0)


def test_a_unit_is_the_same_again(tmp_path: Path) -> None:
    """Whatever ran before: the same seed and number give the same requests."""
    plan = plan_of(tmp_path, gears=("counters",))
    first, other, second = (run_unit(plan, number, TwinFactory()) for number in (7, 8, 7))

    assert (first.operations, first.reached) == (second.operations, second.reached)
    assert first.reached != other.reached


def test_a_finding_is_one_file_and_small(tmp_path: Path) -> None:
    """Kept as it was found, then shrunk; both break the same law again."""
    twin = planted(STRICT)
    result = run_unit(plan_of(tmp_path, gears=("counters",), rounds=30), 0, twin)

    assert result.finding is not None
    small = parse_counters(result.finding.read_text())
    assert len(small.requests) == 1
    for path in (result.finding, *(tmp_path / "raw").iterdir()):
        verdict = replay_counters(parse_counters(path.read_text()), counter_factory_of(twin))
        assert verdict.broken is not None
        assert verdict.broken.law_id == result.law


def test_the_gear_catches_the_canary(tmp_path: Path) -> None:
    """It is asked like any other before its silence counts."""
    assert missed_by(plan_of(tmp_path, gears=("counters",)), "exact") == []


def test_a_gear_without_laws_catches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the canary tells whether they are asked; streams, which ask none, aside."""
    monkeypatch.setattr(LawBook, "check", lambda *_: None)
    monkeypatch.setattr(CounterReplay, "run", lambda *_: None)
    plan = plan_of(tmp_path, gears=("counters",), rounds=3)

    assert run_unit(plan, 0, planted_twin()).law is None


@pytest.mark.parametrize("fault", [STRICT, NEVER_EMPTY], ids=["state", "answer"])
def test_streams_compare_answers_and_states(fault: Fault) -> None:
    """Without any law, which are slow, the twin and the spec part all the same."""
    kernels, rng = planted(fault).kernels, Random(1)
    machine = replace(random_counters(rng, ERAS["6.1"]), normal=2, pressure=None)
    replay = CounterReplay(machine, rng, kernels)

    with pytest.raises(LawBroken, match="TWIN-counters"):
        replay.run(5000)


@pytest.mark.parametrize("era", ["2.6.8", "6.12"])
def test_some_units_reach_the_floor(era: str, tmp_path: Path) -> None:
    """A few of those that a run has are enough for every event of the era."""
    plan = plan_of(tmp_path, eras=(era,), gears=("counters",), rounds=12)
    result = run_unit(plan, 0, TwinFactory())

    assert counter_floor(ERAS[era]) - result.reached.keys() == set()


def test_a_run_that_met_too_little_is_vacuous(tmp_path: Path) -> None:
    """Without one event of the floor silence means nothing."""
    plan = plan_of(tmp_path, gears=("counters",))
    result = run_unit(plan, 0, Spec)
    floor = counter_floor(ERAS["6.1"])
    result.reached.update(floor)
    assert worst(exits_of(summary_of(plan, OFFER, [result], []))) is Exit.HELD

    for event in floor:
        del result.reached[event]
        summary = summary_of(plan, OFFER, [result], [])
        assert summary.missing == {"6.1": [event]}
        assert worst(exits_of(summary)) is Exit.INCONCLUSIVE
        result.reached[event] = 1


def test_each_era_has_a_floor_of_its_own() -> None:
    """What a release brought must be met from then on."""
    names = ("2.6.11", "2.6.37", "2.6.39", "4.10", "6.12")
    floors = [{event.name for event, _ in counter_floor(ERAS[name])} for name in names]
    more = [after - before for before, after in pairwise(floors)]

    assert more == [
        {"OVERSTEP", "HELD", "UNPLUGGED", "MARKED", "OUTDATED", "CLOSE", "LOOKED"}
        | {"CHANGED_MIND", "BREACHED"},
        {"BACK", "BEYOND", "LOWERED", "RESTORED", "RESET"},
        set(),
        set(),
    ]


@pytest.mark.parametrize("target", ["numba", "spec"])
def test_replay_takes_counters(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One command for traces of all kinds."""
    path = tmp_path / "counters.trace"
    path.write_text(TEXT)

    assert run(["replay", "--target", target, str(path)]) == Exit.HELD
    assert "every law held in 5 requests" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["replay", "shrink"])
def test_allocators_from_outside_keep_no_counters(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence."""
    path = tmp_path / "counters.trace"
    path.write_text(TEXT)

    assert run([command, "--target", "example", str(path)]) == Exit.USAGE
    assert f"{path}: the target keeps no counters" in capsys.readouterr().err


def test_shrink_takes_counters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And says so where there is nothing to shrink."""
    path = tmp_path / "counters.trace"
    path.write_text(TEXT)

    assert run(["shrink", "--target", "spec", str(path), "--out", str(tmp_path)]) == Exit.USAGE
    assert "breaks no law" in capsys.readouterr().err
