"""The floor of events: what a run must have met before its silence means anything."""

from pathlib import Path

import pytest
from tests.fuzz.material import plan_of

from pagefuzz.campaign.floor import floor_of
from pagefuzz.campaign.plan import Result
from pagefuzz.campaign.verdict import Offer, exits_of, floor_for, summary_of
from pagefuzz.campaign.walk import FUZZED_ERAS
from pagefuzz.coverage import (
    HUGE,
    Crowd,
    Met,
    Reached,
    events_between,
    events_from_outside,
    events_in_crowd,
    events_of,
    is_crowded,
    name_of_event,
    pair,
)
from pagefuzz.exits import Exit, worst
from pagefuzz.late import Late
from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.events import Event, Kind
from pagespec.laws.law import Level
from pagespec.machine import Machine
from pagespec.migratetype import LETTERS, MOVABLE, RECLAIMABLE, UNMOVABLE
from pagespec.ops import perform
from pagespec.types import FAULT, NO_MEMORY, Refusal
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import copy_of

ALL = frozenset(Verb)
PLAIN = frozenset({Verb.ALLOC, Verb.FREE})
REFERENCES = PLAIN | {Verb.GET, Verb.PUT}


@pytest.mark.parametrize("era", FUZZED_ERAS, ids=lambda era: era.name)
def test_the_exact_floor_has_every_branch_at_every_order(era: Era) -> None:
    """Every order is split, merged, handed out, taken back and refused; each refusal is met."""
    floor = floor_of(era, "exact", 5, REFERENCES)

    for kind in (Kind.ALLOC, Kind.FREE, Kind.FAIL):
        assert {(kind, order) for order in range(6)} <= floor
    assert {order for kind, order in floor if kind is Kind.SPLIT} == {1, 2, 3, 4, 5}
    assert {order for kind, order in floor if kind is Kind.MERGE} == {0, 1, 2, 3, 4}
    assert {order for kind, order in floor if kind is Kind.REFUSE} == {
        Refusal.BAD_ORDER,
        Refusal.OUTSIDE,
        Refusal.MISALIGNED,
        Refusal.HOLE,
        Refusal.WRONG_ORDER,
        Refusal.INTERIOR,
        Refusal.DOUBLE,
        Refusal.NEVER_GIVEN,
    }
    assert (Kind.KEPT, 0) in floor


def branches(era: str) -> set[Kind]:
    """The kinds of events that an allocator without the whole vocabulary need not meet."""
    more = floor_of(ERAS[era], "exact", 3, ALL) - floor_of(ERAS[era], "exact", 3, REFERENCES)
    return {kind for kind, _ in more if isinstance(kind, Kind)}


CELLS = {Kind.TOLD_MORE, Kind.TOLD_LESS, Kind.READ_OUT}
RANGES = {Kind.ISOLATED, Kind.RESTORED, Kind.OFFLINE, Kind.ONLINE}
FALLBACK = {Kind.MOVED, Kind.TAKEN, Kind.CLAIMED, Kind.SINGLE, Kind.MIXED, Kind.EXTFRAG}


@pytest.mark.parametrize(
    ("before", "era", "more", "less"),
    [
        ("2.6.8", "2.6.11", set(), set()),
        ("2.6.11", "2.6.37", RANGES | FALLBACK | CELLS | {Kind.RESERVE_LAST}, set()),
        ("2.6.37", "2.6.39", {Kind.LOWERED, Kind.RAISED}, set()),
        (
            "2.6.39",
            "4.10",
            {Kind.CMA_LAST, Kind.RESERVED, Kind.UNRESERVED, Kind.RESERVE_USED}
            | {Kind.REMERGED, Kind.RANGE, Kind.UNDONE, Kind.GUARDED, Kind.UNGUARDED},
            {Kind.RESERVE_LAST},
        ),
        ("4.10", "4.11-rc", {Kind.BARRED}, set()),
        (
            "4.11-rc",
            "5.8",
            {Kind.SMALLEST, Kind.CMA_FIRST, Kind.BOOSTED},
            {Kind.BARRED},
        ),
        ("5.8", "5.15", {Kind.POISONED, Kind.BULK, Kind.FILLED}, set()),
        ("5.15", "6.1", {Kind.BARRIER, Kind.CUT, Kind.HEALED, Kind.BARRED}, set()),
        (
            "6.1",
            "6.12",
            {Kind.RETYPE, Kind.RESERVE_LAST},
            {Kind.MIXED, Kind.GUARDED, Kind.UNGUARDED},
        ),
    ],
)
def test_each_era_has_branches_of_its_own(
    before: str, era: str, more: set[Kind], less: set[Kind]
) -> None:
    """What a release brought must be met from then on, and what it ended no longer."""
    assert branches(era) - branches(before) == more
    assert branches(before) - branches(era) == less


