"""What each CPU is at when a trace begins or ends is not judged: the rest of it is not there."""

import random
from pathlib import Path

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
    used,
)
from tests.kernel.material import BUNDLED, altered, kind_of, lines_of, name_of, start_of
from tests.kernel.tiny import BUDDIES, laws, take
from tests.kernel.tiny import play as play_types

from pagefuzz.exits import Exit
from pagefuzz.kernel import check_run
from pagefuzz.kernel.era import STEALING
from pagefuzz.kernel.findings import DRAIN, LIFO, LIST, REFILL
from pagefuzz.kernel.percpu.causes import HEAD
from pagespec.migratetype import UNMOVABLE

FULL = [*used(64, 12), *frees(*range(64, 76))]
CUTS = 10


def by_other(*lines: str) -> list[str]:
    return [by(1, line) for line in lines]


def test_the_last_refill_of_a_cpu_may_go_on() -> None:
    short = takes(64, 65)
    assert broken(play(*short)) == [(REFILL, 1)]
    found = play(*short, cut=True)
    assert broken(found) == []
    assert found.passed[REFILL] == 1
    other = by_other(*takes(70, 71, 72), *allocs(70))
    assert broken(play(*short, *other, cut=True)) == []
    assert broken(play(*short, *allocs(64), cut=True)) == [(REFILL, 1)]


def test_the_last_drain_of_a_cpu_may_go_on() -> None:
    rest = by_other(*drains(*range(66, 76)))
    short = [*FULL, *drains(64, 65), *rest]
    assert broken(play(*FULL, *drains(64, 65, 66), *rest[1:])) == []
    assert broken(play(*short)) == [(DRAIN, len(FULL) + 1)]
    found = play(*short, cut=True)
    assert broken(found) == []
    assert found.passed[DRAIN] == 2
    assert (LIFO, len(FULL) + 1) in broken(play(*FULL, *drains(65, 64), *rest, cut=True))
    assert broken(play(*short, *allocs(30), cut=True))[0] == (DRAIN, len(FULL) + 1)


def test_the_last_free_of_a_cpu_may_drain() -> None:
    other = by_other(*drains(*range(64, 76)))
    later = [*FULL, *other]
    assert broken(play(*later)) == [(DRAIN, len(FULL))]
    assert broken(play(*later, cut=True)) == []
    assert broken(play(*FULL, *allocs(75), *other[:-1], cut=True)) == [(DRAIN, len(FULL))]


def test_frees_of_the_last_batch_may_be_listed_later() -> None:
    batch = [*FULL[:-1], *frees(30, 31)]
    other = by_other(*drains(*range(64, 75), 30, 31))
    assert broken(play(*batch, *other)) == [(DRAIN, len(FULL)), (DRAIN, len(FULL) + 1)]
    assert broken(play(*batch, *other, cut=True)) == []
    listed = [*batch, event("free_batched", 30), event("free_batched", 31)]
    assert broken(play(*listed, *other, cut=True)) == [(DRAIN, len(FULL) + 2)]
    assert broken(play(*listed[:-1], *other[:-2], *other[:-3:-1], cut=True)) == []


def test_the_first_refill_of_a_cpu_may_have_begun_before() -> None:
    rest = by_other(*takes(66), *allocs(64, 65, 66))
    found = play(*rest, before=by_other(*takes(64, 65)))
    assert broken(found, before=2) == []
    assert found.passed[REFILL] == 1
    assert causes(found, LIFO, "allocation") == {HEAD: 3}
    ended = play(*rest, before=by_other(*takes(64, 65), *allocs(60)))
    assert broken(ended, before=3) == [(REFILL, 1), (LIFO, 2), (LIFO, 3)]


def test_a_cpu_that_was_silent_before_may_have_been_at_anything() -> None:
    short = [*takes(66), *allocs(66)]
    assert broken(play(*by_other(*short))) == []
    assert broken(play(*short)) == [(REFILL, 1)]  # CPU 0 marked the start


@pytest.mark.parametrize(("last", "passed"), [(drains(10), 1), (frees(10), 1), (allocs(10), 0)])
def test_the_first_drain_of_a_cpu_may_have_begun_before(last: list[str], passed: int) -> None:
    pagesets = IDLE, IDLE._replace(pages=2)
    run, before = by_other(*drains(8, 9)), by_other(*last)
    found = play(*run, pagesets=pagesets, before=before, later=(IDLE, IDLE))
    assert broken(found) == []
    assert found.passed[DRAIN] == passed


def test_the_claim_that_explains_a_list_may_lie_behind_the_end() -> None:
    wrong = take(16, UNMOVABLE)
    assert laws(play_types(STEALING, BUDDIES, wrong)) == [LIST]
    found = play_types(STEALING, BUDDIES, wrong, cut=True)
    assert laws(found) == []
    assert found.passed[LIST] == 1


@pytest.mark.parametrize("trace", BUNDLED, ids=name_of)
@pytest.mark.parametrize("kind", ["mm_page_alloc_zone_locked", "mm_page_pcpu_drain"])
def test_a_real_trace_may_end_anywhere(trace: Path, kind: str, tmp_path: Path) -> None:
    lines = lines_of(trace)
    places = [at for at in range(start_of(lines), len(lines)) if kind_of(lines[at]) == kind]
    for at in random.Random(kind).sample(places, CUTS):
        report = check_run(altered(trace, tmp_path, lines[: at + 1]))
        assert report.findings.broken == [], at
        assert report.exit is Exit.HELD
