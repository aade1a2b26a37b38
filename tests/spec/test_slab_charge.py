"""Groups pay for objects by the byte: what stocks hold, what is owed, and what is forgotten."""

import pytest

from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.slab.machine import Scheme, SlabMachine
from pagespec.slab.ops import perform, start
from pagespec.slab.state import Group, Slabs, Stock
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Outcome

FULL = 1024 + 8
"""What one object of the cache costs."""


def slabs_of(
    era: str,
    scheme: Scheme = "objects",
    *,
    size: int = 1024,
    pages: int = 64,
    limit: int | None = None,
) -> Slabs:
    """Two groups, two CPUs, and one cache of small slabs."""
    zone = Machine(pages=pages, top=3, era=ERAS[era], start=1)
    slabs = start(SlabMachine(zone, cpus=2, scheme=scheme, groups=2, limit=limit))
    for group in (1, 2):
        assert perform(slabs, SlabOp(SlabVerb.GROUP, group=group)) == 0
    assert perform(slabs, SlabOp(SlabVerb.CREATE, cache=1, size=size, order=0)) == 0
    return slabs


def alloc(slabs: Slabs, group: int = 1, cpu: int = 0) -> Outcome:
    return perform(slabs, SlabOp(SlabVerb.ALLOC, cpu=cpu, cache=1, group=group))


def bulk(slabs: Slabs, objects: int) -> Outcome:
    return perform(slabs, SlabOp(SlabVerb.ALLOC_BULK, cache=1, group=1, objects=objects))


def free(slabs: Slabs, address: int, cpu: int = 0) -> None:
    assert perform(slabs, SlabOp(SlabVerb.FREE, cpu=cpu, addresses=(address,))) == 0


def test_a_frame_is_charged_and_objects_are_paid_from_it() -> None:
    """The fourth object finds too few bytes, and another frame's rest joins what there is."""
    slabs = slabs_of("5.15")
    seen = []
    for _ in range(4):
        alloc(slabs)
        seen.append((slabs.groups[1].pages, slabs.stocks[0].bytes))

    assert seen == [(1, 3064), (1, 2032), (1, 1000), (2, 4064)]


def test_a_stock_of_just_a_frame_is_kept() -> None:
    """Only more than a frame is returned."""
    slabs = slabs_of("5.15")
    free(slabs, alloc(slabs))

    assert slabs.groups[1] == Group(pages=1)
    assert slabs.stocks[0] == Stock(1, 4096)


@pytest.mark.parametrize(
    ("era", "charged", "freed"),
    [
        ("5.8", (Group(3, rest=4032), Stock()), (Group(2, rest=968), Stock())),
        ("5.15", (Group(4), Stock(1, 8128)), (Group(2), Stock(1, 968))),
    ],
)
def test_more_than_a_frame_in_stock(
    era: str, charged: tuple[Group, Stock], freed: tuple[Group, Stock]
) -> None:
    """First releases empty the stock; later ones keep it after a charge, and then return frames."""
    slabs = slabs_of(era)
    first = alloc(slabs)
    bulk(slabs, 3)
    bulk(slabs, 4)
    after_charge = (slabs.groups[1], slabs.stocks[0])
    assert after_charge == charged

    free(slabs, first)
    assert (slabs.groups[1], slabs.stocks[0]) == freed


@pytest.mark.parametrize(
    ("era", "group", "stock"),
    [("5.8", Group(1, rest=2032), Stock()), ("5.15", Group(1), Stock(1, 2032))],
)
def test_a_rest_moves_to_where_the_group_is_charged_next(
    era: str, group: Group, stock: Stock
) -> None:
    """Another group takes the stock over; a change of the stock's group lets frames be returned."""
    slabs = slabs_of(era)
    alloc(slabs, group=1)
    alloc(slabs, group=2)
    assert slabs.groups[1] == Group(1, rest=3064)
    assert slabs.stocks[0] == Stock(2, 3064)

    alloc(slabs, group=1, cpu=1)
    assert slabs.groups[1] == group
    assert slabs.stocks[1] == stock


