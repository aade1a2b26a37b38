"""How much refills and drains move, on tiny traces: batches of 3 frames, drains at 12.

What a free or a refill must move is worked out by hand from the rules of docs/traces.md.
"""

from tests.kernel.cpulists import (
    IDLE,
    allocs,
    broken,
    by,
    causes,
    drains,
    frees,
    play,
    takes,
    used,
)

from pagefuzz.kernel.era import LOGGED, STEALING
from pagefuzz.kernel.findings import COUNT, DRAIN, LIFO, REFILL, Findings
from pagefuzz.kernel.percpu.causes import AGED, DRY, EXACT, WHOLE, WITHIN
from pagefuzz.kernel.percpu.load import CALM, CLAMPED, DOUBLED, FLUSH, RECLAIMING

AWAKE = by(1, "mm_vmscan_kswapd_wake: nid=0 order=0", task="kswapd0-9")
ASLEEP = by(1, "mm_vmscan_kswapd_sleep: nid=0", task="kswapd0-9")
TWELVE = range(64, 76)
FULL = [ASLEEP, *used(64, 24), *frees(*TWELVE)]
"""CPU 0 has taken 24 frames and freed 12: at the last line a batch is due."""


def left(*pfns: int) -> list[str]:
    """Allocations of frames that are still listed, in the order in which they were freed."""
    return allocs(*reversed(pfns))


def test_a_refill_is_a_batch_of_frames() -> None:
    for count in (2, 4):
        wrong = takes(*range(64, 64 + count))
        assert broken(play(*wrong, *allocs(64))) == [(REFILL, 1)]
    found = play(*takes(64, 65, 66), *allocs(64), *takes(68, 70, order=1), *allocs(68, order=1))
    assert broken(found) == []
    assert causes(found, REFILL, "refill") == {CALM: 2}
    assert broken(play(*takes(68, order=1), *allocs(68, order=1))) == [(REFILL, 1)]


def test_a_batch_of_one_frame_is_one_block_of_any_order() -> None:
    pagesets = (IDLE._replace(batch=1),)
    for order in (0, 1, 2):
        life = takes(64, order=order)
        assert broken(play(*life, *allocs(64, order=order), pagesets=pagesets)) == []


def test_a_refill_is_short_only_if_the_buddy_has_no_more() -> None:
    all_but_one = [line for pfn in range(64, 240, 16) for line in _large(pfn)]
    rest = [line for pfn in (240, 244, 248) for line in _pairs(pfn)]
    found = play(*all_but_one, *rest, *takes(252, order=2), *allocs(252, order=2))
    assert causes(found, REFILL, "refill") == {CALM: 3, DRY: 1}
    assert REFILL not in {law for law, _ in broken(found)}
    assert broken(play(*all_but_one, *takes(240, order=2), *allocs(240, order=2))) == [(REFILL, 23)]


def _large(pfn: int) -> list[str]:
    return [*takes(pfn, order=4), *allocs(pfn, order=4)]


def _pairs(pfn: int) -> list[str]:
    return [*takes(pfn, pfn + 2, order=1), *allocs(pfn, pfn + 2, order=1)]


def test_a_free_drains_a_batch_when_the_lists_are_full() -> None:
    found = play(*FULL, *drains(64, 65, 66))
    assert broken(found) == []
    assert causes(found, DRAIN, "drain") == {CALM: 1}
    for drained in (0, 2, 4):
        found = play(*FULL, *drains(*TWELVE[:drained]), *left(*TWELVE[drained:]))
        assert broken(found) == [(DRAIN, 62 if drained else 61)]
    early = [*FULL[:-1], *drains(64, 65, 66), *left(*TWELVE[3:-1])]
    assert broken(play(*early)) == [(DRAIN, 61)]


