"""Illegal requests about pages, ranges, places, the reserve and CPUs: why each is refused."""

from typing import Any, NamedTuple

import pytest
from tests.spec.breakages_typed import grouped
from tests.spec.rows import zone_after

from pagespec.era import ERAS
from pagespec.events import Event, Kind
from pagespec.laws.holdings import due_refusal
from pagespec.migratetype import CMA, HIGHATOMIC, LETTER_OF, MOVABLE, UNMOVABLE
from pagespec.ops import STEPS, perform
from pagespec.steps import run
from pagespec.types import REFUSED, Refusal, Refused
from pagespec.verbs import Op, Verb
from pagespec.zone import STATE, Zone, copy_of


class Row(NamedTuple):
    """A request that is refused, and the frame that the error names."""

    due: Refusal
    zone: Zone
    op: Op
    named: int


def ranged(verb: Verb, pfn: int, pages: int, **words: Any) -> Op:
    return Op(verb, 0, pfn, pages=pages, **words)


ISOLATION, RESTORE = ranged(Verb.ISOLATE, 8, 8), ranged(Verb.RESTORE, 8, 8, mt=MOVABLE)
OFFLINE, ONLINE = ranged(Verb.OFFLINE, 8, 8), ranged(Verb.ONLINE, 8, 8)
RANGE, GIVE = ranged(Verb.CONTIG, 9, 2, mt=MOVABLE), Op(Verb.UNRESERVE, mt=MOVABLE)
LARGE = Op(Verb.ALLOC, 3, mt=MOVABLE)
HALF = ranged(Verb.ISOLATE, 8, 4)

UNGROUPED = zone_after()
PLAIN, OLD = grouped("6.1", "MMMM"), grouped("2.6.37", "MMMM")
CUT = grouped("6.1", "MMMM", pages=15, start=1)  # the outer pageblocks are cut
HOLED = grouped("6.1", "MMMM", holes=((13, 14),))
APART, OLD_APART = grouped("6.1", "MMMM", ISOLATION), grouped("2.6.37", "MMMM", ISOLATION)
HALF_APART = grouped("6.1", "MMMM", HALF)
NEXT = grouped("6.1", "MMMM", HALF, ranged(Verb.ISOLATE, 4, 4))
AWAY = grouped("6.1", "MMMM", ISOLATION, OFFLINE)
BUSY = grouped("6.1", "MMMM", LARGE, LARGE, ISOLATION)
FULL = grouped("6.1", "MMMM", LARGE, LARGE)
BOUND = grouped("6.1", "MMMM", Op(Verb.ALLOC, 1, compound=True))
FAILED = grouped("6.1", "MMMM", Op(Verb.POISON, 0, 5))