@pytest.mark.parametrize(
    ("era", "top", "orders"),
    [
        ("2.6.8", 10, {0}),
        ("5.8", 10, {0}),
        ("5.15", 2, {0, 1, 2}),
        ("6.12", 10, {0, 1, 2, 3, HUGE}),
    ],
)
@pytest.mark.parametrize("kind", [Kind.REFILL, Kind.FROM_LIST, Kind.TO_LIST, Kind.PCPU_DRAIN])
def test_lists_must_be_used_at_each_order_that_they_keep(
    era: str, top: int, orders: set[int], kind: Kind
) -> None:
    """Single frames alone until 5.12; then orders up to 3, and the huge one, whatever it is."""
    floor = floor_of(ERAS[era], "exact", top, ALL)

    assert {number for met, number in floor if met is kind} == orders


@pytest.mark.parametrize(
    ("era", "pairs"),
    [
        # Whoever takes more than the block itself names its own list.
        ("2.6.37", {"UU", "EE", "MM", "UE", "UM", "ME", "MU"}),
        ("4.10", {"UE", "UM", "EU", "EM", "ME", "MU"}),
        ("6.12", {"UE", "UM", "EU", "EM", "ME", "MU"}),
    ],
)
def test_every_fallback_must_be_met(era: str, pairs: set[str]) -> None:
    """Each type of request is served by each type of block that the table names."""
    floor = floor_of(ERAS[era], "exact", 3, ALL)

    assert {number for kind, number in floor if kind is Kind.EXTFRAG} == {
        pair(*(LETTERS[letter] for letter in letters)) for letters in pairs
    }


def test_events_are_told_apart_by_what_matters() -> None:
    """Orders of blocks, reasons of refusals, pairs of fallbacks; of the rest each is one event."""
    log = [
        Event(Kind.SPLIT, 8, 3),
        Event(Kind.SPLIT, 4, 3),
        Event(Kind.MOVED, 8, 3, MOVABLE),
        Event(Kind.MOVED, 8, 2, UNMOVABLE),
        Event(Kind.EXTFRAG, 8, 0, MOVABLE, 3, RECLAIMABLE),
        Event(Kind.REFUSE, 8, Refusal.HOLE),
        Event(Kind.FROM_LIST, 8, 3),
        Event(Kind.FROM_LIST, 512, 9),
        Event(Kind.FROM_LIST, 32, 5),
    ]

    assert events_of(log) == {
        (Kind.SPLIT, 3): 2,
        (Kind.MOVED, 0): 2,
        (Kind.EXTFRAG, pair(MOVABLE, RECLAIMABLE)): 1,
        (Kind.REFUSE, Refusal.HOLE): 1,
        (Kind.FROM_LIST, HUGE): 2,
        (Kind.FROM_LIST, 3): 1,
    }
    assert name_of_event((Kind.FROM_LIST, HUGE)).endswith("the order of huge pages")
    assert name_of_event((Kind.EXTFRAG, pair(MOVABLE, RECLAIMABLE))).endswith(
        "MOVABLE from RECLAIMABLE"
    )


def test_a_crowd_is_nine_tenths_of_the_memory() -> None:
    """What happens in it is counted by itself: requests, failures, and fallbacks as far as told."""
    assert [is_crowded(20, given_out) for given_out in (17, 18, 20)] == [False, True, True]
    fallback = Event(Kind.EXTFRAG, 8, 0, MOVABLE, 3, RECLAIMABLE)

    assert list(events_in_crowd(8, ())) == [(Crowd.ASKED, 0)]
    assert list(events_in_crowd(8, [fallback])) == [(Crowd.ASKED, 0), (Crowd.FELL_BACK, 0)]
    assert list(events_in_crowd(NO_MEMORY, ())) == [(Crowd.ASKED, 0), (Crowd.FAILED, 0)]


def test_the_floor_follows_the_era() -> None:
    """Blocks go to the tail where the era puts them there, and nowhere else."""
    tails = {
        era.name: {order for kind, order in floor_of(era, "exact", 4, ALL) if kind is Kind.TAIL}
        for era in FUZZED_ERAS
    }

    assert tails["2.6.8"] == tails["2.6.11"] == set()
    assert tails["2.6.37"] == tails["6.12"] == {0, 1, 2}


def test_the_floor_follows_what_is_offered() -> None:
    """Nobody must reach references that the allocator does not count."""
    floor = floor_of(ERAS["6.1"], "exact", 4, PLAIN)

    assert not {kind for kind, _ in floor} & {Kind.GET, Kind.KEPT, Kind.TAILS, Kind.ISOLATED}


OUTSIDE = {Kind.ALLOC, Kind.FREE, Kind.FAIL, Kind.REFUSE, Crowd.ASKED, Crowd.FAILED}


