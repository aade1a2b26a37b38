"""What CPUs keep of a zone's counts, request by request, against values worked out by hand.

What a kernel's CPU counts at once and what block by block, on which CPU, and who sees which count.
With 1 CPU a cell holds up to 2 frames, with 2 CPUs up to 4; one more and all of it is told.
Source: mm/page_alloc.c and mm/vmstat.c, 2.6.37 to 6.12.
"""

from typing import Any

import pytest
from tests.spec.hosts import NORMAL, host_of

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.migratetype import CMA, MOVABLE, UNMOVABLE
from pagespec.ops import perform
from pagespec.system import boot_system
from pagespec.system import perform as perform_on_host
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb
from pagespec.vmstat.kept import Cells
from pagespec.zone import Zone

ALLOC, DRAIN, REFRESH = Op(Verb.ALLOC), Op(Verb.DRAIN), Op(Verb.REFRESH)
AWAY, BACK, REST = Op(Verb.UNPLUG, cpu=1), Op(Verb.PLUG, cpu=1), Op(Verb.REST)


def zone_of(era: str, pages: int = 64, **machine: Any) -> Zone:
    """A zone of blocks of up to 8 frames, of one CPU whose batch is 4."""
    known = {"top": 3, "cpus": 1, "batch": 4, "cells": True}
    return boot(Machine(pages, era=ERAS[era], **{**known, **machine}))


def ask(zone: Zone, *ops: Op) -> list[int]:
    """The outcomes of requests that are all legal."""
    outcomes = [perform(zone, op) for op in ops]
    assert min(outcomes) >= 0
    return outcomes


def cells(zone: Zone) -> Cells:
    assert zone.cells is not None
    return zone.cells


def free(zone: Zone) -> tuple[int, list[int]]:
    """What the zone was told of its free frames, and what each CPU keeps of them."""
    return cells(zone).free.told, cells(zone).free.kept.copy()


# --- at once or block by block ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("era", "counted"),
    [
        ("2.6.37", (60, [0])),
        ("4.10", (60, [0])),
        ("6.1", (60, [0])),
        ("6.12", (61, [-1])),
    ],
)
def test_a_refill(era: str, counted: tuple[int, list[int]]) -> None:
    """Four frames at once are beyond 2; one by one the third is, and the fourth is kept."""
    zone = zone_of(era)
    ask(zone, ALLOC)
    assert free(zone) == counted


@pytest.mark.parametrize(
    ("era", "counted"),
    [
        ("2.6.37", (64, [0])),
        ("2.6.39", (64, [0])),
        ("4.10", (63, [1])),
        ("6.1", (63, [1])),
    ],
)
def test_a_drain(era: str, counted: tuple[int, list[int]]) -> None:
    """All of what a refill had told of goes back."""
    zone = zone_of(era)
    (pfn,) = ask(zone, ALLOC)
    ask(zone, Op(Verb.FREE, 0, pfn), DRAIN)
    assert free(zone) == counted


@pytest.mark.parametrize(("era", "kept"), [("5.15", [-1, -1]), ("6.1", [0, -2])])
def test_a_drain_of_all_is_counted_by_each_or_by_who_wants_it(era: str, kept: list[int]) -> None:
    zone = zone_of(era, cpus=2, batch=2)
    ask(zone, ALLOC, ALLOC._replace(cpu=1))
    assert free(zone) == (64, [-2, -2])
    ask(zone, Op(Verb.DRAIN_ALL))
    assert free(zone) == (64, kept)


@pytest.mark.parametrize(("era", "counted"), [("6.1", (16, [-1])), ("6.12", (15, [0]))])
def test_a_poisoned_frame(era: str, counted: tuple[int, list[int]]) -> None:
    """6.12 takes the block of 4 off, and adds 2 and 1 again; each is beyond what a cell holds."""
    zone = zone_of(era, 16, top=2, pageblock=2)
    ask(zone, Op(Verb.POISON, pfn=5))
    assert free(zone) == counted


@pytest.mark.parametrize(("era", "counted"), [("6.1", (16, [-1])), ("6.12", (15, [0]))])
def test_a_frame_of_a_pageblock_that_changes_hands(
    era: str, counted: tuple[int, list[int]]
) -> None:
    """In 6.12 4 frames leave the one type, and 3 come to the other."""
    zone = zone_of(era, 16, top=2, pageblock=2)
    ask(zone, ALLOC._replace(mt=UNMOVABLE, contended=True))
    assert free(zone) == counted


