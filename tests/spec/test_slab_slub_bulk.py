"""Many objects at once: all or none, slab by slab, each passing both hooks, as worked out by hand.

Source: mm/slub.c (kmem_cache_alloc_bulk, build_detached_freelist, slab_free_freelist_hook), 5.8 to
6.12; 03ec0ed57ffc, 899447f669da and f227f0faf63b for what was wrong with them.
"""

from collections.abc import Callable

import pytest
from tests.spec.slub import Slub

from pagespec import era as eras
from pagespec.machine import Machine
from pagespec.slab.detached import Detached, detach_by_marking, detach_by_swapping
from pagespec.slab.machine import SlabMachine
from pagespec.slab.sizes import PAGE
from pagespec.slab.verbs import SlabVerb
from pagespec.types import NO_MEMORY, DomainError, Refusal

ERAS = ("5.8", "5.15", "6.1", "6.12")
MARKED, SWAPPED = detach_by_marking, detach_by_swapping


Detach = Callable[[list[int], int, Callable[[int], int]], Detached]


def rounds(detach: Detach, objects: list[int]) -> list[list[int]]:
    """What is collected round by round, where even objects are of one slab and odd of another."""
    # Objects are numbered from 0; an array has no object where it has a 0, so they are moved.
    slots = [each + 100 for each in objects]
    left, chains = len(slots), []
    while left:
        chain, left = detach(slots, left, lambda address: address % 2)
        chains.append([each - 100 for each in chain])
    return chains


@pytest.mark.parametrize(
    ("detach", "chains"),
    [
        (MARKED, [[11, 13, 15], [6, 8, 10, 12, 14], [1, 3, 5, 7, 9], [0, 2, 4]]),
        (SWAPPED, [[11, 13, 15], [6, 8, 10, 14, 12], [1, 3, 5, 9, 7], [0, 4, 2]]),
    ],
)
def test_objects_of_two_slabs_in_turn_take_a_round_for_four(
    detach: Detach, chains: list[list[int]]
) -> None:
    """The third object of another slab ends a round."""
    assert rounds(detach, list(range(16))) == chains


@pytest.mark.parametrize("detach", [MARKED, SWAPPED])
def test_objects_slab_by_slab_take_a_round_a_slab(detach: Detach) -> None:
    """Three objects of another slab are met only when all of this one have been."""
    assert rounds(detach, [0, 2, 4, 1, 3, 5]) == [[1, 3, 5], [0, 2, 4]]


@pytest.mark.parametrize("era", ERAS)
def test_one_request_for_many_serves_what_many_requests_do(era: str) -> None:
    """From the CPU's chain, the slab's, and then new slabs."""
    one, many = Slub(era), Slub(era)
    for slub in (one, many):
        slub.alloc(times=3)
        slub.free("A1", cpu=1)

    got = one.alloc_bulk(7)

    assert got == many.alloc(times=7) == "A3 A1 B0 B1 B2 B3 C0"
    assert one.alloc_bulk(0) == ""
    assert one.alloc(times=2) == many.alloc(times=2) == "C1 C2"


@pytest.mark.parametrize(
    ("era", "served"),
    [
        ("5.8", "B3 B2 B1 B0 A3 A2 A1 A0"),
        ("5.15", "B3 B2 B1 B0 A3 A2 A1 A0"),
        ("6.1", "A3 A2 A1 A0 B3 B2 B1 B0"),
        ("6.12", "A0 A1 A2 A3 B0 B1 B2 B3"),
    ],
)
def test_a_request_that_cannot_have_all_has_nothing(era: str, served: str) -> None:
    """Two slabs are all that there is; what was got is freed one by one, or slab by slab from the
    end, or without the hook that turns chains round."""
    slub = Slub(era, pages=2)

    assert slub.alloc_bulk(9) == ""

    assert slub.slabs.held == {}
    assert slub.alloc(times=9) == f"{served} -"


@pytest.mark.parametrize("era", ["5.15", "6.12"])
@pytest.mark.parametrize("held", range(8))
def test_it_may_fail_anywhere(era: str, held: int) -> None:
    """However many objects it had by then, they can all be had again."""
    slub = Slub(era, pages=2)
    slub.alloc(times=held)

    assert slub.alloc_bulk(9 - held) == ""
    assert len(slub.slabs.held) == held
    assert len(slub.alloc_bulk(8 - held).split()) == 8 - held


