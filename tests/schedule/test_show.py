"""`pagefuzz show` of schedules: each step says who did what, and who holds what meanwhile."""

import doctest
import re
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from tests.schedule.test_replay import BROKEN, HEAD, SOUND

from pagefuzz.cli._entry import run
from pagefuzz.drawing import LEGEND
from pagefuzz.exits import Exit
from pagefuzz.schedule import drawing
from pagefuzz.schedule.draw import random_scenario
from pagespec.era import ERAS
from pagespec.guards import RULES
from pagespec.schedule.contexts import Move
from pagespec.schedule.trace import ScheduleTrace, schedule_text_of

ABOUT = "about to take the guard of the lists of its own CPU, which"

Capture = pytest.CaptureFixture[str]


def shown(path: Path, text: str, capsys: Capture, *more: str) -> str:
    """The picture of a trace."""
    path.write_text(text)
    assert run(["show", str(path), *more]) == Exit.HELD
    return capsys.readouterr().out


def test_examples_are_true() -> None:
    """Those in the docstrings."""
    failed, tried = doctest.testmod(drawing)

    assert failed == 0
    assert tried > 0


def test_each_step_is_told(tmp_path: Path, capsys: Capture) -> None:
    """Up to the one that breaks a law: the interrupt has its own column, and is marked."""
    out = shown(tmp_path / "a.trace", BROKEN + "schedule 0*2 1\n", capsys)
    start, task, interrupt, last = out.split("\n\n")

    assert start.startswith("0: boot\n        free_area[3] -> page[0-7] -> page[8-15]\n")
    assert "\n        context 0       task on CPU 0\n            a = alloc order=0\n" in start
    assert "\n        context 1       hardirq on CPU 0\n            b = alloc order=0" in start
    assert task.splitlines() == [
        "1: context 0, task on CPU 0, begins a = alloc order=0",
        "    holds nothing; interrupts on",
        f"2: context 0, task on CPU 0, {ABOUT} it may lose",
        "    holds the guard of CPU 0's lists; interrupts on",
    ]
    assert interrupt.splitlines() == [
        "---- interrupt: context 1 ----",
        "    3: context 1, hardirq on CPU 0, begins b = alloc order=0",
        "        holds nothing; interrupts on",
        f"    4: context 1, hardirq on CPU 0, {ABOUT} it",
        "            may lose",
        "        holds the guard of CPU 0's lists; interrupts on",
    ]
    assert last == (
        "PCP-owner: context 0 on CPU 0 and context 1 (hardirq) on CPU 0 are both at CPU 0's lists\n"
    )


def steps_of(out: str) -> list[tuple[int, list[str]]]:
    """The steps of a picture, each with the context that took it and its lines behind the first."""
    steps: list[tuple[int, list[str]]] = []
    for line in out.partition("\n\n")[2].splitlines():
        begins = re.match(r" *\d+: context (\d)", line)
        if begins is not None:
            steps.append((int(begins[1]), []))
        elif steps:
            steps[-1][1].append(line)
    return steps


def test_what_has_changed_is_drawn_and_what_is_in_flight_told(
    tmp_path: Path, capsys: Capture
) -> None:
    """Of the zone nothing else; a frame is in flight between the lists and who asked for it."""
    out = shown(tmp_path / "a.trace", SOUND + "schedule 0*2 1\n", capsys)
    steps = steps_of(out)
    (split,) = (lines for _, lines in steps if any("expand:" in line for line in lines) and _ == 1)

    assert [line.strip() for line in split] == [
        "expand: split page[0] order 3",
        "expand: split page[0] order 2",
        "expand: split page[0] order 1",
        "holds nothing; interrupts on; in flight page[0]",
        "| free_area[3] -> page[8-15]",
        "| free_area[2] -> page[4-7]",
        "| free_area[1] -> page[2-3]",
        "| free_area[0] -> page[1]",
        "| free_pages 15   nr_free 1 1 1 1",
    ]
    ends = [line.strip() for _, lines in steps for line in lines if "ends: " in line]
    assert ends == [
        "ends: return page -> page[0]",
        "ends: return page -> page[1]",
        "ends: done",
    ]
    # The task has the guard twice, and others may come before it uses it; the interrupt lost it.
    assert (
        len(re.findall(r": context 0, task on CPU 0, with the guard of its lists taken", out)) == 2
    )
    assert out.count("with the guard of its lists taken") == 2
    # The first frame stays in flight up to the end of its request, and is held then.
    at = steps.index((1, split))
    assert "      | held            page[0]" in steps[at + 1][1]
    assert not any("in flight" in line for line in steps[at + 1][1])