@pytest.mark.parametrize(
    ("level", "kinds"), [("outside", OUTSIDE), ("refines", OUTSIDE | {Kind.SPLIT, Kind.MERGE})]
)
def test_the_floor_is_what_the_level_shows(level: Level, kinds: set[Kind | Crowd]) -> None:
    """From outside a refusal and a failure show; free blocks show splits and merges too."""
    floor = floor_of(ERAS["6.1"], level, 2, ALL)

    assert {kind for kind, _ in floor} == kinds


def test_splits_and_merges_show_in_the_free_blocks() -> None:
    """What two states show is what the spec logs between them."""
    zone = boot(Machine(16, 3, ERAS["6.1"]))
    ops = [Op(Verb.ALLOC, 0), Op(Verb.ALLOC, 1), Op(Verb.FREE, 0, 0), Op(Verb.FREE, 1, 2)]
    for op in ops:
        before = copy_of(zone)
        zone.log.clear()
        outcome = perform(zone, op)
        logged = [(e.kind, e.order) for e in zone.log if e.kind in (Kind.SPLIT, Kind.MERGE)]

        assert sorted(events_between(before, op, outcome, zone), key=str) == sorted(logged, key=str)


@pytest.mark.parametrize(
    ("op", "outcome", "events"),
    [
        (Op(Verb.ALLOC, 2), 8, [(Kind.ALLOC, 2)]),
        (Op(Verb.ALLOC, 2), NO_MEMORY, [(Kind.FAIL, 2)]),
        (Op(Verb.FREE, 1, 8), 0, [(Kind.FREE, 1)]),
        (Op(Verb.FREE, 1, 8), Refusal.DOUBLE, [(Kind.REFUSE, Refusal.UNSAID)]),
        (Op(Verb.FREE, 1, 8), Refusal.UNSAID, [(Kind.REFUSE, Refusal.UNSAID)]),
        (Op(Verb.FREE, 1, 8), FAULT, []),
        (Op(Verb.PUT, 0, 8), 0, []),
    ],
)
def test_events_from_outside(op: Op, outcome: Outcome, events: list[tuple[Kind, int]]) -> None:
    """A request and its outcome tell what happened, as far as a caller can know."""
    assert list(events_from_outside(op, outcome)) == events


def end_of(plan_eras: tuple[str, ...], reached: Reached, law: str | None = None) -> Exit:
    plan = plan_of(Path(), eras=plan_eras, gears=("walk",))
    result = Result(0, "walk", "6.1", reached=reached, law=law)
    return worst(exits_of(summary_of(plan, Offer("exact", ALL, frozenset()), [result], [])))


WHOLE = floor_for(plan_of(Path(), gears=("walk",)), Offer("exact", ALL, frozenset()), ERAS["6.1"])
"""What the gear must meet in one era."""


@pytest.mark.parametrize("lost", sorted(WHOLE, key=repr), ids=repr)
def test_one_event_less_is_vacuous(lost: Met) -> None:
    """A run that has not met one of the events is inconclusive, and the event can be named."""
    assert end_of(("6.1",), Reached(WHOLE)) is Exit.HELD
    assert end_of(("6.1",), Reached(WHOLE - {lost})) is Exit.INCONCLUSIVE
    assert name_of_event(lost)


def test_only_who_takes_cells_must_meet_what_they_are_for() -> None:
    """An allocator that serves all else owes no telling; and hosts let lists of far zones rest."""
    exact, era = ALL - {Verb.REFRESH}, ERAS["6.1"]
    plan, hosts = (plan_of(Path(), gears=(gear,)) for gear in ("walk", "hosts"))

    of_cells: set[Met] = {(kind, 0) for kind in CELLS | {Kind.LOWERED, Kind.RAISED}}
    of_cells |= {(Verb.REFRESH, 0), (Late.PASSED, 0), (Late.MISSED, 0)}
    assert WHOLE - floor_for(plan, Offer("exact", exact, frozenset()), era) == of_cells
    rested = (Kind.RESTED, 0)
    assert rested in floor_for(hosts, Offer("exact", ALL, frozenset()), era)
    assert rested not in floor_for(hosts, Offer("exact", exact, frozenset()), era)
    assert rested not in floor_for(hosts, Offer("exact", ALL, frozenset()), ERAS["2.6.11"])


def test_an_era_without_a_unit_is_vacuous() -> None:
    """What one era has met says nothing of another."""
    assert end_of(("6.1", "6.12"), Reached(WHOLE)) is Exit.INCONCLUSIVE


def test_a_broken_law_outweighs_a_missing_event() -> None:
    """A finding is a finding, however short the run was."""
    assert end_of(("6.1",), Reached(), law="BUD-count") is Exit.BROKEN
