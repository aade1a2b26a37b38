"""Sequences of requests through CPUs' lists, against values computed apart from them.

What the formulas say for single calls is asked in test_pcp_vectors; here whole zones serve.
Source: mm/page_alloc.c of each release, simulated by hand or by a program of a few lines.
"""

from collections.abc import Iterable
from typing import Any

import pytest

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Event, Kind
from pagespec.machine import Machine
from pagespec.migratetype import HIGHATOMIC, MOVABLE, RECLAIMABLE, UNMOVABLE
from pagespec.ops import perform
from pagespec.pcp.state import Pcp
from pagespec.pcp.tuning import Doubling, Tuned
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone


def zone_of(era: str, pages: int = 4096, **machine: Any) -> Zone:
    """A zone of one CPU, with batches of 63 and `high` 774 where that is asked for."""
    return boot(Machine(pages, era=ERAS[era], **{"top": 10, "cpus": 1, **machine}))


def pcp(zone: Zone, kind: int = 0) -> Pcp:
    return zone.pcps[0][kind]


def logged(zone: Zone, kind: Kind) -> list[Event]:
    return [event for event in zone.log if event.kind is kind]


def allocs(zone: Zone, count: int, order: int = 0) -> list[int]:
    """So many blocks."""
    return [perform(zone, Op(Verb.ALLOC, order)) for _ in range(count)]


def drains(zone: Zone, pfns: Iterable[int], order: int = 0) -> list[tuple[int, int]]:
    """At which free a drain comes, and how many frames it takes."""
    seen = []
    for number, pfn in enumerate(pfns, 1):
        zone.log.clear()
        assert perform(zone, Op(Verb.FREE, order, pfn)) == 0
        pages = sum(2**event.order for event in logged(zone, Kind.PCPU_DRAIN))
        if pages:
            seen.append((number, pages))
    return seen


def emptied(zone: Zone, pfns: list[int]) -> list[int]:
    """Begin with lists that hold nothing and have learnt nothing."""
    perform(zone, Op(Verb.DRAIN))
    load = pcp(zone).load
    if isinstance(load, Doubling):
        pcp(zone).load = load._replace(factor=0)
    elif isinstance(load, Tuned):
        pcp(zone).load = load._replace(factor=0, freed=0, high=load.high_min)
    return pfns


# --- 5.15: drains that double -------------------------------------------------------------------

AT = {"batch": 63, "high": 774}


def test_drains_of_5_15_double() -> None:
    """Batch 63, high 774: at the 774th free 63 frames go, at the 837th 126, and so on."""
    zone = zone_of("5.15", **AT)
    pfns = emptied(zone, allocs(zone, 2430))

    assert drains(zone, pfns) == [
        (774, 63),
        (837, 126),
        (963, 252),
        (1215, 504),
        (1719, 711),
        (2430, 711),
    ]
    assert (pcp(zone).count, pcp(zone).load) == (63, Doubling(774, 63, factor=4))


def test_drains_of_5_15_stay_small_while_kswapd_works() -> None:
    """Then `high` counts as four batches: drains at 252, 315, 441 and 630."""
    zone = zone_of("5.15", min_free=16, **AT)
    pfns = emptied(zone, allocs(zone, 630))
    assert zone.levels is not None
    zone.levels.reclaiming = True

    assert drains(zone, pfns) == [(252, 63), (315, 126), (441, 189), (630, 189)]


def test_an_allocation_halves_the_next_drain_of_5_15() -> None:
    """The factor is 4 by then; each block that is taken from the list halves it."""
    zone = zone_of("5.15", **AT)
    drains(zone, emptied(zone, allocs(zone, 1719)))

    factors = []
    for _ in range(4):
        perform(zone, Op(Verb.ALLOC))
        load = pcp(zone).load
        assert isinstance(load, Doubling)
        factors.append(load.factor)
    assert factors == [2, 1, 0, 0]