def test_guards_count_before_what_is_taken() -> None:
    """4 and 2 and 1 frames become guards: told, kept, told; then 1 is taken, and kept."""
    zone = zone_of("4.11-rc", 16, guard=3, pageblock=3)
    ask(zone, ALLOC._replace(mt=MOVABLE, irq=True))
    assert free(zone) == (9, [-1])


# --- what the worker tells, and what its CPU keeps after it --------------------------------------


def test_what_ages_after_a_refresh_is_kept() -> None:
    """The high of 4 grows to 5, 7, 11, 19, with refills of 1, 2, 4, 8; it falls to 17, 15, 14."""
    zone = zone_of("6.12", 512, batch=1, high=4)
    pfns = ask(zone, *[ALLOC] * 8)
    ask(zone, *(Op(Verb.FREE, 0, pfn) for pfn in pfns))
    seen = []
    for _ in range(4):
        ask(zone, REFRESH)
        seen.append(free(zone)[0] + 1000 * free(zone)[1][0])
    assert zone.pcps[0][0].count == 13
    assert seen == [497, 497, 1497, 1498]


def test_lists_of_a_far_zone_expire_at_the_third_refresh() -> None:
    """The first has something to tell, and the others do not; what is near is never given up."""
    host = host_of(
        (NORMAL, 0), (NORMAL, 1), era="4.10", cpus=(0, 1), machine={"batch": 3, "cells": True}
    )
    system = boot_system(host)
    zone = system.zones[0]
    seen = []
    for op in (ALLOC, ALLOC._replace(cpu=1), *[REFRESH, REFRESH._replace(cpu=1)] * 4):
        assert perform_on_host(system, op) >= 0
        kept = [pcps[0].count for pcps in zone.pcps]
        seen.append((kept, *free(zone)[1]))
    assert seen[1] == ([2, 2], -3, -3)
    assert seen[3::2] == [([2, 2], 0, 0), ([2, 2], 0, 0), ([2, 0], 0, 2), ([2, 0], 0, 0)]


@pytest.mark.parametrize("era", ["2.6.37", "5.15", "6.12"])
def test_what_a_cpu_keeps_is_told_when_it_goes(era: str) -> None:
    """Another counts what its list gives back, and from then on keeps no more than 2."""
    zone = zone_of(era, cpus=2, batch=3, high=9)
    ask(zone, ALLOC._replace(cpu=1))
    assert (cells(zone).threshold, *free(zone)) == (4, 64, [0, -3])
    ask(zone, AWAY)
    assert (cells(zone).threshold, *free(zone)) == (2, 61, [2, 0])


@pytest.mark.parametrize(("era", "counts"), [("2.6.37", [1, 1, 0]), ("4.10", [1, 1, 1])])
def test_a_cpu_that_was_away_lets_its_lists_rest(era: str, counts: list[int]) -> None:
    """Until 3.11 what it still had to tell when it went makes its lists expire after its return."""
    zone = zone_of(era, cpus=2, far=frozenset({1}), batch=3, high=9)
    (pfn,) = ask(zone, ALLOC._replace(cpu=1))
    ask(zone, AWAY, BACK, Op(Verb.FREE, 0, pfn, cpu=1))
    seen = []
    for _ in range(3):
        ask(zone, REFRESH._replace(cpu=1))
        seen.append(zone.pcps[1][0].count)
    assert seen == counts


# --- thresholds that follow kswapd ---------------------------------------------------------------

BLOCK = Op(Verb.ALLOC, 3, contended=True)
MARKS = {"min_free": 32, "cpus": 2, "batch": 3, "high": 9}
"""Of 64 frames: min 8, low 10, high 12. Two CPUs may keep 8: the drift mark is 20."""


@pytest.mark.parametrize(("era", "awake"), [("2.6.37", 4), ("2.6.39", 1), ("4.10", 1), ("6.1", 1)])
def test_thresholds_while_kswapd_is_awake(era: str, awake: int) -> None:
    """The 7th block would leave 9, not above low: 2 frames between low and min are 1 for a CPU."""
    zone = zone_of(era, **MARKS)
    ask(zone, *[BLOCK] * 6)
    assert (cells(zone).threshold, cells(zone).drift_mark) == (4, 20)
    ask(zone, BLOCK)
    assert cells(zone).threshold == awake
    ask(zone, REST)
    assert cells(zone).threshold == 4


