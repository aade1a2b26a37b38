"""A schedule is followed through the operations as they are: what it says, then whoever can."""

from pathlib import Path
from random import Random

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.record import complaint_of
from pagefuzz.schedule import kindjudge
from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.experiments import EXPERIMENTS
from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.replay import follow
from pagespec.host_trace import parse_any
from pagespec.schedule.contexts import Move, Scenario, World
from pagespec.schedule.moment import Moment
from pagespec.schedule.moments import moment_of
from pagespec.schedule.running import BY_GENERATORS
from pagespec.schedule.trace import ScheduleTrace

HEAD = "pagefuzz-trace 1\nmachine pages=16 top=3 era={era} cpus={cpus} batch=2 high=4\n"
TAKES = """task cpu=0
a = alloc order=0
free a
interrupt cpu=0 level=hardirq
b = alloc order=0
"""
BROKEN = HEAD.format(era="6.12", cpus=1) + "vary guard=bare-trylock build=up\n" + TAKES
SOUND = HEAD.format(era="6.12", cpus=1) + TAKES


def trace_of(text: str) -> ScheduleTrace:
    """The trace of a text that is one of a schedule."""
    trace = parse_any(text)
    assert isinstance(trace, ScheduleTrace)
    return trace


def scenario_of(text: str) -> Scenario:
    """Who works on what, by that text."""
    return trace_of(text).scenario


def test_without_a_schedule_one_ends_after_the_other() -> None:
    """Who went on last goes on, and whoever is next begins when that is over."""
    taken = [move.context for move in follow(scenario_of(SOUND), ()).taken]

    assert taken == sorted(taken)
    assert set(taken) == {0, 1}


def test_behind_its_end_whoever_went_on_last_goes_on() -> None:
    """So the interrupt, which came after three steps, comes to its end before the task goes on."""
    followed = follow(scenario_of(SOUND), [*[Move(0)] * 3, Move(1)])
    taken = [move.context for move in followed.taken]

    assert taken[:3] == [0, 0, 0]
    others = taken.index(0, 3)
    assert taken == [0] * 3 + [1] * (others - 3) + [0] * (len(taken) - others)
    assert followed.broken is None
    assert followed.moments == len(taken)


def test_what_cannot_happen_is_passed_over() -> None:
    """A task whose CPU an interrupt has, a CPU without another, and who is done already."""
    scenario = scenario_of(SOUND)
    plain = follow(scenario, [Move(0), Move(0), Move(1)])

    assert follow(scenario, [Move(0), Move(0), Move(1), Move(0), Move(0, 1)]) == plain
    assert follow(scenario, [*plain.taken, Move(1), Move(0)]) == plain


def test_a_part_of_a_schedule_is_one() -> None:
    """All that was taken says the same as its switches."""
    scenario = scenario_of(BROKEN)
    few = follow(scenario, [Move(0), Move(0), Move(1)])
    assert few.broken is not None

    assert repr(follow(scenario, few.taken)) == repr(few)


@pytest.mark.parametrize("text", [BROKEN, SOUND, SOUND.replace("6.12", "4.11-rc")])
def test_both_ways_to_run_operations_take_the_same_steps(text: str) -> None:
    """Whatever schedule is drawn; and where a law breaks, it is the same law at the same step."""
    scenario = scenario_of(text)
    rng = Random(text)
    laws = set()
    for _ in range(40):
        schedule = [Move(rng.randrange(2)) for _ in range(12)]
        by_generators, by_frames = (
            follow(scenario, schedule, engine) for engine in (BY_GENERATORS, BY_FRAMES)
        )
        assert by_generators.taken == by_frames.taken
        assert repr(by_generators.broken) == repr(by_frames.broken)
        laws.add(by_generators.broken and by_generators.broken.law_id)
    assert ("PCP-owner" in laws) is (text == BROKEN)


def test_laws_of_zones_at_rest_are_asked_at_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A count that goes wrong in the fifth step is told at the fifth."""
    done = 0

    def faulty(world: World, move: Move) -> Moment:
        nonlocal done
        done += 1
        if done == 5:
            world.zone.nr_free[3] += 1
        return moment_of(world, move)

    monkeypatch.setattr(kindjudge, "moment_of", faulty)
    followed = follow(scenario_of(SOUND), ())

    assert len(followed.taken) == 5
    assert followed.broken is not None
    assert followed.broken.law_id == "BUD-count"


def test_an_operation_that_stumbles_breaks_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its step is the last, and says what it stumbled over."""

    def torn(world: World, move: Move) -> Moment:
        if move.context == 1:
            world.zone.pcps.clear()
        return moment_of(world, move)

    monkeypatch.setattr(kindjudge, "moment_of", torn)
    followed = follow(scenario_of(SOUND), [Move(1), Move(1)])

    assert followed.broken is not None
    assert followed.broken.law_id == "OUT-fault"
    assert followed.taken[-1] == Move(1)


MOVES = """task cpu=0 moves=1
a = alloc order=0
task cpu=1
b = alloc order=0
schedule 0 0>1 0
"""


