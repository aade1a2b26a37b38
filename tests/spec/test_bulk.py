"""Bulk requests: what they fill, and each reason to settle for one frame. Worked out by hand.

Source: mm/page_alloc.c (__alloc_pages_bulk, alloc_pages_bulk_noprof), 5.15 to 6.12.
"""

from typing import Any

import pytest

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

BULKS = ("5.15", "6.1", "6.12")
TUNED = ("6.1", "6.12")


def zone_of(era: str, pages: int = 64, **machine: Any) -> Zone:
    """A zone of one CPU, with a batch of 4."""
    fields = {"top": 4, "cpus": 1, "batch": 4, "high": 99, **machine}
    return boot(Machine(pages, era=ERAS[era], **fields))


def bulk(zone: Zone, pages: int, **words: Any) -> int:
    zone.log.clear()
    return perform(zone, Op(Verb.BULK, pages=pages, **words))


def slots(zone: Zone) -> list[int]:
    """The slots that are filled."""
    return sorted(zone.slots.values())


def by_list(zone: Zone) -> int:
    """How many frames the last request took from the CPU's list."""
    return sum(event.kind is Kind.BULK for event in zone.log)


def free_slot(zone: Zone, slot: int) -> None:
    """Give the frame of a slot back, which empties the slot."""
    pfn = next(pfn for pfn, number in zone.slots.items() if number == slot)
    assert perform(zone, Op(Verb.FREE, 0, pfn)) == 0
    assert slot not in slots(zone)


@pytest.mark.parametrize("era", BULKS)
def test_all_slots_are_filled_from_the_list(era: str) -> None:
    """Five frames need two batches of four; each frame is counted, none is printed."""
    zone = zone_of(era)
    assert bulk(zone, 5) == 5
    assert (slots(zone), by_list(zone), zone.pgalloc) == ([0, 1, 2, 3, 4], 5, 5)
    assert Kind.ALLOC not in {event.kind for event in zone.log}
    assert zone.held.keys() == zone.slots.keys()


@pytest.mark.parametrize("era", BULKS)
def test_only_empty_slots_are_filled(era: str) -> None:
    """Slots 1 and 3 are; what is there stays, and the number counts what was there."""
    zone = zone_of(era)
    bulk(zone, 5)
    before = dict(zone.slots)
    for slot in (1, 3):
        free_slot(zone, slot)
    assert bulk(zone, 5) == 5
    assert by_list(zone) == 2
    assert all(zone.slots[pfn] == slot for pfn, slot in before.items() if slot not in (1, 3))


@pytest.mark.parametrize("era", BULKS)
def test_a_full_array_is_left_alone(era: str) -> None:
    """Not even one more frame is taken."""
    zone = zone_of(era)
    bulk(zone, 3)
    assert bulk(zone, 3) == 3
    assert bulk(zone, 2) == 2
    assert len(zone.held) == 3


@pytest.mark.parametrize("era", BULKS)
def test_one_frame_is_had_in_the_ordinary_way(era: str) -> None:
    """Where one slot is wanted, or one behind those that are filled."""
    zone = zone_of(era)
    assert (bulk(zone, 1), by_list(zone)) == (1, 0)
    assert Kind.ALLOC in {event.kind for event in zone.log}
    assert (bulk(zone, 2), by_list(zone)) == (2, 0)


@pytest.mark.parametrize("era", BULKS)
def test_what_lies_behind_the_first_empty_slot_is_not_looked_at(era: str) -> None:
    """One slot of three is empty, the first, and it is filled from the list all the same."""
    zone = zone_of(era)
    bulk(zone, 3)
    free_slot(zone, 0)
    assert (bulk(zone, 3), by_list(zone)) == (3, 1)


@pytest.mark.parametrize("era", BULKS)
def test_a_zone_near_its_low_mark_gives_one_frame(era: str) -> None:
    """The marks are 10, 12 and 14: 64 free frames are more than 12 + 51, and not than 12 + 52."""
    for pages, number in ((51, 51), (52, 1)):
        zone = zone_of(era, min_free=40)
        assert bulk(zone, pages) == number
        assert by_list(zone) == (0 if number == 1 else number)


@pytest.mark.parametrize("era", TUNED)
def test_whoever_loses_the_lock_gets_one_frame(era: str) -> None:
    """From the buddy: the lists are not for it either."""
    zone = zone_of(era)
    bulk(zone, 2)
    kept = zone.pcps[0][0].count
    assert (bulk(zone, 6, contended=True), by_list(zone)) == (3, 0)
    assert zone.pcps[0][0].count == kept


def without_frames(era: str) -> Zone:
    """A zone of eight frames, three in the first slots, the others held; the list is empty."""
    zone = zone_of(era, pages=8, top=3)
    bulk(zone, 3)
    while perform(zone, Op(Verb.ALLOC)) >= 0:
        pass
    return zone


@pytest.mark.parametrize("era", BULKS)
def test_a_list_that_runs_dry_ends_the_request(era: str) -> None:
    """Five frames are left for nine slots."""
    zone = zone_of(era, pages=8, top=3)
    bulk(zone, 3)
    assert (bulk(zone, 12), by_list(zone)) == (8, 5)
    assert slots(zone) == list(range(8))


@pytest.mark.parametrize(("era", "tries"), [("5.15", 0), ("6.1", 1), ("6.12", 1)])
def test_where_the_first_frame_is_not_to_be_had(era: str, tries: int) -> None:
    """Later eras try the ordinary way once; 5.15 only if no slot is filled at all."""
    zone = without_frames(era)
    assert bulk(zone, 6) == 3
    assert sum(event.kind is Kind.FAIL for event in zone.log) == tries

    for slot in range(3):
        free_slot(zone, slot)
    while perform(zone, Op(Verb.ALLOC)) >= 0:
        pass
    assert bulk(zone, 6) == 0
    assert sum(event.kind is Kind.FAIL for event in zone.log) == 1


def test_a_bulk_request_teaches_drains_nothing() -> None:
    """Single requests halve what the next drain takes; those in bulk do not (5.15)."""
    zone = zone_of("5.15", batch=2, high=8)
    pfns = [perform(zone, Op(Verb.ALLOC)) for _ in range(8)]
    perform(zone, Op(Verb.DRAIN))
    for pfn in pfns:
        perform(zone, Op(Verb.FREE, 0, pfn))
    learnt = zone.pcps[0][0].load
    bulk(zone, 3)
    assert zone.pcps[0][0].load == learnt
    perform(zone, Op(Verb.ALLOC))
    assert zone.pcps[0][0].load != learnt
