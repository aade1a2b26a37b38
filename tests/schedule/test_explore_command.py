"""`pagefuzz explore`: tables, findings on disk, exit codes, checkpoints, and being interrupted."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.explore import attended, pool, report, trials
from pagefuzz.explore.tasks import Counts, Reach, Result, Task
from pagefuzz.explore.tasks import run as run_task
from pagefuzz.pages import DOCS
from pagefuzz.report import console
from pagefuzz.schedule.every import EVERY_EXPERIMENT
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.scenarios import SCENARIOS
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.host_trace import parse_any
from pagespec.laws.state import STATE_LAWS
from pagespec.machine import Machine
from pagespec.schedule.contexts import Level, Role, Scenario
from pagespec.schedule.laws import AT_EVERY_STEP
from pagespec.schedule.trace import ScheduleTrace, schedule_text_of
from pagespec.trace import Request
from pagespec.verbs import Verb

Output = pytest.CaptureFixture[str]

SMALL: Final = "interrupt-6.12"
PAGE: Final = DOCS / "interleavings.md"
BROKEN: Final = EVERY_EXPERIMENT["without-the-test"].scenario
"""Two take the same frame."""


def written(folder: Path, scenario: Scenario = BROKEN, name: str = "mine.trace") -> Path:
    path = folder / name
    path.write_text(schedule_text_of(ScheduleTrace(scenario)))
    return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of its own to be in, where findings go."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_was_explored_is_a_row(folder: Path, capsys: Output) -> None:
    assert run(["explore", SMALL, "--jobs", "1"]) == 0
    told = capsys.readouterr().out
    row = next(line for line in told.splitlines() if f" {SMALL} " in line)
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    result = run_task(Task(SMALL, SCENARIOS[SMALL]))
    assert cells[:3] == [SMALL, "6.12", "trylock"]
    assert [int(cell.replace(",", "")) for cell in cells[3:7]] == list(result.counts)
    assert cells[8] == "exhausted"
    assert "proved" not in told


def test_every_law_has_a_verdict(folder: Path, capsys: Output) -> None:
    """Those about cells too, which this zone has not: of them it says nothing."""
    run(["explore", SMALL, "--jobs", "1"])
    told = capsys.readouterr().out
    for law in AT_EVERY_STEP.laws:
        of_cells = law.id in {"VM-conserve", "VM-width", "VM-cell", "VM-drift"}
        verdict = "0 .*vacuous: never asked" if of_cells else "[1-9].*exhausted"
        assert re.search(rf"│ {law.id} +│ +{verdict}", told), law.id


def test_a_bound_is_named_in_the_verdict(folder: Path, capsys: Output) -> None:
    """One preemption leaves ways out, so what is exhausted is that bound and no more."""
    assert run(["explore", SMALL, "--jobs", "1", "--bound", "0"]) == 0
    assert "exhausted to bound 0" in capsys.readouterr().out


def test_a_broken_law_is_a_trace_that_breaks_it_again(folder: Path, capsys: Output) -> None:
    """The finding names the file and the command, which fails by the same law."""
    assert run(["explore", str(written(folder)), "--jobs", "1"]) == 1
    told = capsys.readouterr().out
    found = re.search(r"^(out/failures/\S+):1: error: PCP-owner: (.+)$", told, re.M)
    assert found is not None
    assert f"repeat with: pagefuzz replay {found[1]}" in told
    trace = parse_any(Path(found[1]).read_text())
    assert isinstance(trace, ScheduleTrace)
    again = follow(trace.scenario, trace.schedule).broken
    assert again is not None
    assert (again.law_id, again.complaint) == ("PCP-owner", found[2])
    assert run(["replay", found[1]]) == 1


def test_a_sound_trace_is_explored_like_a_scenario(folder: Path, capsys: Output) -> None:
    scenario = SCENARIOS[SMALL]
    assert run(["explore", str(written(folder, scenario)), "--jobs", "1"]) == 0
    assert "mine.trace" in capsys.readouterr().out


def test_the_scenario_of_the_page_is_sound(folder: Path, capsys: Output) -> None:
    """The last trace in the page is one that people copy."""
    *_, text = re.findall(r"^```\n(pagefuzz-trace 1\n.*?)^```", PAGE.read_text(), re.M | re.S)
    path = folder / "own.trace"
    path.write_text(text)
    assert run(["explore", str(path), "--jobs", "1"]) == 0


def test_nobody_to_come_between_is_vacuous(folder: Path, capsys: Output) -> None:
    """One task alone: every law holds, of no interleaving."""
    machine = Machine(16, 3, ERAS["6.12"], cpus=1, batch=2, high=4)
    alone = Scenario(machine, (Role(Level.TASK, 0, (Request(Verb.ALLOC, order=0, name="a"),)),))
    assert run(["explore", str(written(folder, alone)), "--jobs", "1"]) == 3
    assert "vacuous: nobody could come between" in capsys.readouterr().out


def result_of(name: str = SMALL) -> Result:
    return run_task(Task(name, SCENARIOS[name]))


def test_a_law_that_was_never_asked_is_vacuous() -> None:
    result = result_of()
    asked = result._replace(asked=result.asked - {"PCP-owner"})
    verdicts = {law.law: law for law in report.law_verdicts([asked])}
    assert verdicts["PCP-owner"].code is Exit.INCONCLUSIVE
    assert verdicts["PCP-owner"].words == "vacuous: never asked"
    assert verdicts["LIVE-ends"].code is Exit.HELD


def test_laws_of_the_eras_that_were_explored_are_due() -> None:
    """Those of other eras are not missed."""
    due = {law.law for law in report.law_verdicts([result_of()])}
    era = ERAS["6.12"]
    spoken = {law.id for law in AT_EVERY_STEP.laws if law.eras(era)}
    spoken |= {law.id for law in STATE_LAWS.laws if law.eras(era)}
    assert due == spoken
    assert "BUD-bitmap" not in due


def test_an_era_whose_scenarios_never_drain_is_vacuous() -> None:
    """All kinds but one have happened."""
    result = result_of()
    all_but_one = result._replace(events=report.DUE | {Kind.BARRED})
    assert list(report.not_reached([all_but_one])) == []
    less = all_but_one._replace(events=all_but_one.events - {Kind.PCPU_DRAIN})
    assert [sentence.split(":")[0] for sentence in report.not_reached([less])] == [
        "vacuous in era 6.12"
    ]


def test_a_changed_count_is_a_failed_check() -> None:
    result = result_of()
    states, *rest = result.counts
    was = {SMALL: Counts(states + 1, *rest)}
    verdict = report.verdict_of(result, was)
    assert verdict.code is Exit.BROKEN
    assert verdict.words == f"changed: states {states}, expected {states + 1}"
    assert report.verdict_of(result, {SMALL: result.counts}).code is Exit.HELD
    bounded = result._replace(task=replace_reach(result.task, bound=1))
    assert report.verdict_of(bounded, was).code is Exit.HELD


def replace_reach(task: Task, *, bound: int) -> Task:
    return task._replace(reach=Reach(bound))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nosuch"], "no trace or scenario matches 'nosuch'; expected a part of a name"),
        (["--twin", "nosuch"], "no case of the twin matches 'nosuch'"),
        (["--experiments", "nosuch"], "no experiment matches 'nosuch'"),
        (["--update", "--bound", "1"], "--update: counts are of every schedule"),
        (["--resume"], "--resume: say by --checkpoint where"),
        (["--twin", "--depth", "3"], "--depth says nothing about --twin"),
        (["--pct", "3"], "--pct says nothing about every schedule"),
        (["--experiments", "--no-hash"], "--no-hash says nothing about --experiments"),
    ],
)
def test_bad_requests_are_one_sentence(
    folder: Path, capsys: Output, arguments: list[str], sentence: str
) -> None:
    assert run(["explore", *arguments]) == 2
    told = capsys.readouterr()
    assert told.err.startswith(f"error: {sentence}")
    assert len(told.err.splitlines()) == 1


def test_a_trace_of_another_kind_is_refused(folder: Path, capsys: Output) -> None:
    path = folder / "zone.trace"
    path.write_text("pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1\na = alloc order=0\n")
    assert run(["explore", str(path)]) == 2
    assert "expected a trace of a schedule" in capsys.readouterr().err


def test_a_checkpoint_is_gone_on_from(folder: Path, capsys: Output) -> None:
    """What was kept at the end is all there is, so nothing is left to do."""
    assert run(["explore", SMALL, "--jobs", "1", "--checkpoint", "states"]) == 0
    first = capsys.readouterr().out
    assert (folder / "states" / f"{SMALL}.states").exists()
    assert run(["explore", SMALL, "--jobs", "1", "--checkpoint", "states", "--resume"]) == 0
    again = capsys.readouterr().out

    def counts_in(told: str) -> list[str]:
        row = next(line for line in told.splitlines() if f" {SMALL} " in line)
        return row.split("│")[1:8]

    assert counts_in(first) == counts_in(again)


def test_runs_by_chance_repeat_by_their_seed(folder: Path, capsys: Output) -> None:
    arguments = ["explore", SMALL, "--random", "5", "--seed", "5eed", "--jobs", "1"]
    assert run(arguments) == 0
    first = capsys.readouterr().out
    assert run(arguments) == 0
    assert capsys.readouterr().out == first
    assert first.startswith("seed 00005eed\n")
    assert first.endswith("seed 00005eed\n")
    assert "not refuted in 5 runs" in first


@pytest.mark.parametrize("how", [[], ["--pct", "2"]])
def test_runs_by_chance_find_and_keep(folder: Path, capsys: Output, how: list[str]) -> None:
    path = written(folder)
    arguments = ["explore", str(path), "--random", "200", "--seed", "1", "--jobs", "1", *how]
    assert run(arguments) == 1
    found = re.search(r"^(\S+):1: error: (\S+):", capsys.readouterr().out, re.M)
    assert found is not None
    assert run(["replay", found[1]]) == 1


def test_odds_are_stated_with_priorities(folder: Path, capsys: Output) -> None:
    assert run(["explore", SMALL, "--random", "3", "--pct", "2", "--seed", "1"]) == 0
    assert re.search(r"n=2 threads, k=\d+ steps, depth d=2", capsys.readouterr().out)


def test_experiments_break_as_expected(folder: Path, capsys: Output) -> None:
    """Each by a schedule that can be replayed, which is kept where told."""
    assert run(["explore", "--experiments", "--write", "kept"]) == 0
    told = capsys.readouterr().out
    assert told.count("as expected") == len(EVERY_EXPERIMENT)
    kept = sorted((folder / "kept").glob("*.trace"))
    assert len(kept) == len(EVERY_EXPERIMENT)
    assert run(["replay", "kept"]) == 1


def test_an_experiment_that_breaks_nothing_fails(
    folder: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here each is run in this process, since a patch does not go to another."""
    name = "without-the-test"
    assert isinstance(BROKEN.machine, Machine)
    sound = replace(BROKEN, machine=replace(BROKEN.machine, era=ERAS["4.11-rc"]))
    monkeypatch.setitem(EVERY_EXPERIMENT, name, EVERY_EXPERIMENT[name]._replace(scenario=sound))
    assert trials.try_out(name).verdict == "expected PCP-owner"
    monkeypatch.setattr(attended, "run_all", lambda work, names, jobs, looked: map(work, names))
    assert run(["explore", "--experiments", name]) == 1
    assert "expected PCP-owner" in capsys.readouterr().out