@pytest.mark.parametrize("era", ["5.15", "6.12"])
def test_a_limit_fails_a_request_and_nothing_is_owed(era: str) -> None:
    """Whether it is paid for before or after: no object stays behind."""
    slabs = slabs_of(era, limit=1)
    held = [alloc(slabs) for _ in range(3)]

    assert alloc(slabs) == NO_MEMORY
    assert bulk(slabs, 2) == 0
    assert slabs.groups[1] == Group(pages=1)
    assert slabs.stocks[0] == Stock(1, 4096 - 3 * FULL)
    assert sorted(slabs.held) == sorted(held)


@pytest.mark.parametrize(
    ("era", "group", "stock"),
    [
        ("5.15", Group(pages=1, lost=2056), Stock(1, 2040)),
        ("6.1", Group(pages=1, lost=2056), Stock(1, 2040)),
        ("6.12", Group(), Stock()),
    ],
)
def test_what_a_failed_bulk_request_never_got(era: str, group: Group, stock: Stock) -> None:
    """Four of five objects can be had: the fifth's bytes are forgotten where all paid before."""
    slabs = slabs_of(era, size=2048, pages=2)

    assert bulk(slabs, 5) == 0
    assert not slabs.held
    assert slabs.groups[1] == group
    assert slabs.stocks[0] == stock


def test_one_object_that_cannot_be_had_is_paid_back() -> None:
    """Only bulk requests forget."""
    slabs = slabs_of("5.15", size=2048, pages=2)
    bulk(slabs, 4)

    assert alloc(slabs) == NO_MEMORY
    assert slabs.groups[1].lost == 0
    assert slabs.groups[1].pages * 4096 == 4 * 2056 + slabs.stocks[0].bytes


def test_a_group_that_went_is_charged_until_nothing_is_its_own() -> None:
    """Its object first, then a CPU's stock; then another group may have its number."""
    slabs = slabs_of("5.15")
    address = alloc(slabs)
    assert perform(slabs, SlabOp(SlabVerb.OFFLINE, group=1)) == 0
    assert alloc(slabs) is Refusal.GROUP_OFFLINE
    assert slabs.groups[1] == Group(1, online=False)

    free(slabs, address)
    assert slabs.groups[1] == Group(1, online=False)
    assert perform(slabs, SlabOp(SlabVerb.GROUP, group=1)) is Refusal.GROUP_EXISTS

    alloc(slabs, group=2)
    assert 1 not in slabs.groups
    assert perform(slabs, SlabOp(SlabVerb.GROUP, group=1)) == 0


def test_what_was_lost_stays_charged_for_ever() -> None:
    """A group that went cannot be forgotten while frames are charged to it."""
    slabs = slabs_of("5.15", size=2048, pages=2)
    bulk(slabs, 5)
    perform(slabs, SlabOp(SlabVerb.OFFLINE, group=1))
    alloc(slabs, group=2)

    assert slabs.groups[1] == Group(1, rest=2040, online=False, lost=2056)


def test_groups_with_caches_of_their_own_pay_for_slabs() -> None:
    """One object costs a slab, and no two groups share one; nobody has everybody's cache."""
    slabs = slabs_of("5.8", "caches")
    first, second, nobodys = alloc(slabs, 1), alloc(slabs, 2), alloc(slabs, 0)

    assert len({address // 4096 for address in (first, second, nobodys)}) == 3
    assert [slabs.groups[group].pages for group in (1, 2)] == [1, 1]
    assert list(slabs.caches) == [(1, 0), (1, 1), (1, 2)]


def test_a_limit_on_slabs() -> None:
    """The frames are given back that a group must not have."""
    slabs = slabs_of("5.8", "caches", limit=1)
    for _ in range(4):
        alloc(slabs)

    assert alloc(slabs) == NO_MEMORY
    assert slabs.groups[1].pages == 1
    assert len(slabs.zone.held) == 1


def test_caches_of_a_group_that_went_keep_nothing() -> None:
    """What is empty goes at once, the last slab with its last object, and group and cache then."""
    slabs = slabs_of("5.8", "caches")
    held = [alloc(slabs) for _ in range(5)]
    free(slabs, held.pop())
    perform(slabs, SlabOp(SlabVerb.OFFLINE, group=1))
    assert slabs.groups[1] == Group(1, online=False)

    for address in held:
        assert 1 in slabs.groups
        free(slabs, address, cpu=1)
    assert 1 not in slabs.groups
    assert list(slabs.caches) == [(1, 0)]
    assert not slabs.zone.held
