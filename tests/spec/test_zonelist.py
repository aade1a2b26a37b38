"""How a request is served against watermarks: scenarios worked out by hand.

A zone of 64 frames with min_free_kbytes of 40 has the marks 10, 12 and 14 (in 6.1 and 6.12), which
must be left for others.
Source: mm/page_alloc.c (get_page_from_freelist, __alloc_pages_slowpath), 2.6.11 to 6.12.
"""

from typing import Any

import pytest

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE
from pagespec.ops import perform
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb
from pagespec.watermark.levels import Levels
from pagespec.zone import Zone

FRAME = Op(Verb.ALLOC)
URGENT = FRAME._replace(atomic=True)
EMERGENCY = FRAME._replace(emergency=True)


def zone_with(free: int, era: str = "6.1", min_free: int = 40, **machine: Any) -> Zone:
    """A zone of 64 frames of which so many are free; kswapd sleeps."""
    zone = boot(Machine(64, era=ERAS[era], min_free=min_free, **{"top": 4, **machine}))
    while zone.free_pages > free:
        perform(zone, EMERGENCY._replace(contended=True))
    perform(zone, Op(Verb.REST))
    levels(zone).below_high = False
    zone.log.clear()
    return zone


def levels(zone: Zone) -> Levels:
    assert zone.levels is not None
    return zone.levels


def kinds(zone: Zone) -> list[Kind]:
    """What happened, but for how blocks were cut and listed."""
    cuts = (Kind.SPLIT, Kind.HEAD, Kind.TAIL, Kind.ZONE_LOCKED, Kind.MERGE)
    return [event.kind for event in zone.log if event.kind not in cuts]


def test_above_the_low_mark_nobody_is_woken() -> None:
    """13 are free, more than the low mark of 12."""
    zone = zone_with(13)

    assert perform(zone, FRAME) >= 0
    assert kinds(zone) == [Kind.ALLOC]
    assert not levels(zone).reclaiming


def test_below_the_low_mark_kswapd_is_woken_and_the_least_mark_asked() -> None:
    """12 are not more than 12, but more than the 10 of the lowest mark."""
    zone = zone_with(12)

    assert perform(zone, FRAME) >= 0
    assert kinds(zone) == [Kind.BELOW_MARK, Kind.KSWAPD, Kind.ALLOC]
    assert levels(zone).reclaiming


def test_at_the_least_mark_a_request_without_rights_fails() -> None:
    """It is tried three times: CPUs could have given something back in between."""
    zone = zone_with(10)

    assert perform(zone, FRAME) == NO_MEMORY
    assert kinds(zone) == [Kind.BELOW_MARK, Kind.KSWAPD, *[Kind.BELOW_MARK] * 2, Kind.FAIL]


@pytest.mark.parametrize(
    ("era", "least"),
    [
        # Half, rounded up, off 10; a quarter, rounded down, of the rest: 5, then 4.
        *[(era, 4) for era in ("2.6.37", "4.10", "5.15", "6.1", "6.12")],
        # 2.6.9 rounds the half down, which makes no difference for 10.
        ("2.6.8", 4),
        ("2.6.11", 4),
    ],
)
def test_who_cannot_wait_may_use_more(era: str, least: int) -> None:
    """All eras leave 4 of 10 frames to others then; never who cannot wait waits for a drain."""
    for free, is_served in ((least + 1, True), (least, False)):
        zone = zone_with(free, era)
        assert (perform(zone, URGENT) >= 0) is is_served
        assert Kind.KSWAPD in kinds(zone)
    assert kinds(zone)[-1] is Kind.FAIL


def test_an_emergency_takes_the_last_frame() -> None:
    """When the marks have been tried, with kswapd awake."""
    zone = zone_with(1)

    assert perform(zone, EMERGENCY) >= 0
    assert kinds(zone) == [Kind.BELOW_MARK, Kind.KSWAPD, Kind.BELOW_MARK, Kind.ALLOC]
    assert perform(zone, EMERGENCY) == NO_MEMORY


def test_an_emergency_above_the_marks_is_no_emergency() -> None:
    """Nobody is woken."""
    zone = zone_with(13)

    assert perform(zone, EMERGENCY) >= 0
    assert kinds(zone) == [Kind.ALLOC]


# --- larger blocks ------------------------------------------------------------------------------


def fragmented(era: str) -> Zone:
    """Every other frame free: 32 frames, in blocks of one, and one block of 16 beside them."""
    zone = boot(Machine(80, 4, ERAS[era], min_free=20))
    pfns = [perform(zone, EMERGENCY) for _ in range(64)]
    for pfn in pfns[::2]:
        perform(zone, Op(Verb.FREE, 0, pfn))
    assert zone.nr_free == [32, 0, 0, 0, 1]
    return zone