def test_the_boot_page_set_keeps_nothing() -> None:
    """High 0 and batch 1, as before the lists are set up: each free drains its one frame."""
    zone = zone_of("5.15", batch=1, high=0)
    pfns = emptied(zone, allocs(zone, 5))

    assert drains(zone, pfns) == [(number, 1) for number in range(1, 6)]


# --- 6.1: the flush of higher orders ------------------------------------------------------------


@pytest.mark.parametrize(("era", "left"), [("5.15", 719), ("6.1", 0)])
def test_a_free_of_a_higher_order_empties_the_lists_of_6_1(era: str, left: int) -> None:
    """Only once a drain has begun to double. 5.15 does not know it: 711 are left of the drain at
    774 frames, four came after it, and now four more."""
    zone = zone_of(era, **AT)
    blocks = allocs(zone, 2, order=2)
    pfns = emptied(zone, allocs(zone, 774))
    perform(zone, Op(Verb.FREE, 2, blocks[0]))
    assert pcp(zone).count == 4

    drains(zone, pfns)
    assert pcp(zone).count == 715
    perform(zone, Op(Verb.FREE, 2, blocks[1]))
    assert pcp(zone).count == left


# --- 6.12: refills and drains that follow the load ----------------------------------------------

TUNED = Tuned(high_min=774, high_max=32768, batch=63)


def tuned_zone(**machine: Any) -> Zone:
    """A zone whose `high` may grow to 32768, as that of 4 GiB and four CPUs."""
    zone = zone_of("6.12", pages=16384, **{**AT, **machine})
    pcp(zone).load = TUNED
    return zone


def refills(zone: Zone, count: int, op: Op) -> list[tuple[int, int]]:
    """The blocks of the first so many refills, and `high` after each."""
    seen: list[tuple[int, int]] = []
    while len(seen) < count:
        zone.log.clear()
        assert perform(zone, op) >= 0
        load = pcp(zone).load
        assert isinstance(load, Tuned)
        seen += [(event.pfn, load.high) for event in logged(zone, Kind.REFILL)]
    return seen


def test_refills_of_6_12_double() -> None:
    """Allocations of single frames only, until a refill is 32 batches."""
    assert refills(tuned_zone(), 7, Op(Verb.ALLOC)) == [
        (63, 837),
        (126, 963),
        (252, 1215),
        (504, 1719),
        (1008, 2727),
        (2016, 4743),
        (2016, 6759),
    ]


def test_refills_of_higher_orders_count_frames() -> None:
    """Order 2: fifteen blocks each time, as 63 frames are not sixteen; huge pages: two."""
    zone = zone_of("6.12", pages=16384, pageblock=9, **AT)
    assert [blocks for blocks, _ in refills(zone, 2, Op(Verb.ALLOC, 2))] == [15, 15]
    assert [blocks for blocks, _ in refills(zone, 2, Op(Verb.ALLOC, 9))] == [2, 2]


def test_drains_of_6_12_follow_the_frees() -> None:
    """711 frames at the 774th free; then `high` has grown, and 774 go at the 1548th."""
    zone = tuned_zone()
    pfns = emptied(zone, allocs(zone, 1600))

    assert drains(zone, pfns) == [(774, 711), (774 + 774, 774)]
    load = pcp(zone).load
    assert isinstance(load, Tuned)
    assert (load.high, load.freed) == (1611, 1600)
    assert pcp(zone).count == 63 + 52


def test_frees_of_order_2_flush_the_lists_of_6_12() -> None:
    """The 17th free of a row flushes its 68 frames, then each flushes its own four."""
    zone = tuned_zone()
    pfns = emptied(zone, allocs(zone, 20, order=2))

    assert drains(zone, pfns, order=2) == [(17, 68), (18, 4), (19, 4), (20, 4)]


