"""Counters that several contexts change: what is lost where interrupts come between, and what not.

Source: mm/page_alloc.c and mm/vmstat.c, 4.10, the release candidates of 4.11, and 5.15.
"""

import pytest
from tests.spec.worlds import (
    COUNT,
    REFRESH,
    alloc,
    counter_scenario,
    endings,
    free,
    interrupt,
    switches_in,
    task,
    verdicts,
    zone_scenario,
)

from pagespec.schedule.contexts import Level, Scenario
from pagespec.schedule.moments import moment_of
from pagespec.schedule.opening import opened
from pagespec.schedule.running import BY_GENERATORS
from pagespec.trace import Request
from pagespec.types import DomainError
from pagespec.verbs import Verb
from pagespec.vmstat.machine import Item, Place
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterOp, CounterVerb


def inc(*, irqs_on: bool = False) -> CounterRequest:
    return CounterRequest(CounterOp(CounterVerb.INC, irqs_on=irqs_on))


def mod(by: int, *, irqs_on: bool = False) -> CounterRequest:
    return CounterRequest(CounterOp(CounterVerb.MOD, by=by, irqs_on=irqs_on))


def counted_twice(era: str, *, splits_adds: bool, before: int) -> Scenario:
    """A task counts an allocation, and so does an interrupt on its CPU; some were before."""
    return counter_scenario(
        era, task(COUNT), interrupt(COUNT), setup=(COUNT,) * before, splits_adds=splits_adds
    )


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("splits_adds", [False, True])
@pytest.mark.parametrize("era", ["2.6.37", "4.10"])
def test_with_interrupts_off_nothing_is_lost(era: str, splits_adds: bool, before: int) -> None:
    """Until 4.10 allocations are counted with interrupts off."""
    ends = list(endings(counted_twice(era, splits_adds=splits_adds, before=before)))

    assert len(ends) > 2
    assert {end.broken for end in ends} == {None}
    for end in ends:
        counters = end.world.counters
        hit = counters.places.index(Place(Item.HIT, 0))
        assert counters.told[hit] + counters.cells[0][hit] == before + 2


def test_4_11_rc_counts_what_it_has_told_once_more() -> None:
    """The cell is full: the task tells all of it, and half a threshold is none.

    Before it writes what is left, an interrupt finds the cell still full, and tells it again.
    """
    ends = list(endings(counted_twice("4.11-rc", splits_adds=False, before=1)))
    bad = [end for end in ends if end.broken is not None]

    assert {end.broken.law_id for end in bad if end.broken} == {"VM-conserve"}
    for end in bad:
        assert switches_in(end.schedule) == 2
        assert "context 0 on CPU 0 has ended its request and added 2 too many" in str(end.broken)
    assert any(end.broken is None for end in ends)


def test_4_11_rc_loses_what_an_interrupt_counts_between_read_and_write() -> None:
    """On a machine without an instruction that adds, at any count: one too few."""
    ends = list(endings(counted_twice("4.11-rc", splits_adds=True, before=0)))
    bad = [end for end in ends if end.broken is not None]

    assert {end.broken.law_id for end in bad if end.broken} == {"VM-conserve"}
    assert all(switches_in(end.schedule) == 2 for end in bad)
    assert all("added 1 too few" in str(end.broken) for end in bad)


def test_4_11_rc_is_safe_where_one_instruction_adds_and_nothing_is_told() -> None:
    """It takes a full cell."""
    assert verdicts(counted_twice("4.11-rc", splits_adds=False, before=0)) == set()


@pytest.mark.parametrize("level", [Level.SOFTIRQ, Level.HARDIRQ])
def test_4_11_rc_interrupts_count_with_interrupts_off(level: Level) -> None:
    """They go to the buddy, which has interrupts off: one that comes later loses nothing."""
    roles = interrupt(COUNT, level=level), interrupt(COUNT)

    assert verdicts(counter_scenario("4.11-rc", *roles, setup=(COUNT,), splits_adds=True)) == set()


@pytest.mark.parametrize("before", [0, 1])
@pytest.mark.parametrize("era", ["5.15", "6.12"])
def test_events_are_added_at_once(era: str, before: int) -> None:
    """Since 5.14 with interrupts on, by one instruction where there is one; else they may race."""
    assert verdicts(counted_twice(era, splits_adds=False, before=before)) == set()
    split = counted_twice(era, splits_adds=True, before=before)
    assert verdicts(split) == set()
    ends = [end.world.counters for end in endings(split)]
    hits = {ended.cells[0][ended.places.index(Place(Item.HIT, 0))] for ended in ends}
    assert hits == {before + 1, before + 2}


