"""Units of work: pure functions of seed and number, whose findings survive anything."""

import os
import signal
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from tests.fuzz.material import GEARS, NO_MERGE, plan_of, planted

from pagefuzz import selfcheck
from pagefuzz.campaign import unit as module
from pagefuzz.campaign.plan import Gear, Plan
from pagefuzz.campaign.unit import empty_result, run_unit
from pagefuzz.replay import replay
from pagefuzz.shrink import Progress
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.laws.law import Level
from pagespec.machine import Machine
from pagespec.trace import Trace
from pagespec.trace_reader import parse


def bytes_of(plan: Plan, number: int, factory: Factory) -> str:
    """All that a unit leaves behind, but for how long it took."""
    result = run_unit(plan, number, factory)
    result.seconds = 0.0
    found = result.finding.read_text() if result.finding else ""
    reached = sorted(map(repr, result.reached.items()))
    result.reached.clear()
    return sha256(f"{result}{reached}{found}".encode()).hexdigest()


@pytest.mark.parametrize("gear", GEARS)
def test_the_same_seed_and_number_give_the_same_bytes(gear: Gear, tmp_path: Path) -> None:
    """A unit done again does the same, finding included, whatever was done in between."""
    for factory in (TwinFactory(), planted(NO_MERGE)):
        plan = plan_of(tmp_path, gears=(gear,))
        first = bytes_of(plan, 0, factory)
        other = bytes_of(plan, 1, factory)
        assert bytes_of(plan, 0, factory) == first != other


def test_processes_that_differ_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Doctor's check compares with what another process really did."""
    monkeypatch.setattr(selfcheck, "SEED", selfcheck.SEED + 1)

    assert not selfcheck.same_seed_same_bytes()


def test_gears_and_eras_take_turns(tmp_path: Path) -> None:
    """One turn takes each gear through each era once, and the next does so again."""
    plan = plan_of(tmp_path, eras=("2.6.8", "6.1"))
    turns = [
        [
            (result.gear, result.era)
            for number in range(turn * plan.turn, (turn + 1) * plan.turn)
            for result in [empty_result(plan, number)]
        ]
        for turn in (0, 1)
    ]

    assert plan.turn == 6
    assert sorted(turns[0]) == sorted((gear, era) for gear in GEARS for era in plan.eras)
    assert turns[0] == turns[1]


@pytest.mark.parametrize("gear", GEARS)
def test_a_finding_is_kept_before_it_is_shrunk(
    gear: Gear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When shrinking begins, the trace as it was found is a file that replays."""
    twin = planted(NO_MERGE)
    kept: list[Trace] = []

    def look_first(
        trace: Trace, factory: Factory, level: Level, found: Progress = kept.append
    ) -> Trace:
        kept.extend(parse(path.read_text()) for path in (tmp_path / "raw").iterdir())
        return trace

    monkeypatch.setattr(module, "shrink", look_first)
    run_unit(plan_of(tmp_path, gears=(gear,), rounds=30), 0, twin)

    assert kept
    assert {verdict.broken is not None for verdict in (replay(t, twin) for t in kept)} == {True}


def test_a_failure_that_does_not_repeat_is_kept_as_it_was(tmp_path: Path) -> None:
    """An allocator that fails once and never again has still failed."""
    fails = iter([True])

    def once(machine: Machine) -> Spec:
        if next(fails, False):
            raise OSError("once")
        return Spec(machine)

    result = run_unit(plan_of(tmp_path, gears=("walk",)), 0, once)

    assert result.law == "OUT-fault"
    assert "does not break it again" in result.complaint
    assert result.finding is not None
    assert result.finding.parent == tmp_path / "raw"


KILLED_WHILE_SHRINKING = """
import sys, time
from pathlib import Path
from tests.fuzz.material import NO_MERGE, plan_of, planted
from pagefuzz.campaign import unit
unit.shrink = lambda *_: (print("shrinking", flush=True), time.sleep(60))
unit.run_unit(plan_of(Path(sys.argv[1]), gears=("walk",), rounds=30), 0, planted(NO_MERGE))
"""


def test_killing_the_process_loses_nothing(tmp_path: Path) -> None:
    """SIGKILL while shrinking leaves the finding on disk, whole and replayable."""
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED_WHILE_SHRINKING, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "shrinking\n"
        process.send_signal(signal.SIGKILL)
    [path] = (tmp_path / "raw").iterdir()
    verdict = replay(parse(path.read_text()), planted(NO_MERGE))

    assert verdict.broken is not None
    assert path.name.startswith(verdict.broken.law_id)