@pytest.mark.parametrize("era", ["4.10", "6.1"])
def test_thresholds_stay_where_no_drift_mark_stands(era: str) -> None:
    """One CPU may keep 2, and between min 12 and low 15 lie 3: more than ever, for one."""
    zone = zone_of(era, **{**MARKS, "min_free": 48, "cpus": 1})
    ask(zone, *[BLOCK] * 6)
    assert perform(zone, BLOCK) == NO_MEMORY
    assert zone.levels is not None
    assert zone.levels.reclaiming
    assert (cells(zone).threshold, cells(zone).drift_mark) == (2, 0)


@pytest.mark.parametrize(("era", "mark"), [("4.10", 0), ("5.15", 8), ("6.12", 8)])
def test_cpus_that_come_up_before_the_marks_leave_one(era: str, mark: int) -> None:
    """Of 64 frames min 40, low 50, high 60: the 8 that CPUs may keep are not more than 10."""
    assert cells(zone_of(era, **{**MARKS, "min_free": 160})).drift_mark == mark


def test_a_cell_beyond_a_lowered_threshold_is_told_by_a_refill_of_nothing() -> None:
    """CPU 1 keeps 3, and then only 1 is allowed: its list and the buddy run out, and 0 counts."""
    zone = zone_of("4.10", **MARKS)
    urgent = ALLOC._replace(emergency=True)
    ask(zone, *[BLOCK] * 6, ALLOC._replace(cpu=1), BLOCK, urgent._replace(order=2), urgent)
    assert free(zone) == (4, [-1, -3])
    ask(zone, *[urgent._replace(cpu=1)] * 2)
    assert free(zone) == (4, [-1, -3])
    assert perform(zone, urgent._replace(cpu=1)) == NO_MEMORY
    assert free(zone) == (1, [-1, 0])


# --- who sees which count ------------------------------------------------------------------------


@pytest.mark.parametrize(("late", "wakes"), [(True, False), (False, True)])
def test_marks_see_what_was_told(late: bool, wakes: bool) -> None:
    """Two CPUs have taken 3 each of 16 frames: 2 more are above low by 16, and not by 10."""
    zone = zone_of("4.10", cells=late, **MARKS)
    ask(zone, *[BLOCK] * 6, ALLOC, ALLOC._replace(cpu=1), Op(Verb.ALLOC, 1))
    assert zone.levels is not None
    assert zone.levels.reclaiming is wakes


def test_2_6_37_looks_closely_while_kswapd_is_awake() -> None:
    """Told of 16, with 10 there: below the drift mark it counts all, unless kswapd sleeps."""
    zone = zone_of("2.6.37", **MARKS)
    blocks = ask(zone, *[BLOCK] * 7)
    ask(zone, Op(Verb.FREE, 3, blocks[-1]), ALLOC, ALLOC._replace(cpu=1))
    assert free(zone) == (16, [-3, -3])
    seen = []
    for op in (ALLOC, REST, ALLOC):
        zone.log.clear()
        ask(zone, op)
        seen.append(any(event.kind is Kind.BELOW_MARK for event in zone.log))
    assert seen == [True, False, False]


@pytest.mark.parametrize(("late", "cma"), [(True, True), (False, False)])
def test_the_balance_of_cma_sees_what_was_told(late: bool, cma: bool) -> None:
    """Of 24 frames 16 are CMA's. Two CPUs take 4 each and tell nothing: 8 of 16 are not most."""
    zone = zone_of("6.1", 24, pageblock=3, types=(CMA, CMA, MOVABLE), cpus=2, cells=late)
    movable = ALLOC._replace(mt=MOVABLE, contended=True)
    taken = ask(zone, *[movable] * 4, *[movable._replace(cpu=1)] * 4, movable)
    assert max(taken[:8]) < 16
    assert (taken[8] < 16) is cma


def test_cells_of_both_counts_are_told_apart() -> None:
    """Three movable frames are CMA's and two are not: the cell of all frames is told alone."""
    zone = zone_of("6.1", 24, pageblock=3, types=(CMA, CMA, MOVABLE), cpus=2)
    one = ALLOC._replace(contended=True)
    ask(zone, *[one._replace(mt=MOVABLE)] * 3, one, one)
    assert free(zone) == (19, [0, 0])
    assert (cells(zone).cma.told, cells(zone).cma.kept) == (16, [-3, 0])
