"""Programs made of generators do what the generators do, and what cannot be cut is refused."""

import linecache
from collections.abc import Callable
from dataclasses import fields
from random import Random

import pytest

from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.frozen import Freezer
from pagefuzz.schedule.programs import CannotCut
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Context, Move, Scenario, World
from pagespec.schedule.moments import moment_of
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.schedule.running import BY_GENERATORS, Ended, Engine, Stopped
from pagespec.steps import Step, Steps


def shown(world: World) -> object:
    """All of a world but what is left of requests, which each engine has in its own way."""
    names = [field.name for field in fields(Context) if field.name != "rest"]
    contexts = [[getattr(context, name) for name in names] for context in world.contexts]
    return Freezer(world).freeze_values(), contexts, world.placed


def stepped(world: World, move: Move) -> object:
    """What a step comes to."""
    try:
        moment = moment_of(world, move)
    except LawBroken as broken:
        return str(broken)
    return moment.log, moment.twice, moment.nexts


def both_ways(scenario: Scenario, rng: Random) -> int:
    """Take one random schedule with both engines; how many steps it had."""
    plain, framed = opened(scenario, BY_GENERATORS), opened(scenario, BY_FRAMES)
    steps = 0
    while nexts := moves(plain):
        move = rng.choice(nexts)
        came = stepped(plain, move)
        assert stepped(framed, move) == came
        if isinstance(came, str):
            break
        assert shown(framed) == shown(plain)
        steps += 1
    return steps


@pytest.mark.parametrize("era", ERAS)
def test_both_engines_take_the_same_steps(era: str) -> None:
    rng = Random(era)
    steps = 0
    for _ in range(12):
        scenario = random_scenario(rng, ERAS[era])
        for _ in range(2):
            steps += both_ways(scenario, rng)
    assert steps > 200


def waits(times: int) -> Steps[int]:
    """Stops so often; what it gives back counts what it was told."""
    lost: bool | None = False
    told = 0
    while times > 0:
        times -= 1
        if times == 1:
            continue
        lost = yield Step.GUARD
        if lost:
            told += 1
    return told


def ended(engine: Engine, steps: Steps[int], answers: list[bool]) -> tuple[int, object]:
    """How often it stopped, and its value."""
    rest, stops, answer = engine.started(steps), 0, False
    while True:
        came = engine.resumed(rest, answer)
        if isinstance(came, Ended):
            return stops, came.value
        assert isinstance(came, Stopped)
        rest, answer, stops = came.rest, answers[stops], stops + 1


def test_loops_and_answers_are_those_of_the_generator() -> None:
    answers = [True, False, True, True]
    expected = ended(BY_GENERATORS, waits(5), answers)
    assert expected == (4, 3)
    assert ended(BY_FRAMES, waits(5), answers) == expected


def test_what_has_stopped_can_be_gone_on_with_twice() -> None:
    came = BY_FRAMES.resumed(BY_FRAMES.started(waits(3)), False)
    assert isinstance(came, Stopped)
    values = []
    for answer in (False, True, False):
        again = BY_FRAMES.resumed(came.rest, answer)
        assert isinstance(again, Stopped)
        last = BY_FRAMES.resumed(again.rest, False)
        assert isinstance(last, Ended)
        values.append(last.value)
    assert values == [0, 1, 0]


REFUSED = {
    "for": "for number in (1, 2):\n        yield Step.EDIT\n    return number",
    "try": "try:\n        yield Step.EDIT\n    finally:\n        number = 0\n    return number",
    "with": "with open('x'):\n        yield Step.EDIT\n    return number",
    "expression": "number = 1 + (yield Step.EDIT)\n    return number",
    "condition": "if (yield Step.EDIT):\n        number = 1\n    return number",
    "else": "while number:\n        yield Step.EDIT\n    else:\n        pass\n    return number",
    "return": "return (yield Step.EDIT)",
    "one name": "number = other = yield Step.EDIT\n    return number",
}


def planted(body: str, file: str) -> Callable[[int], Steps[int]]:
    """A generator function of that text, in a module that is in no file."""
    text = f"def operation(number):\n    {body}\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    around: dict[str, object] = {"Step": Step}
    exec(compile(text, file, "exec"), around)
    found = around["operation"]
    assert callable(found)
    return found


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_cut_is_refused(why: str) -> None:
    operation = planted(REFUSED[why], f"<refused {why}>")
    rest = None
    with pytest.raises(CannotCut, match=rf"operation, line \d+: .*{why}"):
        rest = BY_FRAMES.started(operation(1))
    assert rest is None


def test_a_closure_is_refused() -> None:
    kept = 1

    def operation() -> Steps[int]:
        yield Step.EDIT
        return kept

    with pytest.raises(CannotCut, match="operation reads kept of the function around it"):
        BY_FRAMES.started(operation())


def test_text_that_is_in_no_file_is_cut_by_its_own_lines() -> None:
    one = planted("yield Step.EDIT\n    return number + 1", "<variant 1>")
    two = planted("yield Step.EDIT\n    return number + 2", "<variant 2>")
    assert ended(BY_FRAMES, one(10), [False]) == (1, 11)
    assert ended(BY_FRAMES, two(10), [False]) == (1, 12)