def test_the_twin_is_explored_to_its_bound(folder: Path, capsys: Output) -> None:
    assert run(["explore", "--twin", "put-put", "--bound", "1", "--seed", "1"]) == 0
    told = capsys.readouterr().out
    assert "exhausted to bound 1" in told
    assert told.startswith("seed 00000001\n")


@pytest.mark.parametrize("signalled", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_with_a_summary_and_its_states(
    folder: Path, signalled: signal.Signals
) -> None:
    """A scenario that would take minutes: what was visited by then is told, and kept."""
    requests = tuple(Request(Verb.ALLOC, order=0, name=name) for name in "abc")
    more = tuple(Request(Verb.ALLOC, order=1, name=name) for name in "def")
    machine = Machine(64, 4, ERAS["6.12"], cpus=3, batch=2, high=8)
    roles = tuple(Role(Level.TASK, cpu, (requests[cpu], more[cpu]), moves=True) for cpu in range(3))
    written(folder, Scenario(machine, roles), "large.trace")
    process = subprocess.Popen(
        [sys.executable, "-m", "pagefuzz", "explore", "large.trace", "--checkpoint", "states"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    begun = time.monotonic()
    while not (folder / "states").exists() and time.monotonic() < begun + 60:
        time.sleep(0.1)
    time.sleep(4)  # the worker starts
    process.send_signal(signalled)
    told, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert re.search(r"not refuted in \d+ states", told)
    assert "interrupted: 1 scenario was not exhausted" in told
    assert "Traceback" not in errors
    assert (folder / "states" / "large.trace.states").exists()


@pytest.mark.parametrize(
    ("arguments", "table", "summary"),
    [
        (
            ["bulk-6.1*", "--random", "1000000"],
            "runs by chance",
            r"interrupted: \d scenarios had not all runs",
        ),
        (
            ["--twin", "--bound", "50", "--no-hash"],
            "the twin's own text",
            r"interrupted: \d+ cases were not exhausted",
        ),
    ],
)
def test_other_ways_are_told_of_when_interrupted_too(
    folder: Path, arguments: list[str], table: str, summary: str
) -> None:
    """The table so far, what is missing, and the seed once more."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pagefuzz", "explore", *arguments, "--seed", "7"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "seed 00000007\n"
    time.sleep(5)  # workers start
    process.send_signal(signal.SIGTERM)
    told, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert told.startswith(table)
    assert re.search(r"not refuted in \d+ (runs|schedules)", told)
    assert re.search(summary, told)
    assert told.endswith("seed 00000007\n")
    assert "Traceback" not in errors


def test_progress_is_told_by_time(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while the first scenario is far from its end."""
    monkeypatch.setattr(console, "_LINE_EVERY_S", 0.5)
    with Interrupt() as interrupt:
        attended.attend(time.sleep, [3.0], 1, interrupt, "explore naps", lambda result: "nap")
    lines = capsys.readouterr().err.splitlines()
    assert len([line for line in lines if re.fullmatch(r"explore naps \d+m\d+s  0 of 1", line)]) > 2


def test_a_pool_whose_worker_failed_is_gone_when_that_is_said() -> None:
    """Else it is now and then still closing when Python ends, which complains."""
    before = set(threading.enumerate())
    with pytest.raises(ValueError, match="nonsense"):
        list(pool.run_all(int, ["nonsense"], 1))
    assert set(threading.enumerate()) <= before
