"""Watermarks against values computed apart from them, from mm/page_alloc.c."""

import pytest

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.migratetype import HIGHATOMIC, MOVABLE
from pagespec.ops import perform
from pagespec.verbs import Op, Verb
from pagespec.watermark.check import (
    Rights,
    RightsRule,
    free_for,
    has_order_by_counts,
    lowered,
    passes_fast,
)
from pagespec.watermark.marks import (
    MIN_FREE_RULES,
    Marks,
    MinFreeRule,
    boosted,
    lowmem_reserve,
    marks_by_scale,
    marks_by_shift,
    marks_of_quarters,
    marks_of_thirds,
    min_free_kbytes,
    share_of,
)


@pytest.mark.parametrize(
    ("managed", "kbytes", "marks"),
    [
        (4096, 512, (128, 160, 192)),
        (65536, 2048, (512, 640, 768)),
        (262144, 4096, (1024, 1286, 1548)),
        (1048576, 8192, (2048, 3096, 4144)),
        (4194304, 16384, (4096, 8290, 12484)),
        (16777216, 32768, (8192, 24969, 41746)),
    ],
)
def test_the_marks_of_one_zone(managed: int, kbytes: int, marks: tuple[int, int, int]) -> None:
    """Since 4.6, one zone, by default."""
    assert min_free_kbytes(4 * managed, MIN_FREE_RULES["256m"]) == kbytes
    assert marks_by_scale(share_of(kbytes, managed, managed), managed) == Marks(*marks)


@pytest.mark.parametrize(
    ("rule", "memory", "kbytes"),
    [
        ("root", 4 << 20, 2048),
        ("root", 1 << 30, 16384),
        ("64m", 1 << 30, 65536),
        ("256m", 1 << 33, 262144),
        ("256m", 64, 128),
    ],
)
def test_min_free_kbytes_has_limits(rule: MinFreeRule, memory: int, kbytes: int) -> None:
    """In KiB: 2.6.9 takes the plain root, and the upper limit has grown twice."""
    assert min_free_kbytes(memory, MIN_FREE_RULES[rule]) == kbytes


def test_the_gaps_have_changed() -> None:
    """A share of 1000 frames in 2.6.9, 2.6.11 and 2.6.24; of high memory limited to 128."""
    assert marks_of_thirds(1000) == Marks(1000, 2000, 3000)
    assert marks_of_quarters(1000) == Marks(1000, 1250, 1500)
    assert marks_by_shift(1000, 1000) == Marks(1000, 1250, 1500)
    assert marks_by_shift(1000, 128) == Marks(128, 378, 628)


def test_a_lower_zone_keeps_a_reserve() -> None:
    """DMA, DMA32, Normal: frames above, by the ratio of the zone. An empty zone keeps none."""
    assert lowmem_reserve([4000, 500000, 1500000], [256, 256, 32]) == [
        [0, 1953, 7812],
        [0, 0, 5859],
        [0, 0, 0],
    ]
    assert lowmem_reserve([0, 500000], [256, 256]) == [[0, 0], [0, 0]]
    assert lowmem_reserve([4000, 500000], [0, 0]) == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("rights", "rule", "mark"),
    [
        (Rights(high=True), "oom-instead", 513),
        (Rights(high=True, harder=True), "oom-instead", 385),
        (Rights(high=True, harder=True), "harder-needs-high", 385),
        (Rights(oom=True), "oom-instead", 513),
        (Rights(oom=True), "quarter-after", 1025),
        (Rights(harder=True), "oom-instead", 769),
        (Rights(harder=True), "quarter-after", 769),
        (Rights(harder=True), "harder-needs-high", 1025),
        (Rights(harder=True, oom=True), "oom-instead", 513),
        (Rights(), "oom-instead", 1025),
    ],
)
def test_rights_lower_the_minimum(rights: Rights, rule: RightsRule, mark: int) -> None:
    """A mark of 1025, by hand: halves and quarters are rounded down before they are taken off."""
    assert lowered(1025, rights, rule) == mark


