"""Facts about types from the kernel's own text, beside what the spec makes of them.

Source: mm/page_alloc.c and include/linux/mmzone.h, 4.10, 5.15, 6.1 and 6.12.
"""

from itertools import product

import pytest

from pagespec.buddy import types_part
from pagespec.era import ERAS
from pagespec.highatomic import reserve_limit
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, ISOLATE, MOVABLE, RECLAIMABLE, UNMOVABLE
from pagespec.zone import empty_zone

ORDINARY = (UNMOVABLE, MOVABLE, RECLAIMABLE)
KEPT = (HIGHATOMIC, CMA, ISOLATE)
PARTED = {
    "2.6.37": set(),
    # One of the two is isolated.
    "4.10": {(mt, ISOLATE) for mt in (*ORDINARY, HIGHATOMIC, CMA)},
    "5.15": {(mt, ISOLATE) for mt in (*ORDINARY, HIGHATOMIC, CMA)},
    # One of the two is none of the three that requests have: migratetype_is_mergeable.
    "6.1": {*product(ORDINARY, KEPT), (HIGHATOMIC, CMA), (HIGHATOMIC, ISOLATE), (CMA, ISOLATE)},
    "6.12": {*product(ORDINARY, KEPT), (HIGHATOMIC, CMA), (HIGHATOMIC, ISOLATE), (CMA, ISOLATE)},
}


@pytest.mark.parametrize("era", PARTED)
def test_which_types_part_buddies(era: str) -> None:
    """Either way round, and no type from itself."""
    zone = empty_zone(Machine(pages=8, top=2, era=ERAS[era], pageblock=1))

    for one, other in product((*ORDINARY, *KEPT), repeat=2):
        due = (one, other) in PARTED[era] or (other, one) in PARTED[era]
        assert types_part(zone, one, other) is due


@pytest.mark.parametrize(
    ("era", "pages", "pageblock", "limit"),
    [
        # managed / 100 + pageblock_nr_pages
        ("4.10", 1_000_000, 9, 10_512),
        ("5.15", 1_000_000, 9, 10_512),
        ("6.1", 262_144, 9, 2_621 + 512),
        ("6.1", 4_096, 9, 40 + 512),
        # ALIGN_UP(managed / 100, pageblock_nr_pages), and nothing below one pageblock
        ("6.12", 1_000_000, 9, 10_240),
        ("6.12", 262_144, 9, 3_072),
        ("6.12", 51_200, 9, 512),
        ("6.12", 51_199, 9, 0),
    ],
)
def test_where_the_reserve_stops(era: str, pages: int, pageblock: int, limit: int) -> None:
    """About one percent of the zone: rounded down with one pageblock more, or rounded up."""
    zone = empty_zone(Machine(pages=pages, top=10, era=ERAS[era], pageblock=pageblock))

    assert reserve_limit(zone) == limit
