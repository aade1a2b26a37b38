"""Shrinking schedules: few requests and switches remain, and the same law breaks."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.schedule.variants import VARIANTS, failing_walk

from pagefuzz.schedule.experiments import EXPERIMENTS
from pagefuzz.schedule.fewest import Search, switches_of
from pagefuzz.schedule.record import schedule_trace_of
from pagefuzz.schedule.replay import follow
from pagefuzz.schedule.shrink import failing, schedule_size_of, shrink_trace
from pagefuzz.schedule.smaller import fewer_contexts, simpler_requests, smaller_machines
from pagefuzz.schedule.spots import SETUP, Spot, requests_of, with_requests
from pagefuzz.schedule.walk import walk
from pagespec.schedule.contexts import Move, Scenario, Sizes
from pagespec.schedule.moments import moment_of
from pagespec.schedule.opening import opened
from pagespec.schedule.rules import moves
from pagespec.schedule.running import BY_GENERATORS
from pagespec.schedule.trace import ScheduleTrace
from pagespec.trace import Request


def broken_by(scenario: Scenario) -> ScheduleTrace:
    """The first walk of a scenario that breaks a law."""
    for seed in range(400):
        walked = walk(seed, scenario)
        if walked.broken is not None:
            return schedule_trace_of(scenario, tuple(walked.schedule), walked.broken)
    raise AssertionError("no law broke in 400 walks")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_experiments_shrink(name: str) -> None:
    """To three switches and six requests at most, by the same law, and no further."""
    trace = broken_by(EXPERIMENTS[name].scenario)
    steps: list[ScheduleTrace] = []
    small = shrink_trace(trace, steps.append)
    followed = follow(small.scenario, small.schedule)

    assert followed.broken is not None
    assert followed.broken.law_id == small.expect == trace.expect
    assert followed.taken == small.schedule
    assert switches_of(small.schedule) <= 3
    assert len(requests_of(small.scenario)) <= 6
    assert steps[-1] == small == shrink_trace(small)
    sizes = [schedule_size_of(step) for step in steps]
    assert sizes == sorted(sizes, reverse=True)


def test_random_failures_shrink() -> None:
    """All of them, on fresh seeds, to as little; nine in ten are asked for."""
    small = [shrink_trace(failing_walk(name, seed)) for name in VARIANTS for seed in range(2)]
    good = [
        trace
        for trace in small
        if switches_of(trace.schedule) <= 3 and len(requests_of(trace.scenario)) <= 6
    ]

    assert len(good) >= 0.9 * len(small)


def test_what_breaks_nothing_is_refused() -> None:
    """There is nothing to keep."""
    scenario = replace(EXPERIMENTS["one-cpu-trylock"].scenario, alone=False)

    with pytest.raises(ValueError, match="breaks no law"):
        shrink_trace(ScheduleTrace(scenario))


def test_a_candidate_that_breaks_another_law_is_none() -> None:
    """It would be another finding."""
    trace = broken_by(EXPERIMENTS["without-the-test"].scenario)

    assert failing(trace, "PCP-owner") is not None
    assert failing(trace, "LIVE-ends") is None


def all_schedules(scenario: Scenario, way: tuple[Move, ...] = ()) -> Iterator[tuple[Move, ...]]:
    """Every schedule, one by one, up to its end or the first step after which frames are wrong."""
    world = opened(scenario, BY_GENERATORS)
    for move in way:
        moment_of(world, move)
    nexts = moves(world)
    if follow(scenario, way).moments < len(way) or not nexts:
        yield way
        return
    for move in nexts:
        more = (*way, move)
        broken = follow(scenario, more)
        if broken.broken is not None and broken.moments == len(more):
            yield more
        else:
            yield from all_schedules(scenario, more)


def test_no_schedule_has_fewer_switches() -> None:
    """As trying every schedule tells."""
    scenario = shrink_trace(broken_by(EXPERIMENTS["without-the-test"].scenario)).scenario
    fewest = Search(scenario, "PCP-owner").fewest(switches=9, states=10_000)
    assert fewest is not None

    failed = [
        schedule
        for schedule in all_schedules(scenario)
        if (broken := follow(scenario, schedule).broken) and broken.law_id == "PCP-owner"
    ]
    least = min(map(switches_of, failed))
    assert switches_of(fewest) == least
    assert Search(scenario, "PCP-owner").fewest(switches=least - 1, states=10_000) is None


def test_switches_are_counted() -> None:
    """Who goes on first is none; an interrupt, the way back and a way to a CPU are one each."""
    assert switches_of(()) == switches_of((Move(1), Move(1))) == 0
    assert switches_of((Move(0), Move(1), Move(0))) == 2
    assert switches_of((Move(0), Move(0, 1), Move(0))) == 1


def test_nobody_waits_for_a_block_that_is_gone() -> None:
    """Without the request that names a block, those about it go as well."""
    trace = failing_walk("interrupts on", 3)
    for candidate in (*fewer_contexts(trace), *_without_one(trace)):
        asked = requests_of(candidate.scenario).values()
        requests = [each for each in asked if isinstance(each, Request)]
        names = {request.name for request in requests}
        about = {request.operand.name for request in requests if request.operand}
        assert about <= names | {None}


def _without_one(trace: ScheduleTrace) -> Iterator[ScheduleTrace]:
    requests = requests_of(trace.scenario)
    for gone in requests:
        kept = {spot: asked for spot, asked in requests.items() if spot != gone}
        yield replace(trace, scenario=with_requests(trace.scenario, kept))


def test_requests_stand_where_they_stood() -> None:
    """The setup's first, and each context's in their order."""
    scenario = EXPERIMENTS["batch-before-high"].scenario
    requests = requests_of(scenario)

    assert list(requests)[-2:] == [Spot(0, 0), Spot(1, 0)]
    assert next(iter(requests)) == Spot(SETUP, 0)
    assert with_requests(scenario, requests) == scenario


def test_a_batch_never_shrinks_above_high() -> None:
    """Lists of such sizes fail with nobody in between."""
    scenario = EXPERIMENTS["batch-before-high"].scenario
    sizes = {
        asked
        for candidate in simpler_requests(ScheduleTrace(scenario))
        for asked in requests_of(candidate.scenario).values()
        if isinstance(asked, Sizes)
    }

    assert len(sizes) > 2
    assert all(0 < size.batch <= size.high for size in sizes)


def test_contexts_of_a_cpu_that_goes_work_on_another() -> None:
    """And nobody is sent there any more."""
    scenario = EXPERIMENTS["drain-by-interrupt"].scenario
    schedule = (Move(0), Move(0, 1), Move(1))
    fewer = [
        candidate
        for candidate in smaller_machines(ScheduleTrace(scenario, schedule))
        if candidate.scenario.cpus == 1
    ]

    assert [role.cpu for role in fewer[0].scenario.roles] == [0, 0]
    assert fewer[0].schedule == (Move(0), Move(1))
