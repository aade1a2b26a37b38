"""Units over processes: the budget, lost processes, Ctrl-C."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.fuzz.material import plan_of

from pagefuzz.campaign import pool
from pagefuzz.campaign.plan import Plan, Result
from pagefuzz.campaign.pool import Budget, numbers_within, run_units
from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit

TARGETS = f"{Path(__file__).with_name('targets.py')}"


def results_of(plan: Plan, jobs: int, budget: Budget) -> list[Result]:
    results: list[Result] = []
    run_units(plan, jobs, budget, results.append)
    return results


def small_plan(out: Path, target: str = "spec") -> Plan:
    return plan_of(out, target=target, gears=("walk",), eras=("6.1", "2.6.11"))


@pytest.mark.parametrize(
    ("seconds", "unit_s", "units"),
    [(0, 1, 6), (5, 1, 6), (10, 1, 12), (14, 1, 12), (16, 1, 18), (30, 1, 30), (30, 20, 6)],
)
def test_seconds_buy_whole_turns(
    seconds: float, unit_s: float, units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of units is the whole number of turns that ends nearest, and at least one."""
    now = 0.0
    monkeypatch.setattr(pool, "monotonic", lambda: now)
    begun = 0
    for number in numbers_within(Budget(seconds, None), turn=6):
        assert number == begun
        begun += 1
        now += unit_s

    assert begun == units


@pytest.mark.parametrize(("operations", "units"), [(1, 6), (600, 6), (601, 12), (1300, 18)])
def test_operations_buy_whole_turns(operations: int, units: int) -> None:
    """Turns are begun until so many operations are done, at least one."""
    begun: list[int] = []
    for number in numbers_within(Budget(operations=operations), 6, lambda: 100 * len(begun)):
        begun.append(number)

    assert begun == list(range(units))


def test_a_run_of_many_operations_does_them(tmp_path: Path) -> None:
    """What all units have done is at least what was asked for."""
    plan = small_plan(tmp_path)
    results = results_of(plan, 2, Budget(operations=3000))

    assert sum(result.operations for result in results) >= 3000
    assert len(results) % plan.turn == 0


def test_units_are_done_to_the_number(tmp_path: Path) -> None:
    """A budget of units is met exactly, each number once, over however many processes."""
    one, two = (results_of(small_plan(tmp_path), jobs, Budget(None, 3)) for jobs in (1, 2))

    assert sorted(result.number for result in two) == [0, 1, 2]
    by_number = {result.number: result.operations for result in two}
    assert {result.number: result.operations for result in one} == by_number


def test_after_a_failure_no_units_are_begun(tmp_path: Path) -> None:
    """Those under way come to their end; a thousand others are not begun."""
    results = results_of(small_plan(tmp_path, f"{TARGETS}:Leaks"), 2, Budget(None, 1000))

    assert any(result.law for result in results)
    assert len(results) <= 4


@pytest.mark.parametrize("name", ["Exits", "Dies"])
def test_a_lost_process_is_a_finding(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An allocator that takes its process with it has broken a law; the run exits 1 and says so."""
    options = ["--units", "3", "--seed", "1", "--era", "6.1", "--out", str(tmp_path), "--jobs", "2"]
    code = run(["run", "--target", f"{TARGETS}:{name}", *options])
    shown = capsys.readouterr().out

    assert code == Exit.BROKEN
    assert "error: OUT-fault: seed 00000001 unit 0: its process died twice" in shown
    assert shown.splitlines()[0] == shown.splitlines()[-1] == "seed 00000001"


def test_a_process_that_is_lost_once_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its units are done again and the campaign goes on: no finding, and no unit missing."""
    monkeypatch.setenv("DIES_ONCE", str(tmp_path / "flag"))
    plan = small_plan(tmp_path, f"{TARGETS}:DiesOnce")
    results = results_of(plan, 2, Budget(None, 8))

    assert [result.law for result in results] == [None] * 8
    assert {result.number for result in results} == set(range(8))


def interrupted(
    tmp_path: Path, number: signal.Signals, times: int, wait_s: float
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a long run that was interrupted so long after its start.

    The whole group gets the signal, as from a terminal or from `timeout`.
    """
    options = ["--target", "spec", "--units", "9999", "--seed", "5", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "pagefuzz", "run", *options, "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    for _ in range(times):
        time.sleep(wait_s)
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    return process.returncode, first + out, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(("times", "wait_s"), [(1, 0.9), (1, 3), (2, 0.2), (2, 1.5)])
def test_ctrl_c_and_sigterm_end_with_a_summary(
    number: signal.Signals, times: int, wait_s: float, tmp_path: Path
) -> None:
    """Whenever it comes, also while processes start, also twice: exit 130, the tables, the seed."""
    code, out, err = interrupted(tmp_path, number, times, wait_s)

    assert code == Exit.INTERRUPTED
    assert "Traceback" not in err
    assert err.count("interrupted") == 1
    assert "floor reached" in out
    lines = out.splitlines()
    assert lines[0] == lines[-1] == "seed 00000005"
    # Where no unit was done there is nothing to repeat.
    again = r"interrupted: (0 units|(\d+) units; the same again: .* --units \2 .*)"
    assert re.fullmatch(again, lines[-2])
