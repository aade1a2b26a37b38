"""Exhausting the schedules of a case to a bound of preemptions, and drawing beyond it.

A preemption is a switch away from a context that could go on; switches at a wait or an end are
free. Bounds are raised one by one, so what is found has as few preemptions as there can be. A state
that was met with as many left is not gone on from again: it is told by all words that were written,
and by what each context has read. Contexts stop only at words that two of them use and one writes,
as seen in any run; when a run shows one more, the exploration begins anew with it.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from pagefuzz.errors import UsageError
from pagefuzz.schedule.twin.cases import TWIN_CASES
from pagefuzz.schedule.twin.runs import Ended, Runner, Stop
from pagefuzz.schedule.twin.telling import Told, tell
from pagefuzz.schedule.twin.watch import Watch, watched_kernels
from pageimpl.source import Patch

Switches: TypeAlias = tuple[tuple[int, int], ...]
"""A schedule: the numbers of decisions, rising, each with the context that goes on instead."""

MOST_SCHEDULES = 20_000
"""Schedules of one bound, after which an exploration is given up."""

DRAWN = 200
"""Schedules that are drawn beyond the bound."""

SWITCH_ODDS = 0.1
"""How likely a drawn schedule switches at a decision."""

Enough: TypeAlias = Callable[[], bool]
"""Whether an exploration is to be given up."""

Verdict: TypeAlias = Literal["exhausted", "not refuted", "refuted"]


class TwinFinding(NamedTuple):
    """A broken law, the schedule that breaks it, and where it switches.

    points: the words at which contexts stopped, by which decisions are counted.
    """

    law: str
    what: str
    switches: Switches
    points: tuple[int, ...]
    told: list[Told]


class TwinResult(NamedTuple):
    """What an exploration came to.

    verdict: "exhausted" to the bound of preemptions, with nothing found beyond it either; "not
    refuted" if there were too many schedules. schedules, states, transitions: of the last bound
    that was explored; depth: the most decisions of one run. points: the words at which contexts
    stop. drawn: the schedules beyond the bound.
    """

    case: str
    verdict: Verdict
    bound: int
    seed: int
    schedules: int
    states: int
    transitions: int
    depth: int
    points: int
    drawn: int
    finding: TwinFinding | None


class Tally(NamedTuple):
    """What the exploration of one bound came to: how much there was, and what broke a law."""

    schedules: int
    states: int
    transitions: int
    depth: int
    complete: bool
    broken: tuple[Switches, Ended] | None


def explore_twin(
    case: str,
    bound: int,
    seed: int,
    patches: Mapping[str, Patch] | None = None,
    *,
    hashing: bool = True,
    enough: Enough = lambda: False,
) -> TwinResult:
    """Explore a case to a bound of preemptions, and as the seed says beyond it.

    patches: of the kernels' text, to plant faults. hashing: whether states that were met before are
    left; without it every schedule is run. enough: is asked before each schedule, and ends it all
    unfinished. Raises UsageError for a case that there is not, and a bound below 0.
    """
    if bound < 0:
        raise UsageError(f"bound {bound}: expected a number of preemptions, 0 or more")
    runner = _runner(case, patches or {})
    tally = Tally(0, 0, 0, 0, complete=True, broken=None)
    for preemptions in range(bound + 1):
        tally = _to_bound(runner, preemptions, enough, hashing=hashing)
        if tally.broken or not tally.complete:
            break
    broken, drawn = tally.broken, 0
    while broken is None and drawn < DRAWN and not enough():
        broken = _drawn(runner, Random(f"{case} {seed} {drawn}"))
        drawn += 1
    finding = None
    if broken is not None:
        finding = _finding(runner, _shrunk(runner, *broken))
    verdict: Verdict = "refuted" if finding else "exhausted" if tally.complete else "not refuted"
    return TwinResult(
        case,
        verdict,
        bound,
        seed,
        tally.schedules,
        tally.states,
        tally.transitions,
        tally.depth,
        len(runner.watch.points),
        drawn,
        finding,
    )


def replay_twin(
    case: str,
    switches: Switches,
    points: Iterable[int],
    patches: Mapping[str, Patch] | None = None,
) -> TwinFinding | None:
    """Run one schedule of a case, as a finding has it: what it finds, if anything.

    Raises UsageError as explore_twin does.
    """
    runner = _runner(case, patches or {})
    runner.watch.points.update(points)
    return _finding(runner, switches)


def _runner(case: str, patches: Mapping[str, Patch]) -> Runner:
    if case not in TWIN_CASES:
        raise UsageError(f"no case {case!r} of the twin: expected one of {', '.join(TWIN_CASES)}")
    watch = Watch()
    return Runner(TWIN_CASES[case].scene(watched_kernels(watch, patches)), watch)


def _finding(runner: Runner, switches: Switches) -> TwinFinding | None:
    points = tuple(sorted(runner.watch.points))
    (broken, _), told = tell(runner, switches)
    if broken is None:
        return None
    return TwinFinding(broken.law_id, broken.complaint, switches, points, told)


def _to_bound(runner: Runner, bound: int, enough: Enough, *, hashing: bool) -> Tally:
    """Run every schedule with so many preemptions at most."""
    watch = runner.watch
    while True:
        tally = _once_to_bound(runner, bound, enough, hashing=hashing)
        new = watch.new_points()
        if tally.broken or not new or enough():
            return tally
        watch.points |= new


def _once_to_bound(runner: Runner, bound: int, enough: Enough, *, hashing: bool) -> Tally:
    """The same, unless a word is met that must be a point: then no further than that."""
    seen: dict[Hashable, int] = {}
    left_over: list[tuple[Switches, int]] = [((), bound)]
    schedules = transitions = depth = 0
    while left_over:
        if enough():
            return Tally(schedules, len(seen), transitions, depth, False, None)
        switches, left = left_over.pop()

        def decide(stop: Stop, switches: Switches = switches, left: int = left) -> int | None:
            after = switches[-1][0] if switches else -1
            if stop.number <= after:
                return _following(switches, stop)
            if hashing:
                if seen.get(stop.state, -1) >= left:
                    return None
                seen[stop.state] = left
            rest = left - (stop.running in stop.enabled)
            if rest >= 0:
                left_over.extend(
                    ((*switches, (stop.number, other)), rest)
                    for other in stop.enabled
                    if other != stop.default
                )
            return stop.default

        ended = runner.run(decide)
        schedules += 1
        transitions += ended.decisions
        depth = max(depth, ended.decisions)
        if ended.broken is not None:
            return Tally(schedules, len(seen), transitions, depth, True, (switches, ended))
        if runner.watch.new_points():
            return Tally(schedules, len(seen), transitions, depth, False, None)
        if schedules >= MOST_SCHEDULES:
            return Tally(schedules, len(seen), transitions, depth, False, None)
    return Tally(schedules, len(seen), transitions, depth, True, None)


def _following(switches: Switches, stop: Stop) -> int:
    """Who goes on in that schedule."""
    for number, context in switches:
        if number == stop.number and context in stop.enabled:
            return context
    return stop.default


def _drawn(runner: Runner, random: Random) -> tuple[Switches, Ended] | None:
    """Run a drawn schedule; the schedule, if it breaks a law."""
    switches: list[tuple[int, int]] = []

    def decide(stop: Stop) -> int:
        if random.random() >= SWITCH_ODDS:
            return stop.default
        chosen = random.choice(stop.enabled)
        if chosen != stop.default:
            switches.append((stop.number, chosen))
        return chosen

    ended = runner.run(decide)
    if ended.broken is not None:
        return tuple(switches), ended
    runner.watch.points |= runner.watch.new_points()
    return None


def _shrunk(runner: Runner, switches: Switches, ended: Ended) -> Switches:
    """The schedule without the switches that the same broken law can do without."""
    at = 0
    while at < len(switches):
        fewer = switches[:at] + switches[at + 1 :]
        again = runner.run(partial(_following, fewer))
        same = again.broken and ended.broken and again.broken.law_id == ended.broken.law_id
        if same:
            switches, ended = fewer, again
        else:
            at += 1
    return switches