TYPED = [
    # What the era or the machine does not have.
    Row(Refusal.UNSUPPORTED, UNGROUPED, GIVE, 0),
    Row(Refusal.UNSUPPORTED, OLD, GIVE._replace(mt=CMA), 0),
    Row(Refusal.UNSUPPORTED, UNGROUPED, ISOLATION, 0),
    Row(Refusal.UNSUPPORTED, UNGROUPED, RESTORE._replace(mt=UNMOVABLE), 0),
    Row(Refusal.UNSUPPORTED, UNGROUPED, OFFLINE._replace(pages=0), 0),
    Row(Refusal.UNSUPPORTED, UNGROUPED, ONLINE, 0),
    Row(Refusal.UNSUPPORTED, UNGROUPED, RANGE, 0),
    Row(Refusal.UNSUPPORTED, OLD, RANGE._replace(mt=CMA), 0),
    Row(Refusal.UNSUPPORTED, grouped("4.10", "MMMM"), Op(Verb.POISON, 0, 99), 0),
    Row(Refusal.UNSUPPORTED, grouped("5.15", "MMMM"), Op(Verb.HEAL, 0, 99), 0),
    # Types that no such request has.
    Row(Refusal.BAD_TYPE, PLAIN, Op(Verb.ALLOC, 0, mt=CMA), 0),
    Row(Refusal.BAD_TYPE, UNGROUPED, Op(Verb.ALLOC, 0, mt=HIGHATOMIC), 0),
    Row(Refusal.BAD_TYPE, PLAIN, GIVE._replace(mt=HIGHATOMIC), 0),
    Row(Refusal.BAD_TYPE, APART, RESTORE._replace(mt=UNMOVABLE), 0),
    Row(Refusal.BAD_TYPE, OLD_APART, RESTORE._replace(mt=CMA), 0),
    Row(Refusal.BAD_TYPE, PLAIN, RANGE._replace(mt=HIGHATOMIC, pages=0), 0),
    # Ranges that are none.
    Row(Refusal.BAD_RANGE, PLAIN, ranged(Verb.ISOLATE, 6, 4), 6),
    Row(Refusal.BAD_RANGE, PLAIN, ranged(Verb.ISOLATE, 8, 6), 8),
    Row(Refusal.BAD_RANGE, PLAIN, ranged(Verb.ISOLATE, 8, 0), 8),
    Row(Refusal.BAD_RANGE, PLAIN, ranged(Verb.ISOLATE, 12, 8), 12),
    Row(Refusal.BAD_RANGE, CUT, ranged(Verb.ISOLATE, 0, 4), 0),
    Row(Refusal.BAD_RANGE, HOLED, ISOLATION, 8),
    Row(Refusal.BAD_RANGE, grouped("5.15", "MMMM"), HALF, 8),
    Row(Refusal.BAD_RANGE, APART, RESTORE._replace(pages=5, mt=UNMOVABLE), 8),
    Row(Refusal.BAD_RANGE, APART, OFFLINE._replace(pfn=9), 9),
    Row(Refusal.BAD_RANGE, AWAY, ONLINE._replace(pages=16), 8),
    Row(Refusal.BAD_RANGE, PLAIN, RANGE._replace(pages=0), 8),
    Row(Refusal.BAD_RANGE, PLAIN, RANGE._replace(pfn=15), 12),
    Row(Refusal.BAD_RANGE, APART, RESTORE._replace(pages=4), 8),
    # Ranges that are isolated, or beside such a one in 6.1; and the other way round.
    Row(Refusal.ISOLATED, APART, ISOLATION, 8),
    Row(Refusal.ISOLATED, NEXT, ranged(Verb.ISOLATE, 0, 16), 4),
    Row(Refusal.ISOLATED, HALF_APART, ranged(Verb.ISOLATE, 12, 4), 12),
    Row(Refusal.ISOLATED, APART, RANGE, 8),
    Row(Refusal.NOT_ISOLATED, PLAIN, RESTORE, 8),
    Row(Refusal.NOT_ISOLATED, HALF_APART, RESTORE, 12),
    Row(Refusal.NOT_ISOLATED, AWAY, RESTORE, 8),
    Row(Refusal.NOT_ISOLATED, PLAIN, OFFLINE, 8),
    Row(Refusal.NOT_ISOLATED, AWAY, OFFLINE, 8),
    Row(Refusal.NOT_OFFLINE, PLAIN, ONLINE, 8),
    Row(Refusal.NOT_OFFLINE, APART, ONLINE, 8),
    # Frames that are not free.
    Row(Refusal.NOT_FREE, FULL, HALF, 12),
    Row(Refusal.NOT_FREE, FULL, ranged(Verb.ISOLATE, 12, 4), 12),
    Row(Refusal.NOT_FREE, FULL, Op(Verb.POISON, 0, 3), 3),
    Row(Refusal.NOT_FREE, FAILED, Op(Verb.POISON, 0, 5), 5),
    Row(Refusal.NOT_FREE, AWAY, Op(Verb.POISON, 0, 9), 9),
    Row(Refusal.NOT_FREE, BUSY, OFFLINE, 8),
    Row(Refusal.NOT_FREE, APART, OFFLINE._replace(pages=4), 8),
    Row(Refusal.NOT_POISONED, PLAIN, Op(Verb.HEAL, 0, 5), 5),
    Row(Refusal.OUTSIDE, PLAIN, Op(Verb.POISON, 0, 16), 16),
    Row(Refusal.OUTSIDE, CUT, Op(Verb.HEAL, 0, 0), 0),
    Row(Refusal.HOLE, HOLED, Op(Verb.POISON, 0, 13), 13),
    Row(Refusal.HOLE, HOLED, Op(Verb.HEAL, 0, 13), 13),
    # Blocks that cannot be split into pages.
    Row(Refusal.BAD_ORDER, FULL, Op(Verb.SPLIT, 4, 0), 0),
    Row(Refusal.OUTSIDE, FULL, Op(Verb.SPLIT, 3, 16), 16),
    Row(Refusal.MISALIGNED, FULL, Op(Verb.SPLIT, 3, 4), 4),
    Row(Refusal.HOLE, HOLED, Op(Verb.SPLIT, 0, 13), 13),
    Row(Refusal.INTERIOR, FULL, Op(Verb.SPLIT, 2, 4), 4),
    Row(Refusal.WRONG_ORDER, FULL, Op(Verb.SPLIT, 2, 0), 0),
    Row(Refusal.NEVER_GIVEN, PLAIN, Op(Verb.SPLIT, 3, 8), 8),
    Row(Refusal.DOUBLE, grouped("6.1", "MM", LARGE, Op(Verb.FREE, 3, 0)), Op(Verb.SPLIT, 3, 0), 0),
    Row(Refusal.COMPOUND, BOUND, Op(Verb.SPLIT, 1, 0), 0),
]