@pytest.mark.parametrize("era", ["5.15", "6.1"])
def test_interrupts_are_off_under_a_guard_that_turns_them_off(
    era: str, tmp_path: Path, capsys: Capture
) -> None:
    """On the CPU of who holds it; on the other one they stay on."""
    text = HEAD.format(era=era, cpus=2) + (
        "task cpu=0\na = alloc order=0\ntask cpu=1\nb = alloc order=0\nschedule 0*2 1\n"
    )
    steps = steps_of(shown(tmp_path / "a.trace", text, capsys))

    assert steps[1][0] == 0
    assert steps[1][1][0] == "    holds the guard of CPU 0's lists; interrupts off"
    assert steps[2][0] == 1
    assert steps[2][1][-1] == "        holds nothing; interrupts on"


def test_one_step_alone(tmp_path: Path, capsys: Capture) -> None:
    """With the law at the end; for a step beyond the last it is said how many there are."""
    path, text = tmp_path / "a.trace", BROKEN + "schedule 0*2 1\n"
    start = shown(path, text, capsys, "--step", "0")
    second = shown(path, text, capsys, "--step", "2")

    assert start.startswith("0: boot\n")
    assert "1: context" not in start
    assert second.startswith("2: context 0, task on CPU 0, about to take the guard of the lists")
    assert [line.split(":")[0] for line in second.splitlines()[2:]] == ["", "PCP-owner"]
    assert run(["show", str(path), "--step", "5"]) == Exit.USAGE
    assert "--step 5: the schedule comes to 4 steps" in capsys.readouterr().err


COUNTED = """pagefuzz-trace 1
counters era=5.15 cpus=0 normal=4
zone node=0 pages=500
mod free zone=0 by=-3
task cpu=0
mod free zone=0 by=-3 irqs_on=1
interrupt cpu=0 level=softirq
mod free zone=0 by=2
"""


def test_counters_are_drawn_with_what_is_yet_to_count(tmp_path: Path, capsys: Capture) -> None:
    """What the update has taken out of the cell and not told is neither kept nor told."""
    out = shown(tmp_path / "a.trace", COUNTED, capsys)
    start, *_ = out.split("\n\n")
    steps = steps_of(out)

    assert start.startswith("0: boot\n    mod free zone=0 by=-3\n")
    assert "free zone 0      500     -3          .    497          4" in start
    # In one exchange the cell gives up what it held, and nobody has been told yet.
    assert [line.split("|")[-1].strip() for line in steps[0][1]] == [
        "holds nothing; interrupts on; yet to count -6 free of zone 0, -6 free in all",
        "free zone 0      500      .         -6    494          4",
        "free in all      500      .         -6    494",
    ]
    assert "      | free zone 0      494      .          .    494          4" in steps[1][1]
    assert "    ends: done" in steps[2][1] + steps[3][1]
    assert out.endswith("\n\nevery law held\n")


DRAINS = """task cpu=0
drainall
b = alloc order=0 -> pfn 9
"""


def test_lists_that_are_gone_are_told_and_answers_of_old_are_not(
    tmp_path: Path, capsys: Capture
) -> None:
    """A drain empties the list that the first request had filled."""
    text = HEAD.format(era="6.1", cpus=1) + "a = alloc order=0 -> pfn 5\n" + DRAINS
    out = shown(tmp_path / "a.trace", text, capsys)

    assert "0: boot\n    a = alloc order=0\n" in out
    assert "      |   list[0] -> nothing\n" in out
    assert ", begins b = alloc order=0\n" in out
    assert out.count("has nothing left to do") == 1
    assert "pfn 5" not in out
    assert "pfn 9" not in out