def test_high_of_6_12_decays() -> None:
    """The worker takes an eighth off each time, and drains what is above."""
    zone = tuned_zone()
    refills(zone, 4, Op(Verb.ALLOC))
    highs, counts = [], []
    for _ in range(8):
        perform(zone, Op(Verb.AGE))
        load = pcp(zone).load
        assert isinstance(load, Tuned)
        highs.append(load.high)
        counts.append(pcp(zone).count)
    assert highs == [1505, 1317, 1153, 1009, 883, 774, 774, 774]
    assert counts == [503] * 8


# --- which list goes first ----------------------------------------------------------------------


def lists_of_three(era: str) -> tuple[Zone, list[int]]:
    """Three lists with two, five and no frames: the oldest of a list has the lowest number."""
    zone = zone_of(era, pages=64, top=4, pageblock=4, batch=1, high=99)
    pfns = [perform(zone, Op(Verb.ALLOC, mt=UNMOVABLE)) for _ in range(2)]
    pfns += [perform(zone, Op(Verb.ALLOC, mt=MOVABLE)) for _ in range(5)]
    for pfn in pfns:
        perform(zone, Op(Verb.FREE, 0, pfn))
    assert [len(blocks) for blocks in pcp(zone).lists[:3]] == [2, 5, 0]
    return zone, pfns


@pytest.mark.parametrize(
    ("era", "turns"),
    [
        ("4.10", [1, 0, 0, 1, 1, 1, 1]),
        ("5.15", [1, 0, 0, 1, 1, 1, 1]),
        ("6.1", [0, 0, 1, 1, 1, 1, 1]),
    ],
)
def test_lists_take_turns(era: str, turns: list[int]) -> None:
    """Until 5.15 from the second list on, and the more of the next the more are empty; since 6.0
    each to its end. From the tails: what was freed first goes first."""
    zone, pfns = lists_of_three(era)
    zone.log.clear()
    perform(zone, Op(Verb.DRAIN))

    queues = [pfns[:2], pfns[2:], []]
    assert [event.pfn for event in logged(zone, Kind.PCPU_DRAIN)] == [
        queues[turn].pop(0) for turn in turns
    ]


def test_since_6_0_the_list_that_was_freed_into_goes_first() -> None:
    """A free that drains begins with its own list. Before, it passes an empty one and so takes two
    blocks from the third, which holds two."""
    drained = {}
    for era in ("5.15", "6.1"):
        zone = zone_of(era, pages=64, top=4, pageblock=4, batch=2, high=6)
        mine = [perform(zone, Op(Verb.ALLOC, mt=UNMOVABLE)) for _ in range(4)]
        others = [perform(zone, Op(Verb.ALLOC, mt=RECLAIMABLE)) for _ in range(2)]
        perform(zone, Op(Verb.DRAIN))
        for pfn in (*others, *mine[:3]):
            perform(zone, Op(Verb.FREE, 0, pfn))
        zone.log.clear()
        perform(zone, Op(Verb.FREE, 0, mine[3]))
        names = dict.fromkeys(mine, "mine") | dict.fromkeys(others, "other")
        drained[era] = [names[event.pfn] for event in logged(zone, Kind.PCPU_DRAIN)]
    assert drained == {"5.15": ["other", "other"], "6.1": ["mine", "mine"]}


# --- hot and cold ones --------------------------------------------------------------------------

COLD = Op(Verb.ALLOC, cold=True)


def test_hot_and_cold_lists_of_2_6_11() -> None:
    """A batch of 16, as the thread of 2004 quotes. The hot list gets one when it holds 32 or fewer,
    and gives one back when it holds 96; the cold one when it is empty, and when it holds 32."""
    zone = zone_of("2.6.11", pages=65536)
    counts = []
    for _ in range(4):
        perform(zone, Op(Verb.ALLOC))
        counts.append(pcp(zone).count)
    assert counts == [15, 30, 45, 44]
    assert perform(zone, COLD) >= 0
    assert (pcp(zone).count, pcp(zone, 1).count) == (44, 15)

    pfns = [perform(zone, Op(Verb.ALLOC)) for _ in range(120)]
    perform(zone, Op(Verb.DRAIN))
    assert drains(zone, pfns) == [(97, 16), (113, 16)]
    assert pcp(zone).count == 88