LISTED, ONE = zone_after(cpus=2, era=ERAS["6.12"]), zone_after(cpus=1, era=ERAS["6.12"])
AWAY_1 = zone_after(Op(Verb.ALLOC), Op(Verb.UNPLUG, cpu=1), cpus=2, era=ERAS["6.12"])
OFF = zone_after(Op(Verb.DISABLE), cpus=2, era=ERAS["6.12"])
PAIR, SIX = zone_after(cpus=2, era=ERAS["2.6.11"]), zone_after(cpus=2, era=ERAS["4.10"])
TWO, MARKED = zone_after(cpus=2, era=ERAS["6.1"]), zone_after(min_free=8, era=ERAS["6.1"])


def bulk(pages: int, **words: Any) -> Op:
    return Op(Verb.BULK, pages=pages, **words)


OF_CPUS = [
    # What machines without lists, or eras, do not have.
    *[
        Row(Refusal.UNSUPPORTED, UNGROUPED, Op(verb, cpu=9), 0)
        for verb in (Verb.DRAIN, Verb.DISABLE, Verb.ENABLE, Verb.AGE, Verb.EXPIRE, Verb.BULK)
    ],
    *[Row(Refusal.UNSUPPORTED, ONE, Op(verb, cpu=9), 0) for verb in (Verb.UNPLUG, Verb.PLUG)],
    *[Row(Refusal.UNSUPPORTED, PAIR, Op(verb, cpu=9), 0) for verb in (Verb.AGE, Verb.EXPIRE)],
    *[Row(Refusal.UNSUPPORTED, SIX, Op(verb), 0) for verb in (Verb.DISABLE, Verb.ENABLE)],
    Row(Refusal.UNSUPPORTED, SIX, bulk(0), 0),
    Row(Refusal.UNSUPPORTED, TWO, Op(Verb.AGE), 0),
    Row(Refusal.UNSUPPORTED, LISTED, Op(Verb.ENABLE), 0),
    Row(Refusal.UNSUPPORTED, OFF, Op(Verb.DISABLE), 0),
    Row(Refusal.UNSUPPORTED, LISTED, Op(Verb.REST), 0),
    # CPUs that there are not, or that do not run.
    *[
        Row(Refusal.BAD_CPU, zone, Op(verb, cpu=cpu), 0)
        for verb in (Verb.ALLOC, Verb.DRAIN, Verb.AGE, Verb.EXPIRE, Verb.UNPLUG)
        for zone, cpu in ((LISTED, 2), (LISTED, -1), (AWAY_1, 1))
    ],
    Row(Refusal.BAD_CPU, UNGROUPED, Op(Verb.ALLOC, cpu=1), 0),
    Row(Refusal.BAD_CPU, AWAY_1, Op(Verb.FREE, 0, 0, cpu=1), 0),
    Row(Refusal.BAD_CPU, AWAY_1, Op(Verb.PUT, 0, 0, cpu=1), 0),
    Row(Refusal.BAD_CPU, AWAY_1, bulk(1, cpu=1), 0),
    Row(Refusal.BAD_CPU, AWAY_1, Op(Verb.UNPLUG, cpu=0), 0),
    Row(Refusal.BAD_CPU, AWAY_1, Op(Verb.PLUG, cpu=0), 0),
    Row(Refusal.BAD_CPU, LISTED, Op(Verb.PLUG, cpu=2), 0),
    # More outward reasons first.
    Row(Refusal.BAD_ORDER, LISTED, Op(Verb.ALLOC, 9, cpu=2), 0),
    Row(Refusal.BAD_TYPE, LISTED, Op(Verb.ALLOC, mt=CMA, cpu=2), 0),
    Row(Refusal.NEVER_GIVEN, LISTED, Op(Verb.FREE, 0, 5, cpu=2), 5),
    *[Row(Refusal.BAD_RANGE, TWO, bulk(pages, mt=CMA, cpu=2), 0) for pages in (-1, 0, 257)],
    Row(Refusal.BAD_TYPE, TWO, bulk(256, mt=CMA, cpu=2), 0),
]
ROWS = [*TYPED, *OF_CPUS]