def test_until_4_3_small_blocks_do_not_count_for_large_ones() -> None:
    """The marks are 5 and 6. For order 4, 48 - 15 frames are left, and 1 without the single ones;
    the marks are halved for these, to 3 and 2, and 1 is not more."""
    assert perform(fragmented("2.6.11"), Op(Verb.ALLOC, 4)) == NO_MEMORY
    assert perform(fragmented("2.6.37"), Op(Verb.ALLOC, 4)) == NO_MEMORY


def test_since_4_4_one_look_at_the_lists_decides() -> None:
    """And before 2.6.11 nothing but the count of free frames did."""
    for era in ("2.6.8", "4.10", "5.15", "6.12"):
        assert perform(fragmented(era), Op(Verb.ALLOC, 4)) >= 0


@pytest.mark.parametrize(("era", "times"), [("4.10", 1), ("5.15", 2)])
def test_rights_take_any_list_for_granted_in_4_10_alone(era: str, times: int) -> None:
    """The only blocks above order 0 are CMA's, and 24 single frames are free. With rights 4.10 goes
    on to look for one, in vain; 5.15 knows from the lists that there is none."""
    types = (MOVABLE, MOVABLE, MOVABLE, CMA)
    zone = boot(Machine(64, 4, ERAS[era], pageblock=4, types=types, min_free=4))
    pfns = [perform(zone, EMERGENCY) for _ in range(48)]
    for pfn in pfns[::2]:
        perform(zone, Op(Verb.FREE, 0, pfn))
    assert (zone.nr_free, zone.free_cma) == ([24, 0, 0, 0, 1], 16)
    zone.log.clear()

    assert perform(zone, URGENT._replace(order=2)) == NO_MEMORY
    assert kinds(zone).count(Kind.BELOW_MARK) == times


# --- what is not for the request ---------------------------------------------------------------


def test_cma_memory_is_not_for_unmovable_requests() -> None:
    """16 of 29 free frames are CMA's: 13 are left for others, and the low mark is 12."""
    types = (MOVABLE, MOVABLE, MOVABLE, CMA)
    zone = zone_with(29, pageblock=4, types=types)
    assert zone.free_cma == 16
    assert perform(zone, FRAME) >= 0
    assert kinds(zone)[-1] is Kind.ALLOC
    assert Kind.KSWAPD not in kinds(zone)

    assert perform(zone, FRAME) >= 0
    assert Kind.KSWAPD in kinds(zone)


@pytest.mark.parametrize(("era", "is_woken"), [("6.1", True), ("6.12", False)])
def test_the_reserve_is_not_for_who_can_wait(era: str, is_woken: bool) -> None:
    """Until 6.1 its whole size is left out; in 6.12 what is free of it. With 28 frames free, eight
    of which are the half of the reserve that is not in use, that is 12 or 20. The low mark is 12.
    """
    types = (MOVABLE, MOVABLE, MOVABLE, HIGHATOMIC)
    zone = zone_with(35, era, pageblock=4, types=types)
    half = perform(zone, Op(Verb.ALLOC, 3, mt=MOVABLE, atomic=True))
    assert zone.machine.pageblock_number(half) == 3
    held = next(pfn for pfn, held in zone.held.items() if held.order == 0)
    perform(zone, Op(Verb.FREE, 0, held))
    perform(zone, Op(Verb.REST))
    assert (zone.free_pages, zone.nr_reserved) == (28, 16)
    zone.log.clear()

    assert perform(zone, FRAME) >= 0
    assert (Kind.KSWAPD in kinds(zone)) is is_woken


# --- on the way to failing ----------------------------------------------------------------------


def test_what_cpus_keep_is_gathered_before_a_request_fails() -> None:
    """Another CPU keeps 15 of the 16 frames of the zone: nothing is left to the buddy."""
    for era, is_served in (("2.6.11", False), ("4.10", True), ("6.12", True)):
        zone = boot(Machine(16, 4, ERAS[era], cpus=2, batch=16, min_free=4))
        assert perform(zone, FRAME._replace(cpu=1)) >= 0
        assert zone.free_pages == 0
        assert (perform(zone, Op(Verb.ALLOC, 0)) >= 0) is is_served
        kept = [sum(pcp.count for pcp in pcps) for pcps in zone.pcps]
        assert kept == ([14, 0] if is_served else [0, 15])


def test_who_cannot_wait_gathers_nothing() -> None:
    """Nor does an emergency."""
    for op in (URGENT, EMERGENCY):
        zone = boot(Machine(16, 4, ERAS["6.12"], cpus=2, batch=16, min_free=4))
        assert perform(zone, FRAME._replace(cpu=1)) >= 0
        assert perform(zone, op) == NO_MEMORY
        assert zone.pcps[1][0].count == 15