def test_who_waits_with_a_lock_taken_is_told(tmp_path: Path, capsys: Capture) -> None:
    """Where NMIs come, others see that the zone's lock is taken before it is used."""
    text = HEAD.format(era="4.10", cpus=1) + (
        "task cpu=0\na = alloc order=1\ninterrupt cpu=0 level=nmi\nb = alloc order=1\n"
        "schedule 0*2 1\n"
    )
    steps = shown(tmp_path / "a.trace", text, capsys).split("\n\n")

    assert "about to take the zone's lock\n    holds the zone's lock; interrupts off" in steps[1]
    assert steps[2].startswith(
        "---- interrupt: context 1 ----\n    3: context 1, nmi on CPU 0, beg"
    )
    assert (
        steps[-1] == "LIVE-ends: nobody can go on: context 0 on CPU 0, context 1 (nmi) on CPU 0\n"
    )


VISITS = """task cpu=0 moves=1
a = alloc order=0
task cpu=1
drainall
schedule 0 0>1 0*9 1*3
"""


def test_ways_to_other_cpus_are_told(tmp_path: Path, capsys: Capture) -> None:
    """A task that is moved, and a drain that visits each CPU by an interrupt, as in 4.10."""
    out = shown(tmp_path / "a.trace", HEAD.format(era="4.10", cpus=2) + VISITS, capsys)

    assert "\n2: context 0, task on CPU 0, goes on on CPU 1\n" in out
    assert "\n3: context 0, task on CPU 1, about to take the guard of the lists of its own" in out
    assert ": context 1, task on CPU 1, about to go on on CPU 0\n" in out
    assert ": context 1, hardirq on CPU 0, about to take the guard of CPU 0's lists, however" in out
    assert out.count(": context 1, task on CPU 1, back on the CPU that it came from\n") == 2
    assert "  holds the guard of CPU 0's lists; interrupts off\n" in out


def test_a_block_that_nobody_was_given_is_passed_over(tmp_path: Path, capsys: Capture) -> None:
    """As when requests come one after the other."""
    text = HEAD.format(era="6.1", cpus=1) + "a = alloc order=9\ntask cpu=0\nfree a\n"
    steps = steps_of(shown(tmp_path / "a.trace", text, capsys))

    assert [line.strip() for line in steps[0][1]][:2] == [
        "skipped: its block was never given out",
        "has nothing left to do",
    ]


def test_letters_of_frames_are_explained(tmp_path: Path, capsys: Capture) -> None:
    """Where the zone is drawn frame by frame."""
    text = "pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1 pageblock=2\ntask cpu=0\n"

    assert shown(tmp_path / "a.trace", text, capsys).startswith(f"{LEGEND}\n\n0: boot\n")


@pytest.mark.parametrize("era", ERAS)
def test_a_hundred_columns_are_enough(era: str, tmp_path: Path, capsys: Capture) -> None:
    """Whatever is drawn as a scenario and as its schedule; each step is there, and each switch."""
    for seed in range(4):
        rng = Random(f"{era} {seed}")
        scenario = random_scenario(rng, ERAS[era])
        schedule = tuple(Move(rng.randrange(len(scenario.roles))) for _ in range(40))
        text = schedule_text_of(ScheduleTrace(scenario, schedule))
        out = shown(tmp_path / "a.trace", text, capsys)
        movers = [number for number, _ in steps_of(out)]
        switches = sum(one != other for one, other in pairwise(movers))

        assert [line for line in out.splitlines() if len(line) > 100] == []
        assert len(re.findall(r"^---- (?:switch to|interrupt:) context \d ----$", out, re.M)) == (
            switches
        )
        assert "{" not in out
        assert out.endswith("every law held\n")


@pytest.mark.parametrize("guard", RULES)
def test_who_has_a_guard_is_told_under_each(guard: str, tmp_path: Path, capsys: Capture) -> None:
    """Interrupts are off just under those guards that turn them off."""
    text = HEAD.format(era="6.12", cpus=1) + f"vary guard={guard}\ntask cpu=0\na = alloc order=0\n"
    steps = steps_of(shown(tmp_path / "a.trace", text, capsys))
    off = {"irqs-off", "local-lock", "trylock-irqs-off"}

    assert (
        steps[1][1][-1]
        == f"    holds the guard of CPU 0's lists; interrupts {'off' if guard in off else 'on'}"
    )
