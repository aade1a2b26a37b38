"""The two ways of 2004 that were not merged: where they agree with the merged form, and their cost.

Source: the postings of 2004. docs/variants.md tells the result.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from tests.strategies import machines, ops

from pagefuzz.pages import DOCS
from pagefuzz.report.variants import (
    EXAMPLES,
    FIRST,
    MERGED,
    SECOND,
    Price,
    bit_reversed,
    price,
    same_lists,
    small_machines,
    without_victims,
)
from pagespec import bounds
from pagespec.boot import boot
from pagespec.bounds import aligned_order, frame_exists, frames_without_lower_buddy
from pagespec.buddy import free_one_block
from pagespec.choices import Bounds
from pagespec.era import ERAS
from pagespec.laws.holdings import REFUSALS
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.ops import perform
from pagespec.types import Block
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone, empty_zone, lists_of

IN_2004 = machines(eras=["2.6.11"])
TAG_ERAS = [name for name, era in ERAS.items() if era.design == "tag"]


def stay_alike(data: DataObject, one: Machine, other: Machine) -> None:
    """Any requests, legal or not, are answered alike and leave the same lists."""
    zones = boot(one), boot(other)
    for _ in range(20):
        op = data.draw(ops(zones[0]))
        got, due = (perform(zone, op) for zone in zones)

        assert got == due or {got, due} <= REFUSALS
        assert zones[0].free_area == zones[1].free_area
        assert zones[0].held == zones[1].held


@given(IN_2004, st.data())
@settings(max_examples=60)
def test_the_first_way_agrees_on_every_machine(machine: Machine, data: DataObject) -> None:
    """It skips only checks that cannot fail."""
    stay_alike(data, replace(machine, era=FIRST), machine)


@given(IN_2004, st.data())
@settings(max_examples=60)
def test_the_second_way_is_the_merged_form_without_victims(
    machine: Machine, data: DataObject
) -> None:
    """On any machine, it is the merged form on the machine with holes for victims."""
    second = replace(machine, era=SECOND)

    stay_alike(data, second, without_victims(second))


@given(IN_2004)
@settings(max_examples=60)
def test_the_second_way_agrees_where_every_end_is_aligned(machine: Machine) -> None:
    """There and nowhere else; elsewhere it loses one frame for each end that is not."""
    second = replace(machine, era=SECOND)
    unaligned = sum((end - machine.base) % 2**machine.top != 0 for _, end in machine.chunks)

    assert same_lists(machine, second) == (unaligned == 0)
    assert price(machine).frames == unaligned


def test_the_census_found_no_exception() -> None:
    """On every small machine: v1 agrees, v2 where every end is aligned or with holes for victims.

    The page's numbers are held to the code by the test of pages.
    """
    part = (DOCS / "variants.md").read_text().partition("<!-- end of census -->")[0]
    lines = part.partition("<!-- census: generated -->")[2].split("\n")
    rows = [[int(cell) for cell in line.strip("| ").split("|")] for line in lines[4:] if line]

    assert [row[0] for row in rows] == list(range(1, 21))
    for pages, tried, first, aligned, second, without in rows:
        assert tried == len(list(small_machines(pages)))
        assert first == without == tried
        assert second == aligned


def test_the_prices() -> None:
    """Worked out by hand: one frame an unaligned end, and the last block of that end with it."""
    assert {name: price(machine) for name, machine in EXAMPLES.items()} == {
        "8 frames": Price(0, None),
        "61 frames": Price(1, Block(60, 0)),
        "61 frames, a hole of one": Price(2, Block(16, 2)),
        "1000 frames": Price(1, Block(992, 3)),
        "64 GiB": Price(0, None),
        "64 GiB less one frame": Price(1, Block(2**24 - 2, 0)),
        "64 GiB less 2 MiB": Price(1, Block(2**24 - 1024, 9)),
        "64 GiB, a hole of 2 MiB every GiB": Price(64, Block(63 * 2**18, 9)),
    }


@given(machines(eras=["2.6.8", "2004-v1", "2004-v2", "2.6.11"]), st.data())
@settings(max_examples=40)
def test_where_a_zone_lies_makes_no_difference(machine: Machine, data: DataObject) -> None:
    """In these eras index 0 is the zone's first frame: a zone that is moved does the same."""
    by = data.draw(st.integers(1, 1000))
    holes = tuple((first + by, end + by) for first, end in machine.holes)
    here, there = boot(machine), boot(replace(machine, start=machine.start + by, holes=holes))
    for _ in range(15):
        op = data.draw(ops(here))
        shift = 0 if op.verb is Verb.ALLOC else by
        got, moved = perform(here, op), perform(there, op._replace(pfn=op.pfn + shift))

        assert moved == (got + by if op.verb is Verb.ALLOC and got >= 0 else got)
        for a, b in zip(lists_of(here), lists_of(there), strict=True):
            assert [pfn + by for pfn in a[UNMOVABLE]] == b[UNMOVABLE]


