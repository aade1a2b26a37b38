"""Schedules by chance, of scenarios that are given: even chance at each step, or by priorities."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.exits import Exit
from pagefuzz.explore.attended import attend
from pagefuzz.explore.pool import is_told_to_stop
from pagefuzz.findings import keep, make_ready
from pagefuzz.report import console
from pagefuzz.report.words import counted
from pagefuzz.schedule.pct import odds_of, pct
from pagefuzz.schedule.walk import Walked, walk
from pagespec.schedule.contexts import Scenario
from pagespec.schedule.trace import ScheduleTrace

COLUMNS = ("scenario", "era", "guard", "runs", "steps", "longest", "verdict")


class Draws(NamedTuple):
    """So many runs of a scenario by chance.

    seed: from which they follow. depth: how many ordered steps a fault needs that is looked for by
    priorities; 0 for even chance.
    """

    name: str
    scenario: Scenario
    runs: int
    seed: int
    depth: int


class Drawn(NamedTuple):
    """What came of them: the runs and steps that were made, and the trace of what broke, if any.

    longest: the steps of the longest run; by priorities, those that the odds are reckoned with.
    """

    name: str
    runs: int
    steps: int
    longest: int
    verdict: str
    trace: ScheduleTrace | None


def draw(draws: Draws) -> Drawn:
    """Make the runs, until a law breaks or the worker is told to stop."""
    seeds = (f"{draws.seed:x}/{draws.name}/{number}" for number in range(draws.runs))
    runs = steps = longest = 0
    # A run by priorities needs to know how long runs are: as one by even chance, and half more.
    due = walk(f"{draws.seed:x}/{draws.name}", draws.scenario).steps * 3 // 2
    for seed in seeds:
        if is_told_to_stop():
            break
        by_priorities = draws.depth > 0
        walked = (
            pct(seed, draws.scenario, due, draws.depth)
            if by_priorities
            else walk(seed, draws.scenario)
        )
        runs, steps, longest = runs + 1, steps + walked.steps, max(longest, walked.steps)
        if walked.broken is not None:
            words = f"broken: {walked.broken.law_id}"
            return Drawn(draws.name, runs, steps, longest, words, _trace_of(draws, walked))
    words = f"not refuted in {runs} runs"
    if draws.depth and longest <= due:
        words += f"; {odds_of(draws.scenario, due, draws.depth)}"
    return Drawn(draws.name, runs, steps, longest, words, None)


def _trace_of(draws: Draws, walked: Walked) -> ScheduleTrace:
    assert walked.broken is not None
    law, complaint = walked.broken.law_id, walked.broken.complaint
    comments = (f"seed {draws.seed:08x}, {draws.name}: {complaint}",)
    return ScheduleTrace(draws.scenario, tuple(walked.schedule), law, comments)


def draw_all(
    scenarios: Mapping[str, Scenario], runs: int, seed: int, depth: int, jobs: int, out: Path
) -> list[Exit]:
    """Make so many runs of each scenario and print what came of them; what that means."""
    make_ready(out)
    console.seed(seed)
    draws = [Draws(name, scenario, runs, seed, depth) for name, scenario in scenarios.items()]
    found: dict[str, Drawn] = {}
    paths: dict[str, Path] = {}

    def enter(drawn: Drawn) -> str:
        found[drawn.name] = drawn
        if drawn.trace is not None:
            paths[drawn.name] = keep(drawn.trace, out)
        return drawn.name

    with Interrupt() as interrupt:
        attend(draw, draws, jobs, interrupt, "explore scenarios by chance", enter)
        codes = [Exit.BROKEN if paths else Exit.HELD]
        console.table("runs by chance", COLUMNS, _rows(draws, found))
        for name, path in paths.items():
            trace = found[name].trace
            assert trace is not None
            print(f"{path}:1: error: {trace.expect}: {trace.comments[0].partition(': ')[2]}")
            print(f"  repeat with: pagefuzz replay {path}")
        if interrupt.asked:
            done = [each for each in found.values() if each.trace or each.runs == runs]
            left = counted(len(draws) - len(done), "scenario", "scenarios")
            print(f"interrupted: {left} had not all runs")
            codes.append(Exit.INTERRUPTED)
    console.seed(seed)
    return codes


def _rows(draws: Sequence[Draws], found: Mapping[str, Drawn]) -> list[tuple[object, ...]]:
    return [
        (
            each.name,
            each.scenario.machine.era.name,
            each.scenario.machine.era.guard,
            *found[each.name][1:5],
        )
        for each in draws
        if each.name in found
    ]
