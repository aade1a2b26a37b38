"""The order of CPUs' lists on tiny traces: who takes which block, and why another one."""

import pytest
from tests.kernel.cpulists import (
    IDLE,
    allocs,
    broken,
    by,
    causes,
    drains,
    event,
    frees,
    play,
    takes,
)

from pagefuzz.kernel.findings import LIFO, REFILL
from pagefuzz.kernel.percpu.causes import (
    BULK,
    CAPTURED,
    DIRECT,
    EMPTIED,
    EMPTY,
    HEAD,
    HIDDEN,
    MAYBE,
    PAST,
    STACK,
    TAIL,
)
from pagespec.migratetype import UNMOVABLE

SIX = [*takes(64, 65, 66), *allocs(64, 65, 66), *takes(67, 68, 69), *allocs(67, 68, 69)]


def test_a_refill_is_handed_out_in_its_order() -> None:
    found = play(*takes(64, 65, 66), *allocs(64, 65, 66))
    assert broken(found) == []
    assert causes(found, LIFO, "allocation") == {HEAD: 3}
    assert broken(play(*takes(64, 65, 66), *allocs(65, 64, 66))) == [(LIFO, 4)]


def test_the_last_freed_is_the_next_allocated() -> None:
    life = [*takes(64, 65, 66), *allocs(64, 65), *frees(64, 65)]
    assert broken(play(*life, *allocs(65, 64, 66))) == []
    assert broken(play(*life, *allocs(64, 65, 66))) == [(LIFO, 8)]
    assert broken(play(*life, *allocs(66, 65, 64))) == [(LIFO, 8)]


def test_the_first_freed_is_the_next_drained() -> None:
    by_other = [by(1, line) for line in drains(64, 65, 66)]
    found = play(*SIX, *frees(64, 65, 66), *by_other)
    assert broken(found) == []
    assert causes(found, LIFO, "drained block") == {TAIL: 3}
    wrong = [by_other[1], by_other[0], by_other[2]]
    assert broken(play(*SIX, *frees(64, 65, 66), *wrong)) == [(LIFO, 16)]


def test_each_cpu_type_and_order_has_a_list_of_its_own() -> None:
    other = [by(1, line) for line in allocs(64)]
    assert broken(play(*takes(64, 65, 66), *other)) == [(LIFO, 4)]
    wrong = event("alloc", 64, mt=UNMOVABLE)
    assert broken(play(*takes(64, 65, 66), wrong)) == [(LIFO, 4)]
    pairs = [*takes(72, 74, order=1), *allocs(72, 74, order=1)]
    mixed = [*SIX, *pairs, *frees(64), *frees(72, order=1)]
    assert broken(play(*mixed, *allocs(64), *allocs(72, order=1))) == []


def test_a_free_is_listed_where_its_batch_is() -> None:
    """Frees are printed together; they are on the list when they are repeated, one by one."""
    batch = [*SIX, *frees(64, 65, 66)]
    listed = [event("free_batched", pfn) for pfn in (64, 65, 66)]
    assert broken(play(*batch, *listed, *allocs(66))) == []
    late = [*batch, listed[0], *allocs(64), *listed[1:]]
    assert broken(play(*late)) == []
    assert broken(play(*batch, *allocs(64, 66, 65))) == [(LIFO, 16)]


@pytest.mark.parametrize(("frames", "cause"), [(4, STACK), (3, BULK), (8, STACK)])
def test_what_a_bulk_request_took_is_freed_next_or_never(frames: int, cause: str) -> None:
    pagesets = (IDLE._replace(batch=15),)
    refill = takes(*range(64, 79))
    taken = range(64, 64 + frames)
    alloc = allocs(64 + frames)
    for after in ([], frees(*taken)):
        found = play(*refill, *alloc, *after, pagesets=pagesets)
        assert broken(found) == []
        assert causes(found, LIFO, "allocation") == {cause: 1}
    for after in (allocs(taken[1]), drains(taken[1])):
        assert broken(play(*refill, *alloc, *after, pagesets=pagesets))[0] == (LIFO, 16)


def test_no_bulk_request_takes_a_larger_block() -> None:
    refill = takes(64, 66, order=1)
    assert broken(play(*refill, *allocs(66, order=1))) == [(LIFO, 3)]


def test_a_bulk_request_may_empty_a_list() -> None:
    found = play(*takes(64, 65, 66), *allocs(64), *takes(67, 68, 69), *allocs(67))
    assert broken(found) == []
    assert causes(found, LIFO, "refill") == {EMPTY: 1, EMPTIED: 1}
    later = play(*takes(64, 65, 66), *allocs(64), *takes(67, 68, 69), *allocs(67, 65))
    assert broken(later) == [(LIFO, 5), (LIFO, 8)]


def test_blocks_from_before_the_start_lie_beneath_and_are_counted() -> None:
    pagesets = (IDLE._replace(pages=2),)
    found = play(*allocs(8, 9), pagesets=pagesets)
    assert broken(found) == []
    assert causes(found, LIFO, "allocation") == {HIDDEN: 2}
    assert broken(play(*allocs(8, 9, 10), pagesets=pagesets)) == [(LIFO, 3)]
    assert broken(play(*takes(64, 65, 66), *allocs(8), pagesets=pagesets)) == [(LIFO, 4)]
    # Frame 10 was allocated before; freed, it lies on top of what is hidden.
    assert broken(play(*frees(10), *allocs(8, 10), pagesets=pagesets)) == [(LIFO, 2)]


def test_a_free_that_loses_the_lock_goes_to_the_buddy() -> None:
    irq = [by(0, line, "..s..") for line in frees(64)]
    found = play(*SIX, *irq, *takes(64, 70, 71), *allocs(64))
    assert broken(found) == []
    assert causes(found, LIFO, "free") == {PAST: 1}


def test_a_request_that_loses_the_lock_goes_to_the_buddy() -> None:
    one = [by(0, line, "..s..") for line in (*takes(67), *allocs(67))]
    found = play(*takes(64, 65, 66), *allocs(64), *one, *allocs(65, 66))
    assert broken(found) == []
    assert causes(found, REFILL, "refill")[DIRECT] == 1
    calm = play(*takes(64, 65, 66), *allocs(64), *takes(67), *allocs(67, 65, 66))
    assert (REFILL, 5) in broken(calm)


def test_a_captured_block_was_on_no_list() -> None:
    begin = "mm_compaction_begin: zone_start=0x0 migrate_pfn=0x0 free_pfn=0x100 zone_end=0x100"
    end = "mm_compaction_end: zone_start=0x0 migrate_pfn=0x0 free_pfn=0x100 zone_end=0x100"
    found = play(begin, end, *allocs(64, order=3))
    assert broken(found) == []
    assert causes(found, LIFO, "allocation") == {CAPTURED: 1}
    assert broken(play(*allocs(64, order=3))) == [(LIFO, 1)]


def test_a_block_whose_list_no_event_shows_may_lie_on_another() -> None:
    """Frames 64 to 66 were on one list, but nothing says that their pageblock is of that type."""
    found = play(*SIX, *frees(65, 64), *allocs(65))
    assert broken(found) == []
    assert causes(found, LIFO, "allocation") == {HEAD: 6, MAYBE: 1}
    assert broken(play(*SIX, *frees(65, 64), *allocs(65, 64))) == [(LIFO, 15)]