def test_drains_double_until_something_is_allocated() -> None:
    again = [*FULL, *drains(64, 65, 66), *frees(76, 77, 78)]
    found = play(*again, *drains(67, 68, 69, 70, 71, 72))
    assert broken(found) == []
    assert broken(play(*again, *drains(67, 68, 69), *left(*range(70, 79)))) == [(DRAIN, 68)]
    calm = [*FULL, *drains(64, 65, 66), *allocs(75), *frees(75, 76, 77, 78)]
    assert broken(play(*calm, *drains(67, 68, 69))) == []
    assert broken(play(*calm, *drains(*range(67, 73)), *left(*range(73, 79)))) == [(DRAIN, 70)]


def test_a_free_of_a_higher_order_flushes_the_lists_once_they_drain() -> None:
    pair = [*takes(100, 102, order=1), *allocs(100, 102, order=1)]
    full = [ASLEEP, *used(64, 24), *pair, *frees(*TWELVE), *drains(64, 65, 66)]
    flush = [*drains(100, order=1), *drains(*range(67, 76))]
    found = play(*full, *frees(100, order=1), *flush)
    assert broken(found) == []
    assert causes(found, DRAIN, "drain") == {CALM: 1, FLUSH: 1}
    assert broken(play(*full, *frees(100, order=1), *flush[:-1], *left(75))) == [(DRAIN, 70)]
    kept = play(*full, *frees(100, order=1), *allocs(100, order=1))
    assert broken(kept) == [(DRAIN, 69)]


def test_a_drain_begins_with_the_list_of_the_free() -> None:
    pair = [*takes(100, 102, order=1), *allocs(100, 102, order=1)]
    full = [ASLEEP, *used(64, 24), *pair, *frees(100, order=1), *frees(*TWELVE[:10])]
    rest = left(*range(67, 74))
    assert broken(play(*full, *drains(64, 65, 66), *rest, *allocs(100, order=1))) == []
    assert broken(play(*full, *drains(100, order=1), *drains(64), *left(*range(65, 74)))) == [
        (DRAIN, 65)
    ]


def test_lists_keep_less_while_kswapd_may_be_at_work() -> None:
    pagesets = (IDLE._replace(high=30),)
    used_up = used(64, 24)
    due = [*frees(*TWELVE), *drains(64, 65, 66)]
    due += left(*TWELVE[3:])
    assert broken(play(ASLEEP, *used_up, *due, pagesets=pagesets)) == [(DRAIN, 62)]
    found = play(AWAKE, *used_up, *due, pagesets=pagesets)
    assert broken(found) == []
    assert causes(found, DRAIN, "drain") == {RECLAIMING: 1}


def test_another_cpu_may_drain_all() -> None:
    listed = [ASLEEP, *used(64, 24), *frees(*TWELVE[:6])]
    remote = [by(1, line) for line in drains(*TWELVE[:6])]
    found = play(*listed, *remote)
    assert broken(found) == []
    assert causes(found, DRAIN, "drain") == {WHOLE: 1}
    assert broken(play(*listed, *remote[:5], *allocs(69))) == [(DRAIN, 56)]


def test_one_cpu_drains_two_cpus_lists_in_one_run() -> None:
    mine = [*used(64, 24), *frees(*TWELVE[:4])]
    its = [by(1, line) for line in (*used(88, 6), *frees(88, 89))]
    found = play(ASLEEP, *mine, *its, by(0, "mm_x: y"), *drains(*TWELVE[:4]), *drains(88, 89))
    assert broken(found) == []
    assert causes(found, DRAIN, "drain") == {WHOLE: 2}


def test_a_batch_goes_back_to_another_node() -> None:
    listed = [ASLEEP, *used(64, 24), *frees(*TWELVE[:6])]
    batch = [by(0, line, task="kworker/0:1-7") for line in drains(64, 65, 66)]
    found = play(*listed, *batch, *left(67, 68, 69))
    assert broken(found) == []
    assert causes(found, DRAIN, "drain") == {AGED: 1}
    assert broken(play(*listed, *batch[:2], *left(66, 67, 68, 69))) == [(DRAIN, 56)]
    assert broken(play(*listed, *drains(64, 65, 66), *left(67, 68, 69))) == [(DRAIN, 56)]


