"""The per-CPU lists' formulas against values computed apart from them, from mm/page_alloc.c."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MOVABLE, REQUESTED, UNMOVABLE
from pagespec.pcp.drain import from_preferred, round_robin
from pagespec.pcp.index import (
    LISTS,
    ListRule,
    is_kept,
    list_index,
    list_type,
    order_of_list,
)
from pagespec.pcp.sizes import (
    BATCH_RULES,
    BatchRule,
    Pageset,
    by_fraction,
    high_by_watermark,
    highest,
    hot_and_cold,
    raw_batch,
    six_batches,
)
from pagespec.pcp.tuning import (
    CALM,
    Doubling,
    Freed,
    Pressure,
    Tuned,
    after_alloc,
    after_drain,
    decay,
    drain_of,
    freed,
    frees_high,
    high_of,
    refill,
    taken,
)


@pytest.mark.parametrize(
    ("managed", "batches"),
    [
        (1024, (1, 0, 0)),
        (4096, (1, 0, 0)),
        (8192, (2, 1, 1)),
        # 3 and a half of it is 4, which is a power of two already.
        (12288, (3, 3, 3)),
        (16384, (4, 3, 3)),
        (65536, (16, 15, 15)),
        (131072, (16, 31, 31)),
        (262144, (16, 31, 63)),
        (16777216, (16, 31, 63)),
    ],
)
def test_a_batch_follows_from_the_zone(managed: int, batches: tuple[int, int, int]) -> None:
    """2.6.11, 2.6.24 to 4.18, and since. The thread of 2004 quotes 16 for a zone of 256 MiB."""
    rules: list[BatchRule] = ["256k", "512k-rounded", "1m-rounded"]
    assert tuple(raw_batch(managed, *BATCH_RULES[rule]) for rule in rules) == batches


def test_the_lists_of_2_6_11_are_sized_in_batches() -> None:
    """Hot lists keep two batches at least and six at most, cold ones none and two."""
    assert hot_and_cold(16) == (Pageset(32, 96, 16), Pageset(0, 32, 16))


@pytest.mark.parametrize(("raw", "pageset"), [(0, (0, 0, 1)), (31, (0, 186, 31))])
def test_until_5_12_high_is_six_batches(raw: int, pageset: tuple[int, int, int]) -> None:
    """A raw batch of 0 makes every free drain."""
    assert six_batches(raw) == pageset


@pytest.mark.parametrize(
    ("managed", "fraction", "high", "batch"), [(262144, 8, 32768, 96), (1000, 8, 125, 31)]
)
def test_a_fraction_sets_high(managed: int, fraction: int, high: int, batch: int) -> None:
    """percpu_pagelist_fraction: a quarter of high a batch, 96 at most."""
    assert by_fraction(managed, fraction) == Pageset(0, high, batch)


@pytest.mark.parametrize(
    ("managed", "low", "cpus", "high_min", "high_max"),
    [
        (1048576, 3096, 4, 774, 32768),
        (262144, 1286, 4, 321, 8192),
        (16777216, 24969, 64, 390, 32768),
    ],
)
def test_since_5_14_high_follows_from_the_low_mark(
    managed: int, low: int, cpus: int, high_min: int, high_max: int
) -> None:
    """Zones of 4 GiB, 1 GiB and 64 GiB with the marks that they have by default."""
    batch = max(1, raw_batch(managed, *BATCH_RULES["1m-rounded"]))
    assert (high_by_watermark(low, cpus, batch), highest(managed, cpus, batch)) == (
        high_min,
        high_max,
    )


@pytest.mark.parametrize(
    ("lengths", "pages", "taken_from"),
    [
        ([3, 3, 3], 5, [1, 2, 0, 1, 2]),
        ([0, 6, 0], 4, [1, 1, 1, 1]),
        ([2, 5, 0], 6, [1, 0, 0, 1, 1, 1]),
        ([0, 1, 6], 5, [1, 2, 2, 2, 2]),
    ],
)
def test_until_5_15_a_drain_goes_round(
    lengths: list[int], pages: int, taken_from: list[int]
) -> None:
    """Simulated from free_pcppages_bulk of 2.6.34 to 5.15, lists of single frames."""
    assert list(round_robin(lengths, pages, [1, 1, 1])) == taken_from


@pytest.mark.parametrize(
    ("preferred", "taken_from"), [(1, [1, 1, 1, 1, 1, 2]), (0, [0, 0, 1, 1, 1, 1])]
)
def test_since_6_0_a_drain_empties_the_preferred_list_first(
    preferred: int, taken_from: list[int]
) -> None:
    """Simulated from free_pcppages_bulk of 6.0 to 6.18, lists of single frames."""
    assert list(from_preferred([2, 5, 1], 6, [1, 1, 1], preferred)) == taken_from


def _sizes(lists: int) -> list[int]:
    return [2 ** order_of_list(index, huge=9) for index in range(lists)]


def test_a_drain_of_mixed_orders_counts_frames() -> None:
    """Simulated: eight single frames, two more of the next type, three pairs, one block of eight.

    It may take more than it was asked for: the last block counts whole.
    """
    lengths = [8, 2, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert list(round_robin(lengths, 10, _sizes(15))) == [1, 4, 4, 4, 9]
    assert list(from_preferred(lengths[:13], 10, _sizes(13), 4)) == [4, 4, 4, 9]
    assert list(from_preferred(lengths[:13], 10, _sizes(13), 0)) == [0] * 8 + [1, 1]


@pytest.mark.parametrize("drain", [round_robin, lambda a, b, c: from_preferred(a, b, c, 0)])
def test_a_drain_of_more_than_there_is_takes_all(drain: object) -> None:
    """Old kernels that were asked for more went round for ever."""
    assert callable(drain)
    assert sorted(drain([1, 0, 2], 99, [1, 1, 1])) == [0, 2, 2]


@pytest.mark.parametrize(
    ("rule", "order", "mt", "index"),
    [
        ("one", 0, MOVABLE, 0),
        ("types", 0, MOVABLE, 1),
        ("orders", 2, MOVABLE, 7),
        ("orders", 9, MOVABLE, 13),
        ("huge-alone", 9, UNMOVABLE, 12),
        ("huge-alone", 9, MOVABLE, 12),
        ("huge-by-movability", 2, MOVABLE, 7),
        ("huge-by-movability", 9, UNMOVABLE, 12),
        ("huge-by-movability", 9, MOVABLE, 13),
    ],
)
def test_a_list_has_a_number(rule: ListRule, order: int, mt: int, index: int) -> None:
    """order_to_pindex of 5.15, 6.0 and 6.12, and what was before."""
    assert list_index(rule, order, REQUESTED[mt]) == index
    assert order_of_list(index, huge=9) == order


@pytest.mark.parametrize("rule", list(LISTS))
def test_lists_are_numbered_without_gaps(rule: ListRule) -> None:
    """Every kept order and type has a list, every list an order and type."""
    kept = [order for order in range(11) if is_kept(rule, order, huge=9)]
    numbers = {list_index(rule, order, mt) for order in kept for mt in REQUESTED}
    assert numbers == set(range(LISTS[rule]))


def test_types_that_nobody_asks_for_are_listed_as_movable() -> None:
    """Isolated frames are not listed at all."""
    assert [list_type(mt) for mt in (*REQUESTED, HIGHATOMIC, CMA, ISOLATE)] == [
        *REQUESTED,
        MOVABLE,
        MOVABLE,
        None,
    ]


def _drains(zone: Pressure, frees: int) -> list[tuple[int, int, int, int]]:
    """At which free a list of 5.15 drains, how much, what is left, and the factor after."""
    load, count, seen = Doubling(high=774, batch=63), 0, []
    for free in range(1, frees + 1):
        count += 1
        if count >= high_of(load, zone):
            drain = drain_of(load, count, zone)
            load = after_drain(load, zone)
            count -= drain
            seen.append((free, drain, count, load.factor))
    return seen


def test_drains_of_5_15_double() -> None:
    """Computed: batch 63, high 774, frees of single frames only."""
    assert _drains(CALM, 2430) == [
        (774, 63, 711, 1),
        (837, 126, 648, 2),
        (963, 252, 522, 3),
        (1215, 504, 270, 4),
        (1719, 711, 63, 4),
        (2430, 711, 63, 4),
    ]


def test_drains_of_5_15_stay_small_under_reclaim() -> None:
    """Computed: the same while kswapd runs."""
    assert _drains(Pressure(reclaiming=True), 630) == [
        (252, 63, 189, 1),
        (315, 126, 126, 2),
        (441, 189, 63, 2),
        (630, 189, 63, 2),
    ]


def test_an_allocation_halves_the_next_drain() -> None:
    """And a boot page set, whose high is 0, drains one frame a free and never doubles."""
    assert after_alloc(Doubling(774, 63, factor=3)).factor == 1
    boot = Doubling(high=0, batch=1)
    assert drain_of(boot, 1, CALM) == 1
    assert after_drain(boot, CALM) == boot


def test_higher_orders_empty_the_lists_of_6_1() -> None:
    """Once drains have begun to double, a freed block of order 1 to 3 flushes all."""
    load = Doubling(774, 63, factor=1)
    assert [frees_high(load, order) for order in range(5)] == [False, True, True, True, False]
    assert drain_of(load, 68, CALM, free_high=True) == 68
    assert after_drain(load, CALM, free_high=True) == load


TUNED = Tuned(high_min=774, high_max=32768, batch=63)


def test_refills_of_6_12_double() -> None:
    """Computed: allocations of single frames only."""
    load, seen = TUNED, []
    for _ in range(7):
        asked, load = refill(load, 0, 0, CALM)
        seen.append((asked, load.high, load.factor))
    assert seen == [
        (63, 837, 1),
        (126, 963, 2),
        (252, 1215, 3),
        (504, 1719, 4),
        (1008, 2727, 5),
        (2016, 4743, 5),
        (2016, 6759, 5),
    ]


@pytest.mark.parametrize(("order", "blocks"), [(2, 15), (9, 2)])
def test_refills_of_higher_orders_are_a_batch_of_frames(order: int, blocks: int) -> None:
    """Computed: two blocks at least."""
    assert refill(TUNED, order, 0, CALM)[0] == blocks


def test_a_list_that_keeps_nothing_refills_one_block() -> None:
    """As after zone_pcp_disable, which sets both bounds to 0."""
    assert refill(Tuned(0, 0, batch=1), 0, 0, CALM) == (1, Tuned(0, 0, batch=1))


def _frees(zone: Pressure, frees: int, order: int = 0) -> list[tuple[int, int, int, int]]:
    """At which count a list of 6.12 drains, how much, high after, and the frames freed of late."""
    load, count, seen = TUNED, 0, []
    for _ in range(frees):
        count += 1 << order
        load, drain = freed(load, order, count, zone)
        if drain:
            seen.append((count, drain, load.high, load.freed))
            count -= min(count, drain)
    return seen


def test_drains_of_6_12_follow_the_frees() -> None:
    """Computed: frees of single frames only, from an empty list."""
    assert _frees(CALM, 1600)[:2] == [(774, 711, 837, 774), (837, 774, 1611, 1548)]
    assert _frees(Pressure(below_high=True), 800)[0] == (774, 711, 774, 774)
    assert [row[:2] for row in _frees(Pressure(reclaiming=True), 700)] == [(252, 189)] * 3


def test_frees_of_order_2_flush_the_lists_of_6_12() -> None:
    """Computed: the 17th free flushes its 68 frames, then each its own 4."""
    rows = _frees(CALM, 20, order=2)
    assert [row[:2] for row in rows] == [(68, 68), (4, 4), (4, 4), (4, 4)]


def test_a_large_data_cache_lets_a_flush_wait_for_a_batch() -> None:
    """FREE_HIGH_BATCH: after the first flush the next waits until a batch has gathered."""
    load = TUNED._replace(waits=True, high=774, freed=200, high_order=True)
    assert freed(load, 2, 8, CALM).drain == 0
    assert freed(load, 2, 64, CALM).drain == 64


def test_what_was_freed_counts_half_at_each_request() -> None:
    """And a fixed high does not move."""
    assert taken(TUNED._replace(freed=101)).freed == 50
    fixed = Tuned(500, 500, batch=63)
    assert refill(fixed, 0, 0, CALM)[1].high == 500


def test_high_decays_to_its_least() -> None:
    """The periodic worker takes an eighth off, and drains what is above."""

    def decays(load: Tuned, count: int, times: int) -> Sequence[Freed]:
        rows = [Freed(load, 0)]
        for _ in range(times):
            rows.append(decay(rows[-1].load, count))
        return rows[1:]

    rows = decays(TUNED._replace(high=1611), 0, 8)
    assert [row.load.high for row in rows] == [1410, 1234, 1080, 945, 827, 774, 774, 774]
    assert all(row.drain == 0 for row in rows)
    highs = [row.load.high for row in decays(TUNED._replace(high=32768), 20000, 20)]
    assert all(after <= before for before, after in pairwise(highs))
    assert highs[-1] == 20000 - (63 << 5)