def test_a_task_goes_to_another_cpu() -> None:
    """There it takes the guard of that CPU's lists, so the other one has to wait for it."""
    trace = trace_of(HEAD.format(era="5.15", cpus=2) + MOVES)
    stays = [move for move in trace.schedule if move.cpu is None]
    goes, waits = (
        follow(trace.scenario, [*moves, Move(1)]).taken for moves in (trace.schedule, stays)
    )

    assert goes[:3] == trace.schedule
    assert goes[3] == Move(0)
    assert waits[2] == Move(1)


WAITS = """task cpu=0
free b
task cpu=1
b = alloc order=0
"""


def test_who_frees_what_another_allocates_waits_for_it() -> None:
    """Nothing happens of the first context until the block of the second is there."""
    scenario = scenario_of(HEAD.format(era="6.1", cpus=2) + WAITS)
    taken = [move.context for move in follow(scenario, [Move(0)] * 9).taken]

    assert taken == sorted(taken, reverse=True)
    assert set(taken) == {0, 1}


# --- the command -------------------------------------------------------------------------------

Capture = pytest.CaptureFixture[str]
CASES = [
    (
        BROKEN + "schedule 0*2 1\nexpect PCP-owner\n",
        Exit.BROKEN,
        "FAILED  {}: PCP-owner: context 0",
    ),
    (BROKEN + "schedule 0*2 1\nexpect OUT-fault\n", Exit.BROKEN, "; expected OUT-fault)"),
    (SOUND + "schedule 0*2 1\nexpect PCP-owner\n", Exit.HELD, "FIXED   {}: every law held in "),
    (BROKEN + "schedule 0*99\n", Exit.HELD, "HELD    {}: every law held in "),
]


@pytest.mark.parametrize(("text", "code", "told"), CASES)
def test_the_command_says_whether_a_law_breaks(
    text: str, code: Exit, told: str, tmp_path: Path, capsys: Capture
) -> None:
    """As of all traces: failed, fixed or held."""
    path = tmp_path / "a.trace"
    path.write_text(text)

    assert run(["replay", str(path), "--target", "spec"]) == code
    out = capsys.readouterr().out
    assert told.format(path) in out
    assert ("at step 4, of context 1" in out) is (code == Exit.BROKEN)


def test_a_bad_trace_is_in_error(tmp_path: Path, capsys: Capture) -> None:
    """With its line; the other traces are replayed all the same."""
    (tmp_path / "a.trace").write_text(SOUND + "schedule 2\n")
    (tmp_path / "b.trace").write_text(SOUND)

    assert run(["replay", str(tmp_path), "--target", "spec"]) == Exit.USAGE
    captured = capsys.readouterr()
    assert f"ERROR   {tmp_path / 'a.trace'}:8: 2: expected a task or an interrupt" in captured.err
    assert "HELD" in captured.out


@pytest.mark.parametrize("command", ["replay", "shrink"])
def test_no_other_target_can_be_stopped_within_a_request(
    command: str, tmp_path: Path, capsys: Capture
) -> None:
    """The steps are the spec's; what is said of it is not said of another allocator."""
    path = tmp_path / "a.trace"
    path.write_text(BROKEN)
    target = f"{Path(__file__).parents[1] / 'fuzz' / 'targets.py'}:Least"
    out = () if command == "replay" else ("--out", str(tmp_path / "out"))

    assert run([command, str(path), "--target", target, *out]) == Exit.USAGE
    assert f"{path}: the target cannot be stopped in the middle of a" in capsys.readouterr().err


def test_the_command_makes_it_small(tmp_path: Path, capsys: Capture) -> None:
    """What is left breaks the same law, with no more requests than the two that meet."""
    path, out = tmp_path / "a.trace", tmp_path / "out"
    path.write_text(BROKEN + "schedule 0*2 1\n")

    assert run(["shrink", str(path), "--target", "spec", "--out", str(out)]) == Exit.HELD
    (small,) = map(Path.read_text, out.glob("*.trace"))
    printed = capsys.readouterr().out
    assert printed.startswith(small)
    assert "\n3 -> 2 requests, PCP-owner: " in printed
    trace = trace_of(small)
    broken = follow(trace.scenario, trace.schedule).broken
    assert broken is not None
    assert broken.law_id == trace.expect == "PCP-owner"
    assert len(list((out / "raw").glob("*.trace"))) >= 1


def test_what_breaks_no_law_is_not_shrunk(tmp_path: Path, capsys: Capture) -> None:
    """It is said so, with the file."""
    path = tmp_path / "a.trace"
    path.write_text(SOUND)

    assert run(["shrink", str(path), "--out", str(tmp_path / "out")]) == Exit.USAGE
    assert f"{path}: the trace breaks no law" in capsys.readouterr().err


def test_a_walk_without_end_is_said_once() -> None:
    """Its cause has nothing to add."""
    scenario = EXPERIMENTS["batch-before-high"].scenario
    broken = exhaust(scenario).broken

    assert broken is not None
    assert complaint_of(broken) == str(broken)