def test_the_count_is_zoneinfos() -> None:
    listed = [ASLEEP, *used(64, 24), *frees(64, 65)]
    kept = (IDLE._replace(pages=2), IDLE)
    found = play(*listed, *allocs(65), *frees(65), later=kept)
    assert broken(found) == []
    assert causes(found, COUNT, "count") == {WITHIN: 1, EXACT: 1}
    for pages in (3, 25):
        wrong = (IDLE._replace(pages=pages), IDLE)
        assert [law for law, _ in broken(play(*listed, later=wrong))] == [COUNT]


ANY = IDLE._replace(high=100, pages=6)
KNOWN = [line for _ in range(6) for line in (*allocs(8), *frees(8))]
"""Frees halve what refills doubled and requests what was freed: after these, both start anew."""


def grown(*lines: str) -> Findings:
    """Replay events of 6.12; the zone has 4 GiB, so that lists may keep more than is seen here."""
    return play(*KNOWN, *lines, era=STEALING, pagesets=(ANY,))


def test_refills_double_until_something_is_freed() -> None:
    first, second = used(64, 3), [*takes(*range(67, 73)), *allocs(*range(67, 73))]
    hidden = allocs(8, *range(10, 15))
    found = grown(*hidden, *first, *second)
    assert broken(found) == []
    assert causes(found, REFILL, "refill") == {CALM: 1, DOUBLED: 1}
    assert [law for law, _ in broken(grown(*hidden, *first, *used(67, 3)))] == [REFILL]
    assert broken(grown(*hidden, *first, *frees(64), *allocs(64), *used(67, 3))) == []


def refills(*lengths: int) -> list[str]:
    """Refills of so many frames, each used up; what was listed before the start is used first."""
    lines, pfn = [*KNOWN, *allocs(8, *range(10, 15)), ASLEEP], 64
    for frames in lengths:
        lines += [*takes(*range(pfn, pfn + frames)), *allocs(*range(pfn, pfn + frames))]
        pfn += frames
    return lines


def test_a_doubled_refill_ends_where_the_lists_are_full() -> None:
    """A zone of 192 frames lets one CPU keep 24. A batch of them stays free: 21 at most."""
    sizes = (IDLE._replace(high=24, pages=6),)
    found = play(*refills(3, 6, 12, 21), era=STEALING, pagesets=sizes, managed=192)
    assert broken(found) == []
    assert causes(found, REFILL, "refill") == {CALM: 1, DOUBLED: 2, CLAMPED: 1}
    for last in (22, 24):
        wrong = play(*refills(3, 6, 12, last), era=STEALING, pagesets=sizes, managed=192)
        assert [law for law, _ in broken(wrong)] == [REFILL]


def test_a_drain_is_as_much_as_was_freed_of_late() -> None:
    """One CPU of a zone of 96 frames keeps 12, no more and no less; a batch of them stays."""
    sizes = (IDLE._replace(high=12, pages=6),)
    full = [*refills(3, 6, 9), *frees(*TWELVE)]
    found = play(*full, *drains(*TWELVE[:9]), era=STEALING, pagesets=sizes, managed=96)
    assert broken(found) == []
    assert causes(found, DRAIN, "drain") == {CALM: 1}
    for drained in (0, 8, 10):
        rest = [*drains(*TWELVE[:drained]), *left(*TWELVE[drained:])]
        wrong = play(*full, *rest, era=STEALING, pagesets=sizes, managed=96)
        assert [law for law, _ in broken(wrong)] == [DRAIN]


def test_lists_that_zoneinfo_does_not_tell_are_not_judged_by_size() -> None:
    """CPU 3 was off at the snapshot; the order of its lists is judged all the same."""
    for era in (LOGGED, STEALING):
        life = [by(3, line) for line in (*takes(64, 65), *allocs(65, 64), *frees(64))]
        found = play(*life, *[by(3, line) for line in drains(64)], era=era)
        assert broken(found) == [(LIFO, 3)]
        assert (found.passed[REFILL], found.passed[DRAIN]) == (1, 1)