@pytest.mark.parametrize("irqs_on", [False, True])
@pytest.mark.parametrize("era", ["2.6.37", "4.10", "6.12"])
def test_changes_survive_each_other(era: str, irqs_on: bool) -> None:
    """By exchange, or with interrupts off: an interrupt, a refresh and a change lose nothing."""
    roles = task(mod(3, irqs_on=irqs_on)), interrupt(inc(irqs_on=irqs_on))
    scenario = counter_scenario(era, *roles, setup=(inc(),))
    for end in endings(scenario):
        assert end.broken is None
        assert end.world.counters.told[0] + end.world.counters.cells[0][0] == 64 + 5
    roles = task(REFRESH), interrupt(inc(irqs_on=irqs_on))
    assert verdicts(counter_scenario(era, *roles, setup=(inc(),))) == set()


def test_a_change_is_by_the_cell_of_the_cpu_where_it_is_pinned() -> None:
    """A task that moves reads no number of a CPU that it leaves: both cells may be met."""
    roles = task(mod(1), moves=True), task(inc(), cpu=1)
    ends = list(endings(counter_scenario("4.10", *roles, cpus=2)))

    assert {end.broken for end in ends} == {None}
    assert {tuple(cells[0] for cells in end.world.counters.cells) for end in ends} == {
        (1, 1),
        (0, 0),
    }


@pytest.mark.parametrize(
    "request_",
    [CounterRequest(CounterOp(CounterVerb.LAND)), CounterRequest(inc().op._replace(open=True))],
)
def test_updates_stop_by_the_schedule_alone(request_: CounterRequest) -> None:
    """A request that stops by itself is refused, and so is one to a zone."""
    with pytest.raises(DomainError, match="the schedule that says where"):
        counter_scenario("4.10", task(request_))
    with pytest.raises(DomainError, match="expected requests to counters"):
        counter_scenario("4.10", task(alloc("a")))
    with pytest.raises(DomainError, match="expected requests to a zone"):
        zone_scenario("4.10", task(COUNT))


EVENT_ERAS = {"2.6.37": set(), "4.10": set(), "4.11-rc": {"EVT-count"}, "5.15": set(), "6.1": set()}


@pytest.mark.parametrize("era", EVENT_ERAS)
def test_events_of_a_zone(era: str) -> None:
    """What 4.11-rc allocates by lists is counted with interrupts on: lost, where adds are split."""
    roles = task(alloc("a")), interrupt(alloc("b"))

    assert verdicts(zone_scenario(era, *roles)) == set()
    assert verdicts(zone_scenario(era, *roles, splits_adds=True)) == EVENT_ERAS[era]


@pytest.mark.parametrize(("era", "least"), [("4.10", 2), ("6.1", 1)])
def test_what_may_be_lost_of_a_zones_events(era: str, least: int) -> None:
    """Who counts behind the guard may lose one on such a machine, and nobody else on any."""
    roles = task(alloc("a")), interrupt(alloc("b"))
    ends = list(endings(zone_scenario(era, *roles, splits_adds=True)))

    assert min(end.world.zone.pgalloc for end in ends) == least
    assert {end.world.zone.pgalloc for end in endings(zone_scenario(era, *roles))} == {2}


def test_4_11_rc_loses_frees_as_well() -> None:
    """By lists, within its guard that leaves interrupts on."""
    roles = task(free("a")), interrupt(free("b"))
    setup = (alloc("a"), alloc("b"))

    assert verdicts(zone_scenario("4.11-rc", *roles, setup=setup)) == set()
    assert verdicts(zone_scenario("4.11-rc", *roles, setup=setup, splits_adds=True)) == {
        "EVT-count"
    }


@pytest.mark.parametrize("verb", [Verb.REFRESH, Verb.UNPLUG])
@pytest.mark.parametrize("era", ["2.6.37", "4.10", "5.15", "6.1", "6.12"])
def test_what_is_taken_out_of_a_zones_cell_is_in_flight_until_it_is_told(
    era: str, verb: Verb
) -> None:
    """Meanwhile the cell fills again; in the end nothing is missing, and in between it is known."""
    before = Request(Verb.ALLOC, order=0, name="c", cpu=1)
    # Nobody else is on a CPU that is taken away.
    cpu = int(verb is Verb.REFRESH)
    roles = task(Request(verb, cpu=1), cpu=cpu), task(alloc("a"), cpu=cpu)
    scenario = zone_scenario(era, *roles, cpus=2, cells=True, setup=(before,))
    flown = set()
    for end in endings(scenario):
        assert end.broken is None
        cells = end.world.zone.cells
        assert cells is not None
        assert cells.free.told + sum(cells.free.kept) == end.world.zone.free_pages
        world = opened(scenario, BY_GENERATORS)
        for move in end.schedule:
            moment_of(world, move)
            flown |= {context.owes[2:3] for context in world.contexts}
    cells = opened(scenario, BY_GENERATORS).zone.cells
    assert cells is not None
    assert cells.free.kept[1] < 0
    assert {(), (cells.free.kept[1],)} <= flown if verb is Verb.REFRESH else len(flown) > 1