# --- no frame that does not exist is ever asked ------------------------------------------------


class AbsentFrame(Exception):
    """The tag of a frame without a page was read."""


class MemoryMap(dict[int, int]):
    """The tags of a zone, in pages: where there is none, reading raises."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine

    def get(self, pfn: int, default: Any = None) -> Any:
        if not frame_exists(self.machine, pfn):
            raise AbsentFrame(pfn)
        return super().get(pfn, default)


def everything_out_and_back(machine: Machine, runs: tuple[tuple[int, int], ...]) -> Zone:
    """Free the runs frame by frame, take everything, give it back; all tags read are guarded."""
    zone = empty_zone(machine)
    zone.tag = MemoryMap(machine)
    for pfn in bit_reversed([pfn for first, end in runs for pfn in range(first, end)]):
        free_one_block(zone, pfn, 0, UNMOVABLE)
    for order in [*range(machine.top, -1, -1)] * 2:
        perform(zone, Op(Verb.ALLOC, order))
    for pfn in bit_reversed(list(zone.held)):
        perform(zone, Op(Verb.FREE, zone.held[pfn].order, pfn))
    return zone


@pytest.mark.parametrize("era", TAG_ERAS)
@given(data=st.data())
@settings(max_examples=25)
def test_no_era_reads_an_absent_frame(era: str, data: DataObject) -> None:
    """On machines of any shape, merging and placing ask only frames that have a page."""
    machine = data.draw(machines(most_pages=40, eras=[era]))
    zone = everything_out_and_back(machine, machine.managed)

    assert zone.held == {}


@pytest.mark.parametrize("era", ["2004-v1", "2004-v2", "2.6.11"])
@pytest.mark.parametrize("pages", range(1, 11))
def test_no_way_of_2004_reads_an_absent_frame(era: str, pages: int) -> None:
    """The same on every small machine with one hole."""
    for machine in small_machines(pages):
        theirs = replace(machine, era=ERAS[era])

        assert everything_out_and_back(theirs, theirs.managed).held == {}


def always(*_: object) -> bool:
    return True


def one_too_high(machine: Machine, pfn: int, buddy: int, order: int) -> bool:
    return order <= aligned_order(machine) or frame_exists(machine, buddy)


@pytest.mark.parametrize(
    ("era", "way", "check"),
    [
        ("2.6.11", "zone", always),
        ("6.1", "zone", always),
        ("2004-v1", "aligned-order", always),
        ("2004-v1", "aligned-order", one_too_high),
        ("2004-v2", "buddyend", always),
    ],
)
def test_dropping_the_check_reads_an_absent_frame(
    monkeypatch: pytest.MonkeyPatch, era: str, way: Bounds, check: Callable[..., bool]
) -> None:
    """Each check is needed: without it some small machine asks a frame that is not there."""
    monkeypatch.setitem(bounds.BUDDY_EXISTS, way, check)
    machine = Machine(9, 3, ERAS[era], start=8, holes=((11, 13),))

    with pytest.raises(AbsentFrame):
        everything_out_and_back(machine, machine.managed)


def test_handing_over_the_victim_reads_an_absent_frame() -> None:
    """The second way has no check at the end: the victim is what stops it."""
    machine = Machine(5, 3, SECOND)

    assert everything_out_and_back(machine, machine.managed).held == {}
    with pytest.raises(AbsentFrame):
        everything_out_and_back(machine, machine.chunks)


@given(IN_2004)
def test_below_the_aligned_order_every_block_has_its_buddy(machine: Machine) -> None:
    """So the first way may skip the check there."""
    for order in range(aligned_order(machine)):
        for pfn in range(machine.start, machine.end, 2**order):
            buddy = ((pfn - machine.base) ^ 2**order) + machine.base

            assert frame_exists(machine, pfn) == frame_exists(machine, buddy)


@given(IN_2004)
def test_flags_are_where_the_lower_buddy_starts_below_its_chunk(machine: Machine) -> None:
    """The definition: at some order the frame heads an upper block whose buddy begins too low."""
    flags = {
        pfn
        for first, end in machine.chunks
        for order in range(machine.top)
        for pfn in range(first, end)
        if (pfn - machine.base) % 2 ** (order + 1) == 2**order and pfn - 2**order < first
    }

    assert frames_without_lower_buddy(machine) == flags


def test_the_ways_are_the_eras() -> None:
    """The three differ in how they know that a buddy exists, and in nothing else.

    But for the watermarks, which are those of the kernel that each was posted for.
    """
    of_the_kernel = ("name", "min_free", "marks", "rights", "order_check", "keeps_low_memory")
    merged = {name: getattr(MERGED, name) for name in of_the_kernel}
    for way in (FIRST, SECOND):
        assert replace(way, bounds=MERGED.bounds, **merged) == MERGED
        assert {name: getattr(way, name) for name in of_the_kernel[1:]} == {
            name: getattr(ERAS["2.6.8"], name) for name in of_the_kernel[1:]
        }