def test_cold_frees_of_2_6_11_drain_at_two_batches() -> None:
    """The drain comes before the block is added: at the 33rd free, when 32 are there."""
    zone = zone_of("2.6.11", pages=65536)
    pfns = [perform(zone, Op(Verb.ALLOC)) for _ in range(50)]
    perform(zone, Op(Verb.DRAIN))
    seen = []
    for number, pfn in enumerate(pfns, 1):
        zone.log.clear()
        perform(zone, Op(Verb.FREE, 0, pfn, cold=True))
        if logged(zone, Kind.PCPU_DRAIN):
            seen.append(number)
    assert seen == [33, 49]
    assert pcp(zone).count == 0


def test_cold_blocks_are_at_the_other_end_in_4_10() -> None:
    """One list for both: warm blocks come and go at the front, cold ones at the tail."""
    zone = zone_of("4.10", pages=64, top=4, batch=4, high=99)
    first, *rest = allocs(zone, 4)
    perform(zone, Op(Verb.FREE, 0, rest[0]))
    perform(zone, Op(Verb.FREE, 0, rest[1], cold=True))
    assert list(pcp(zone).lists[0]) == [rest[0], rest[1]]
    assert perform(zone, COLD) == rest[1]
    assert perform(zone, Op(Verb.ALLOC)) == rest[0]
    assert first not in pcp(zone).lists[0]


def test_a_cold_refill_is_served_in_the_order_of_addresses_too() -> None:
    """Each block goes before the one that came before it, and the tail is served first."""
    got = {}
    for cold in (False, True):
        zone = zone_of("4.10", pages=64, top=4, batch=4, high=99)
        got[cold] = [perform(zone, Op(Verb.ALLOC, cold=cold)) for _ in range(4)]
    assert got[True] == got[False] == [48, 49, 50, 51]


# --- who may use the lists ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("era", "irq", "contended", "by_list"),
    [
        ("4.10", True, True, True),
        ("4.11-rc", True, False, False),
        ("4.11-rc", False, True, True),
        ("5.15", True, True, True),
        ("6.1", True, False, True),
        ("6.1", False, True, False),
        ("6.12", True, False, True),
        ("6.12", False, True, False),
    ],
)
def test_whoever_may_not_use_the_lists_goes_to_the_buddy(
    era: str, irq: bool, contended: bool, by_list: bool
) -> None:
    """4.11-rc: no interrupts, as in the thread of 2017. Since 6.0: not who loses the lock."""
    zone = zone_of(era, pages=64, top=4, batch=4, high=99)
    allocs(zone, 1)
    count, free = pcp(zone).count, zone.free_pages
    op = Op(Verb.ALLOC, irq=irq, contended=contended)
    pfn = perform(zone, op)
    assert (count - pcp(zone).count, free - zone.free_pages) == ((1, 0) if by_list else (0, 1))
    perform(zone, op._replace(verb=Verb.FREE, pfn=pfn))
    assert (pcp(zone).count, zone.free_pages) == (count, free)


def test_single_frames_from_interrupts_may_use_the_reserve_of_4_11_rc() -> None:
    """They come where larger ones are served, whose test of the order was not there yet."""
    for era, type_of_frame in (("4.10", MOVABLE), ("4.11-rc", HIGHATOMIC)):
        types = (MOVABLE, MOVABLE, HIGHATOMIC, MOVABLE)
        zone = zone_of(era, pages=64, top=4, pageblock=4, types=types, batch=4, high=99)
        pfn = perform(zone, Op(Verb.ALLOC, mt=MOVABLE, atomic=True, irq=True))
        assert zone.pageblocks[pfn // 16] is type_of_frame