def test_reserve_is_given_up_before_a_request_fails() -> None:
    """One pageblock of two, which lets 16 frames more be used: the request is served."""
    types = (MOVABLE, MOVABLE, HIGHATOMIC, HIGHATOMIC)
    for era in ("4.10", "5.15", "6.1", "6.12"):
        zone = zone_with(32, era, pageblock=4, types=types)
        zone.log.clear()
        assert perform(zone, FRAME._replace(mt=MOVABLE)) >= 0
        assert kinds(zone).count(Kind.UNRESERVED) == 1
        assert zone.nr_reserved == 16


def test_the_last_pageblock_of_the_reserve_stays() -> None:
    """The request fails: what is left is for who cannot wait."""
    zone = zone_with(16, pageblock=4, types=(MOVABLE, MOVABLE, MOVABLE, HIGHATOMIC))
    assert perform(zone, FRAME._replace(mt=MOVABLE)) == NO_MEMORY
    assert zone.nr_reserved == 16


# --- the high mark, and boosts ------------------------------------------------------------------


def test_6_12_asks_for_the_high_mark_first() -> None:
    """14 is not more than 14: the zone is below its high mark but above the low one, and serves."""
    for era, is_below in (("6.1", False), ("6.12", True)):
        zone = zone_with(14, era)
        assert perform(zone, FRAME) >= 0
        assert kinds(zone) == [Kind.ALLOC]
        assert levels(zone).below_high is is_below


def test_a_drain_finds_out_that_a_zone_is_above_its_high_mark_again() -> None:
    """Not the free alone: of two lists of single frames, the second free drains one."""
    zone = zone_with(14, "6.12", cpus=1, batch=1, high=2)
    assert perform(zone, FRAME) >= 0
    assert levels(zone).below_high
    pfns = list(zone.held)[:4]
    seen = []
    for pfn in pfns:
        perform(zone, Op(Verb.FREE, 0, pfn))
        seen.append((zone.free_pages, levels(zone).below_high))
    assert seen == [(13, True), (14, True), (15, False), (16, False)]


@pytest.mark.parametrize(("era", "boost"), [("4.10", 0), ("5.8", 16), ("5.15", 16), ("6.12", 16)])
def test_a_fallback_boosts_the_marks(era: str, boost: int) -> None:
    """An unmovable frame breaks up the last pageblock that is not full: the marks rise by its 16
    frames, so that 14 are not enough any more, and kswapd is woken. When it rests they fall."""
    zone = boot(Machine(64, 4, ERAS[era], pageblock=4, min_free=40))
    for order in (4, 4, 4, 0):
        assert perform(zone, Op(Verb.ALLOC, order, mt=MOVABLE)) >= 0
    assert not levels(zone).reclaiming

    assert perform(zone, FRAME) >= 0
    assert (levels(zone).boost, levels(zone).reclaiming) == (boost, boost > 0)
    assert (perform(zone, FRAME) >= 0) is (boost == 0)
    perform(zone, Op(Verb.REST))
    assert (levels(zone).boost, levels(zone).reclaiming) == (0, False)


@pytest.mark.parametrize(("era", "wakes"), [("4.10", False), ("5.8", True), ("5.15", False)])
def test_5_8_wakes_kswapd_for_a_boost_that_there_is_not(era: str, wakes: bool) -> None:
    """Three pageblocks are too few for a boost. The unmovable frame breaks up the last of them and
    leaves 14, which are above the low mark of 12."""
    zone = boot(Machine(48, 4, ERAS[era], pageblock=4, min_free=40))
    for order in (4, 4, 0):
        assert perform(zone, Op(Verb.ALLOC, order, mt=MOVABLE)) >= 0
    assert (zone.free_pages, levels(zone).reclaiming) == (15, False)

    assert perform(zone, FRAME) >= 0
    assert (levels(zone).boost, levels(zone).reclaiming) == (0, wakes)


@pytest.mark.parametrize(("era", "spared"), [("5.8", False), ("6.1", True)])
def test_a_boost_does_not_hold_up_single_frames_of_who_cannot_wait(era: str, spared: bool) -> None:
    """12 are free. Boosted by 21 the lowest mark is 31, of which rights leave 12; without the boost
    12 are more than 10. For two frames nobody asks without, and in 5.8 for none."""
    zone = zone_with(12, era)
    levels(zone).boost = 21
    assert (perform(zone, URGENT) >= 0) is spared
    assert perform(zone, URGENT._replace(order=1)) == NO_MEMORY