@pytest.mark.parametrize(("era", "lost"), [("5.15", 2), ("6.1", 2), ("6.12", 0)])
def test_what_was_never_got_stays_charged_in_some_eras(era: str, lost: int) -> None:
    """Ten are paid for before, of which eight are there; later eras pay afterwards."""
    slub = Slub(era, pages=2, scheme="objects")

    assert slub.alloc_bulk(10, group=1) == ""

    group, stock = slub.slabs.groups[1], slub.slabs.stocks[0]
    assert group.lost == lost * (PAGE // 4 + 8)
    assert group.pages * PAGE == group.lost + group.rest + stock.bytes


def test_objects_that_cannot_be_paid_for_are_freed_as_any_others() -> None:
    """Four objects, with a pointer each, are more than the frame that the group may have."""
    slub = Slub("6.12", scheme="objects", limit=1)

    assert slub.alloc_bulk(4, group=1) == ""
    assert (slub.slabs.held, slub.slabs.groups[1].pages) == ({}, 0)
    assert slub.alloc_bulk(3, group=1) == "A3 A2 A1"
    assert slub.alloc(group=1) == "-"
    assert slub.alloc_bulk(1) == "A0"


def test_one_cache_serves_all_of_a_request() -> None:
    """The group's own, which is settled once, before."""
    slub = Slub("5.15", scheme="caches")

    slub.alloc_bulk(6, group=1)

    assert {held.cache_group for held in slub.slabs.held.values()} == {1}
    assert set(slub.slabs.frames.values()) == {(1, 1)}
    assert slub.slabs.groups[1].pages == 2


@pytest.mark.parametrize(("era", "slots"), [("5.15", "- - - - -"), ("6.1", "B1 B0 A0 A2 A3")])
def test_the_array_is_marked_or_permuted(era: str, slots: str) -> None:
    """Two of B are passed over, so that all of A make one list, and then both of B."""
    slub = Slub(era)
    slub.alloc_bulk(8)

    slub.free_bulk("A0 B0 A2 B1 A3", cpu=1)

    assert slub.slabs.slots == list(slub.addresses(slots))


@pytest.mark.parametrize("era", ERAS)
def test_lists_go_back_from_the_end_of_the_array(era: str) -> None:
    """B's first, and so A is the one that was kept last; each is turned round."""
    slub = Slub(era)
    slub.alloc_bulk(9)

    slub.free_bulk("A0 A1 A2 B0 B1 B2", cpu=1)

    assert slub.kept(1) == "A B"
    assert slub.alloc(cpu=1, times=6) == "A2 A1 A0 B2 B1 B0"


def test_slots_without_an_object_are_passed_over_where_arrays_are_marked() -> None:
    """Later eras cannot have any, and a request with one is refused."""
    marked, swapped = Slub("5.15"), Slub("6.1")
    for slub in (marked, swapped):
        slub.alloc_bulk(5)

    assert marked.free_bulk("- A0 - A1 - -") == 0
    assert len(marked.slabs.held) == 3
    assert marked.slabs.slots == [0] * 6
    assert marked.free_bulk("- -") == marked.free_bulk("") == swapped.free_bulk("") == 0
    assert swapped.free_bulk("- A0") == Refusal.NOT_OBJECT
    assert len(swapped.slabs.held) == 5


@pytest.mark.parametrize("era", ERAS)
def test_what_is_withheld_is_not_counted_as_freed(era: str) -> None:
    """Three of one slab, the middle one withheld: two are free, and the slab stays."""
    slub = Slub(era, objects=4, partials=0)
    slub.alloc_bulk(5)
    slub.free("A3", cpu=1)
    slub.do(SlabVerb.FLUSH, cpu=1)

    slub.free_bulk("A0 A1 A2", withheld="A1", cpu=1)

    assert (slub.inuse("A"), slub.node) == (1, "A")
    assert slub.slabs.withheld[1] == list(slub.addresses("A1"))
    assert slub.free("A1") == [Refusal.NOT_OBJECT]
    slub.do(SlabVerb.RELEASE, cpu=1)
    assert slub.alive == "B"
    assert slub.slabs.withheld[1] == []


@pytest.mark.parametrize("era", ["5.15", "6.1"])
def test_any_cache_and_large_blocks_in_one_array(era: str) -> None:
    """As kfree_bulk has it; where a cache is named they are none of its objects."""
    slub = Slub(era)
    frames = slub.slabs.zone.free_pages
    slub.do(SlabVerb.CREATE, cache=2, size=2048, order=0)
    slub.alloc_bulk(2)
    large = slub.do(SlabVerb.LARGE, order=1)
    other = slub.do(SlabVerb.ALLOC, cache=2)
    first, second = slub.addresses("A0 A1")

    op = slub.freeing((first, large, other, second), cache=1)
    assert op == Refusal.WRONG_CACHE
    assert len(slub.slabs.held) == 4

    assert slub.freeing((first, large, other, second), cache=0) == 0

    assert (slub.slabs.held, slub.slabs.large) == ({}, {})
    assert slub.slabs.zone.free_pages == frames - 2
    assert slub.inuse("A") == 4


def test_an_address_within_an_object_is_no_object() -> None:
    """Nor is one within a large block, one that is free, or one that was freed just before."""
    slub = Slub("6.1")
    slub.alloc_bulk(2)
    large = slub.do(SlabVerb.LARGE, order=1)
    assert large % (2 * PAGE) == 0
    (address,) = slub.addresses("A1")
    before = slub.slabs.held.copy()

    for wrong in (address + 8, large + 1, large + PAGE, *slub.addresses("A2"), 0, 7 * PAGE):
        assert slub.freeing((wrong,)) == Refusal.NOT_OBJECT
    assert slub.freeing((address, address)) == Refusal.NOT_OBJECT
    assert slub.slabs.held == before

    assert slub.free("A1") == [0]
    assert slub.free("A1") == [Refusal.NOT_OBJECT]


def test_no_object_lies_at_address_0() -> None:
    """It is what an array has where it has no object; so no slab may lie on frame 0."""
    zone = Machine(pages=8, top=3, era=eras.ERAS["6.1"])

    with pytest.raises(DomainError, match="start=0: an object on frame 0 would have address 0"):
        SlabMachine(zone)


def test_requests_out_of_bounds_are_refused() -> None:
    """Each by its own reason, and nothing changes."""
    slub = Slub("6.1", scheme="objects")
    slub.alloc()
    frames = slub.slabs.zone.free_pages

    assert slub.do(SlabVerb.ALLOC_BULK, cache=1, objects=65) == Refusal.BAD_RANGE
    assert slub.do(SlabVerb.ALLOC, cache=2) == Refusal.NO_CACHE
    assert slub.do(SlabVerb.ALLOC, cpu=3, cache=1) == Refusal.BAD_CPU
    assert slub.do(SlabVerb.ALLOC, cache=1, group=2) == Refusal.NO_GROUP
    assert slub.do(SlabVerb.GROUP, group=1) == Refusal.GROUP_EXISTS
    assert slub.do(SlabVerb.GROUP, group=2) == Refusal.NO_GROUP
    assert slub.do(SlabVerb.REAP) == Refusal.UNSUPPORTED
    assert slub.do(SlabVerb.CREATE, cache=1, size=8) == Refusal.CACHE_EXISTS
    assert slub.do(SlabVerb.CREATE, cache=257, size=8) == Refusal.CACHE_EXISTS
    for size in (0, 7, 12, PAGE + 8):
        assert slub.do(SlabVerb.CREATE, cache=2, size=size, order=0) == Refusal.BAD_SIZE
    assert slub.do(SlabVerb.CREATE, cache=2, size=8, order=4) == Refusal.BAD_ORDER
    assert slub.do(SlabVerb.CREATE, cache=2, size=8, batch=1) == Refusal.BAD_SIZE
    assert slub.do(SlabVerb.CREATE, cache=2, size=8, partials=-1) == Refusal.BAD_SIZE
    assert slub.do(SlabVerb.LARGE, order=4) == Refusal.BAD_ORDER
    assert slub.do(SlabVerb.LARGE, order=3) != NO_MEMORY
    assert slub.slabs.zone.free_pages == frames - 8
    slub.do(SlabVerb.OFFLINE, group=1)
    assert slub.do(SlabVerb.ALLOC, cache=1, group=1) in (Refusal.GROUP_OFFLINE, Refusal.NO_GROUP)