@pytest.mark.parametrize(("nr_free", "passes"), [([40, 10], True), ([80, 0], False)])
def test_until_4_3_orders_were_counted_out(nr_free: list[int], passes: bool) -> None:
    """100 frames free, a mark of 50, order 2: 57 > 25 and 37 > 12; but 17 <= 25."""
    assert has_order_by_counts(100 - 3, 50, 2, nr_free) is passes


def test_the_request_leaves_its_frames_out() -> None:
    """A block of order 2 takes three frames beyond the one that any request takes."""
    assert free_for(100, 2, unusable=10) == 87


@pytest.mark.parametrize(
    ("free", "wraps", "passes"),
    [(111, False, True), (110, False, False), (-5, True, True), (-5, False, False)],
)
def test_the_shortcut_is_strict_and_once_wrapped(free: int, wraps: bool, passes: bool) -> None:
    """100 above a reserve of 10; a negative count passed until 5.15."""
    assert passes_fast(free, 0, 100, 10, wraps=wraps) is passes


def test_a_boost_has_a_limit() -> None:
    """Pageblocks of 512 frames: one more each time, up to one and a half of the high mark."""
    boost, seen = 0, []
    for _ in range(5):
        boost = boosted(boost, 1000, 1 << 18, 512)
        seen.append(boost)
    assert seen == [512, 1024, 1500, 1500, 1500]
    assert boosted(0, 1000, 2047, 512) == 0
    assert boosted(0, 100, 1 << 18, 512) == 512


@pytest.mark.parametrize(
    ("era", "marks"),
    [
        ("2.6.8", (1000, 2000, 3000)),
        ("2.6.11", (1000, 1250, 1500)),
        ("2.6.37", (1000, 1250, 1500)),
        ("4.10", (1000, 1250, 1500)),
        ("6.12", (1000, 1250, 1500)),
    ],
)
def test_zones_have_the_marks_of_their_era(era: str, marks: tuple[int, int, int]) -> None:
    """4000 KiB are 1000 frames, all of one zone; of 65536 a thousandth is 65, less than 250."""
    levels = boot(Machine(65536, 10, ERAS[era], min_free=4000)).levels
    assert levels is not None
    assert levels.marks == Marks(*marks)


@pytest.mark.parametrize(("era", "gap"), [("2.6.37", 256), ("4.10", 1048)])
def test_since_4_6_large_zones_have_wider_gaps(era: str, gap: int) -> None:
    """1048576 frames with 4096 KiB: a quarter of 1024 is 256, a thousandth of the zone 1048."""
    levels = boot(Machine(1048576, 10, ERAS[era], min_free=4096)).levels
    assert levels is not None
    assert levels.marks == Marks(1024, 1024 + gap, 1024 + 2 * gap)


@pytest.mark.parametrize(("era", "outcome"), [("5.15", True), ("6.1", False)])
def test_a_zone_of_5_15_serves_from_less_than_nothing(era: str, outcome: bool) -> None:
    """16 frames of the reserve are in use, so that they cannot be given; 8 others are free. The low
    mark is 12, and the request is served as if there were no end of frames."""
    types = (HIGHATOMIC, MOVABLE, MOVABLE, MOVABLE)
    zone = boot(Machine(64, 4, ERAS[era], pageblock=4, types=types, min_free=40))
    zone.free_area[4][HIGHATOMIC].clear()
    del zone.tag[0]
    zone.nr_free[4] -= 1
    zone.free_pages -= 16
    while zone.free_pages > 8:
        assert perform(zone, Op(Verb.ALLOC, mt=MOVABLE, emergency=True)) >= 0
    perform(zone, Op(Verb.REST))
    zone.log.clear()

    assert perform(zone, Op(Verb.ALLOC, mt=MOVABLE)) == (-1 if not outcome else 48 + 8)
    assert (Kind.KSWAPD in {event.kind for event in zone.log}) is not outcome
