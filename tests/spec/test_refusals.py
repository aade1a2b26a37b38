"""Illegal requests: each is refused by its own error, says why, and changes nothing."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from tests.spec.test_refusals_typed import ROWS as TYPED_ROWS
from tests.strategies import machines, ops

from pagespec.alloc import alloc_pages, free_pages, get_page, put_page
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Event, Kind
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.rmqueue import Want
from pagespec.steps import run
from pagespec.types import (
    REFUSED,
    BadOrder,
    DoubleFree,
    FrameInHole,
    InteriorFrame,
    MisalignedBlock,
    NeverGiven,
    OutsideZone,
    Refusal,
    Refused,
    WrongOrder,
)
from pagespec.verbs import Op
from pagespec.zone import Zone, copy_of


def zone_with_holdings() -> Zone:
    """Frames 8 to 23 but for 22, TOP 3: 8-15, 16-19 and 20 are held, 23 was, 21 never was."""
    zone = boot(Machine(pages=16, top=3, era=ERAS["2.6.37"], start=8, holes=((22, 23),)))
    for order in (3, 2, 0, 0):
        run(alloc_pages(zone, Want(order)))
    run(free_pages(zone, 23, 0))
    zone.log.clear()
    return zone


TABLE: list[tuple[type[Refused], Callable[[Zone], object], str]] = [
    (BadOrder, lambda z: run(alloc_pages(z, Want(4))), "pfn 0 order 4: no block of this zone has"),
    (
        BadOrder,
        lambda z: run(alloc_pages(z, Want(-1))),
        "pfn 0 order -1: no block of this zone has",
    ),
    (BadOrder, lambda z: run(free_pages(z, 8, 4)), "pfn 8 order 4: no block of this zone has"),
    (OutsideZone, lambda z: run(free_pages(z, 7, 0)), "pfn 7 order 0: lies outside the zone"),
    (OutsideZone, lambda z: run(free_pages(z, 24, 0)), "pfn 24 order 0: lies outside the zone"),
    (OutsideZone, lambda z: run(free_pages(z, 23, 1)), "pfn 23 order 1: lies outside the zone"),
    (OutsideZone, lambda z: run(get_page(z, 24)), "pfn 24 order 0: lies outside the zone"),
    (MisalignedBlock, lambda z: run(free_pages(z, 17, 1)), "pfn 17 order 1: starts off its align"),
    (FrameInHole, lambda z: run(free_pages(z, 22, 0)), "pfn 22 order 0: lies in a hole"),
    (FrameInHole, lambda z: run(put_page(z, 22)), "pfn 22 order 0: lies in a hole"),
    (WrongOrder, lambda z: run(free_pages(z, 16, 1)), "pfn 16 order 1: was given out with another"),
    (WrongOrder, lambda z: run(free_pages(z, 16, 3)), "pfn 16 order 3: was given out with another"),
    (WrongOrder, lambda z: run(put_page(z, 16)), "pfn 16 order 0: was given out with another"),
    (InteriorFrame, lambda z: run(free_pages(z, 18, 1)), "pfn 18 order 1: lies inside a block"),
    (InteriorFrame, lambda z: run(free_pages(z, 15, 0)), "pfn 15 order 0: lies inside a block"),
    (InteriorFrame, lambda z: run(get_page(z, 19)), "pfn 19 order 0: lies inside a block"),
    (DoubleFree, lambda z: run(free_pages(z, 23, 0)), "pfn 23 order 0: has been given back"),
    (DoubleFree, lambda z: run(put_page(z, 23)), "pfn 23 order 0: has been given back"),
    (NeverGiven, lambda z: run(free_pages(z, 21, 0)), "pfn 21 order 0: was never given out"),
    (NeverGiven, lambda z: run(get_page(z, 21)), "pfn 21 order 0: was never given out"),
]


@pytest.mark.parametrize(("error", "request_of", "sentence"), TABLE, ids=[row[2] for row in TABLE])
def test_a_refusal_says_why_and_changes_nothing(
    error: type[Refused], request_of: Callable[[Zone], object], sentence: str
) -> None:
    """The block, the fact and what was expected; all that is left is the event."""
    zone = zone_with_holdings()
    before = copy_of(zone)

    with pytest.raises(error) as caught:
        request_of(zone)

    assert str(caught.value).startswith(sentence)
    assert "; expected " in str(caught.value)
    assert zone.log == [Event(Kind.REFUSE, caught.value.block.pfn, error.refusal)]
    zone.log.clear()
    assert zone == before


def test_every_refusal_is_shown() -> None:
    """No error without a row here or beside, and a code for each reason that the spec gives.

    That a node has no memory is shown where hosts are, and what counters and slabs refuse where
    they are.
    """
    elsewhere = {Refusal.BAD_NODE, *range(Refusal.GROUP_OFFLINE, Refusal.NO_COUNTER + 1)}
    shown = {error.refusal for error, *_ in TABLE} | {row.due for row in TYPED_ROWS}
    assert shown == set(REFUSED) - elsewhere
    assert set(REFUSED) == set(Refusal) - {Refusal.UNSAID}
    assert all(error.refusal is code for code, error in REFUSED.items())


@given(machines(most_pages=24), st.data())
@settings(max_examples=60)
def test_what_is_not_served_changes_nothing(machine: Machine, data: DataObject) -> None:
    """No field of the zone differs after a refused or a failed request, pair bits included."""
    zone = boot(machine)
    for _ in range(12):
        op: Op = data.draw(ops(zone))
        before = copy_of(zone)
        if perform(zone, op) < 0:
            before.log, before.visited = zone.log, zone.visited

            assert zone == before
        zone.log.clear()


def test_a_block_that_was_freed_in_parts_remembers_its_pieces() -> None:
    """Each piece headed a block that was given back, so a second free of it is a double free."""
    zone = zone_with_holdings()
    run(get_page(zone, 16))
    run(free_pages(zone, 16, 2))

    for pfn, order in ((18, 1), (17, 0)):
        with pytest.raises(DoubleFree):
            run(free_pages(zone, pfn, order))
    run(free_pages(zone, 16, 0))
    with pytest.raises(DoubleFree):
        run(free_pages(zone, 16, 0))
