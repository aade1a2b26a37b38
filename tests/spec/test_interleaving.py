"""Two ways to drop a reference, interleaved: what CVE-2023-52739 got wrong.

free_pages drops the owner's reference and then decides by whether the block is compound. Whoever
reads that after the drop may read it from a block that somebody else has freed.
Source: the fault e320d3012d25 fixed, and its regression CVE-2023-52739.
"""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from tests.spec.breakages_typed import grouped
from tests.spec.schedules import endings

from pagespec import alloc
from pagespec.alloc import alloc_pages, free_pages, get_page, put_page
from pagespec.boot import boot
from pagespec.contig import alloc_contig
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.frames import SIZES
from pagespec.laws.law import LawBroken
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.laws.whole import RETURN_LAWS
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE
from pagespec.pcp.lists import ANYWHERE
from pagespec.rmqueue import Want
from pagespec.steps import Step, Steps, run
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

FreePages = Callable[[Zone, int, int], Steps[None]]


def patched(*changes: tuple[str, str]) -> FreePages:
    """free_pages with pieces of its source replaced."""
    source = inspect.getsource(free_pages)
    for old, new in changes:
        assert source.count(old) == 1
        source = source.replace(old, new)
    names: dict[str, Any] = dict(vars(alloc))
    exec(source, names)
    patched_free: FreePages = names["free_pages"]
    return patched_free


DROP = "    yield Step.REFERENCE\n    last = drop_reference(zone, pfn)\n"
SAMPLE = "    compound = held.compound\n"
RACY = patched(
    (SAMPLE + DROP, DROP + "    yield Step.REFERENCE\n    compound = pfn in zone.held\n"),
    ("        zone.held[pfn] = zone.held[pfn]._replace(order=0)\n", ""),
)


def shared_block(order: int, extra: int = 1, *, compound: bool) -> tuple[Zone, int]:
    """A zone of 16 frames in which one block is held with some references besides the owner's."""
    zone = boot(Machine(pages=16, top=3, era=ERAS["6.1"]))
    pfn = run(alloc_pages(zone, Want(order), compound=compound))
    assert pfn is not None
    for _ in range(extra):
        run(get_page(zone, pfn))
    zone.log.clear()
    return zone, pfn


def freed_frames(zone: Zone) -> list[int]:
    """The frames of every block that was given back, in the order of the frees."""
    blocks = [(event.pfn, event.order) for event in zone.log if event.kind is Kind.FREE]
    return [pfn + offset for pfn, order in blocks for offset in range(SIZES[order])]


def test_the_last_drop_frees_a_compound_block_once() -> None:
    """free_pages stands before its drop; another drops first; so the owner's is the last."""
    zone, pfn = shared_block(2, compound=True)
    owner = free_pages(zone, pfn, 2)

    assert next(owner) is Step.REFERENCE
    run(put_page(zone, pfn))
    assert freed_frames(zone) == []
    run(owner)
    assert freed_frames(zone) == [0, 1, 2, 3]


def test_a_block_that_goes_after_the_owners_drop_is_freed_once() -> None:
    """The owner has dropped its reference and goes on: the tails are not its business any more."""
    zone, pfn = shared_block(2, compound=True)
    other = put_page(zone, pfn)

    assert next(other) is Step.REFERENCE
    run(free_pages(zone, pfn, 2))
    run(other)
    assert freed_frames(zone) == [0, 1, 2, 3]


@pytest.mark.parametrize("compound", [True, False])
@pytest.mark.parametrize(("order", "extra"), [(0, 1), (1, 1), (2, 1), (3, 1), (0, 2), (1, 2)])
def test_every_schedule_frees_every_frame_once(order: int, extra: int, compound: bool) -> None:
    """The owner and the others drop their references in any interleaving of steps."""

    def setting() -> tuple[Zone, list[Steps[Any]]]:
        zone, pfn = shared_block(order, extra, compound=compound)
        return zone, [free_pages(zone, pfn, order), *(put_page(zone, pfn) for _ in range(extra))]

    count = 0
    for _, zone in endings(setting):
        count += 1
        assert sorted(freed_frames(zone)) == list(range(SIZES[order]))
        assert zone.held == {}
        STATE_LAWS.check(zone.machine.era, swept(zone))
        RETURN_LAWS.check(zone.machine.era, swept(zone))
    assert count > 5


def test_every_schedule_of_requests_keeps_the_laws() -> None:
    """Two requests and a free in any interleaving: no frame is lost and none has two owners."""

    def setting() -> tuple[Zone, list[Steps[Any]]]:
        zone, pfn = shared_block(2, 0, compound=False)
        return zone, [
            alloc_pages(zone, Want(3)),
            free_pages(zone, pfn, 2),
            alloc_pages(zone, Want(0)),
        ]

    for _, zone in endings(setting):
        STATE_LAWS.check(zone.machine.era, swept(zone))


OTHERS: dict[str, Callable[[Zone, int], Steps[Any]]] = {
    "take": lambda zone, pfn: alloc_pages(zone, Want(2, MOVABLE)),
    "give": lambda zone, pfn: free_pages(zone, pfn, 1),
}


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("era", ["6.1", "6.12"])
def test_every_schedule_around_a_range_keeps_the_laws(era: str, other: str) -> None:
    """While a range is gathered, another takes or gives: no frame is lost, none has two owners.

    Of earlier eras, whose drains visit CPUs, there are too many schedules to follow one by one:
    `pagefuzz explore range` visits their states.
    """

    def setting() -> tuple[Zone, list[Steps[Any]]]:
        zone = grouped(era, "MMMM", Op(Verb.ALLOC, 1, mt=MOVABLE))
        pfn = next(iter(zone.held))
        first = 1 if pfn == 8 else 9
        return zone, [alloc_contig(zone, first, 2, MOVABLE, ANYWHERE), OTHERS[other](zone, pfn)]

    taken: set[bool] = set()
    for _, zone in endings(setting):
        STATE_LAWS.check(zone.machine.era, swept(zone))
        taken.add(any(event.kind is Kind.RANGE for event in zone.log))
    assert True in taken


def verdict(free: FreePages, order: int, *, compound: bool) -> set[str]:
    """The laws that are first to break over all schedules of an owner and another."""
    broken: set[str] = set()

    def setting() -> tuple[Zone, list[Steps[Any]]]:
        zone, pfn = shared_block(order, compound=compound)
        return zone, [free(zone, pfn, order), put_page(zone, pfn)]

    for _, zone in endings(setting):
        try:
            STATE_LAWS.check(zone.machine.era, swept(zone))
        except LawBroken as law:
            broken.add(law.law_id)
    return broken


def test_reading_compound_after_the_drop_frees_tails_twice() -> None:
    """The regression of 2023, planted: some schedule frees the tails of a block that is free."""
    assert verdict(RACY, 2, compound=True) == {"BUD-disjoint"}
    assert verdict(free_pages, 2, compound=True) == set()


def test_the_regression_needs_its_schedule() -> None:
    """Run without interruption the racy form is right: no sequential test can find it."""
    zone, pfn = shared_block(2, compound=True)
    run(RACY(zone, pfn, 2))
    run(put_page(zone, pfn))

    assert freed_frames(zone) == [0, 1, 2, 3]