def named(row: Row) -> str:
    machine, op = row.zone.machine, row.op
    return f"{row.due.name} {op.verb.value} {op.pfn}+{op.pages}/{op.cpu} {machine.era.name}"


def subject_of(row: Row) -> str:
    """What the sentence begins with: the value that is to blame, or the block."""
    op = row.op
    match row.due:
        case Refusal.UNSUPPORTED:
            return f"era {row.zone.machine.era.name}: "
        case Refusal.BAD_TYPE:
            return f"type {LETTER_OF[op.mt]}: "
        case Refusal.BAD_CPU:
            return f"cpu {op.cpu}: "
        case Refusal.BAD_RANGE if op.verb is Verb.BULK:
            return f"slots {op.pages}: "
    return f"pfn {row.named} order "


@pytest.mark.parametrize("row", ROWS, ids=map(named, ROWS))
def test_a_refusal_says_why_and_changes_nothing(row: Row) -> None:
    """The value, the fact and what was expected; all that is left is the event. The law agrees."""
    zone, error = copy_of(row.zone), REFUSED[row.due]

    with pytest.raises(Refused) as caught:
        run(STEPS[row.op.verb](zone, row.op))

    assert type(caught.value) is error
    assert str(caught.value).startswith(subject_of(row))
    assert f": {error.fact}" in str(caught.value)
    assert "; expected " in str(caught.value)
    assert zone.log == [Event(Kind.REFUSE, row.named, row.due)]
    assert all(getattr(zone, name) == getattr(row.zone, name) for name in STATE)
    assert due_refusal(zone, row.op) is row.due


def test_their_siblings_are_served() -> None:
    """What is refused above is refused for what it says: these differ in that alone."""
    for zone, op in [
        (PLAIN, ISOLATION),
        (grouped("6.1", "MMMM", ranged(Verb.ISOLATE, 4, 4)), ranged(Verb.ISOLATE, 8, 4)),
        (grouped("6.12", "MMMM", HALF), ranged(Verb.ISOLATE, 12, 4)),
        (grouped("6.12", "MMMM", LARGE, LARGE), HALF),
        (FULL, ISOLATION),
        (APART, RESTORE),
        (APART, RESTORE._replace(mt=CMA)),
        (APART, OFFLINE),
        (AWAY, ONLINE),
        (PLAIN, RANGE),
        (PLAIN, Op(Verb.POISON, 0, 5)),
        (FAILED, Op(Verb.HEAL, 0, 5)),
        (FULL, Op(Verb.SPLIT, 3, 0)),
        (grouped("6.1", "MHMM"), GIVE._replace(force=True)),
        (LISTED, Op(Verb.AGE, cpu=1)),
        (LISTED, Op(Verb.DISABLE)),
        (LISTED, Op(Verb.UNPLUG, cpu=0)),
        (AWAY_1, Op(Verb.PLUG, cpu=1)),
        (AWAY_1, Op(Verb.FREE, 0, 0, cpu=0)),
        (OFF, Op(Verb.ENABLE)),
        (SIX, Op(Verb.EXPIRE, cpu=1)),
        (PAIR, Op(Verb.DRAIN, cpu=1)),
        (UNGROUPED, Op(Verb.DRAIN_ALL)),
        (TWO, bulk(256)),
        (MARKED, Op(Verb.REST)),
    ]:
        assert due_refusal(zone, op) is None
        assert perform(copy_of(zone), op) >= 0
