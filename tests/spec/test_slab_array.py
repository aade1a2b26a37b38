"""SLAB's arrays, worked out by hand: which object is served, and where the others lie."""

import pytest

from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.slab.array import take
from pagespec.slab.array_sizes import shape_of
from pagespec.slab.machine import SlabMachine
from pagespec.slab.ops import perform, start
from pagespec.slab.state import Array, Cache, Shape, Slabs
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.steps import Step, run
from pagespec.types import NO_MEMORY, Refusal

SMALL = SlabOp(SlabVerb.CREATE, cache=1, size=1024, order=0, objects_kept=4, batch=2, shared=1)
"""Four objects a slab, and as many in an array."""


def slabs_of(create: SlabOp, cpus: int = 2, pages: int = 63) -> Slabs:
    zone = Machine(pages=pages, top=3, era=ERAS["5.15"], start=1)
    slabs = start(SlabMachine(zone, cpus=cpus, design="slab"))
    assert perform(slabs, create) == 0
    return slabs


def cache_of(slabs: Slabs) -> Cache:
    return slabs.caches[1, 0]


def alloc(slabs: Slabs, cpu: int = 0) -> int:
    return perform(slabs, SlabOp(SlabVerb.ALLOC, cpu=cpu, cache=1))


def free(slabs: Slabs, *addresses: int, cpu: int = 0) -> None:
    for address in addresses:
        assert perform(slabs, SlabOp(SlabVerb.FREE, cpu=cpu, addresses=(address,))) == 0


def reap(slabs: Slabs, cpu: int = 0) -> None:
    assert perform(slabs, SlabOp(SlabVerb.REAP, cpu=cpu)) == 0


def numbers(slabs: Slabs, addresses: list[int]) -> list[int]:
    """Which object of its slab each address is."""
    return [address % 4096 // cache_of(slabs).shape.size for address in addresses]


def test_a_batch_comes_in_order_and_its_last_is_served_first() -> None:
    """Twice from a new slab, then from a partial one."""
    slabs = slabs_of(SMALL)

    assert numbers(slabs, [alloc(slabs) for _ in range(8)]) == [1, 0, 3, 2, 1, 0, 3, 2]


def test_an_array_not_used_lately_gets_sixteen() -> None:
    """A batch is 60 objects, of the 128 on a slab, but sixteen at first."""
    slabs = slabs_of(SlabOp(SlabVerb.CREATE, cache=1, size=64, order=1))
    first = [alloc(slabs) for _ in range(16)]
    base = min(first)

    assert [(address - base) // 64 for address in first] == [*range(15, -1, -1)]
    assert (alloc(slabs) - base) // 64 == 16 + 60 - 1


def test_a_full_array_spills_its_oldest_batch() -> None:
    """First to the array that all share, which has room for two, then to their slab."""
    slabs = slabs_of(SMALL)
    held = [alloc(slabs) for _ in range(8)]
    one, other = held[0] // 4096, held[4] // 4096
    cache = cache_of(slabs)
    free(slabs, *held[:5])
    assert cache.arrays[0].entries == held[2:5]
    free(slabs, *held[5:])

    assert cache.shared == Array(held[:2])
    assert cache.slabs[one].chain == [2, 3]
    assert cache.arrays[0].entries == held[4:]
    assert (cache.full, cache.partial, cache.empty) == ([other], [one], [])
    assert [alloc(slabs) for _ in range(8)] == [*held[:3:-1], held[1], held[0], held[2], held[3]]


def test_another_cpu_takes_the_latest_of_what_is_shared() -> None:
    """The shared array is served from the end too, and marked as used."""
    create = SMALL._replace(objects_kept=1, batch=1, shared=3)
    slabs = slabs_of(create)
    held = [alloc(slabs) for _ in range(4)]
    free(slabs, *held)
    assert cache_of(slabs).shared == Array(held[:3])

    assert [alloc(slabs, cpu=1) for _ in range(2)] == [held[2], held[1]]
    assert cache_of(slabs).shared == Array(held[:1], touched=True)
    reap(slabs)
    assert cache_of(slabs).shared == Array(held[:1])
    reap(slabs)
    assert cache_of(slabs).shared == Array()


def test_a_node_gives_up_empty_slabs_beyond_its_limit() -> None:
    """With two free objects allowed, each third one costs the slab that is empty."""
    create = SMALL._replace(size=2048, objects_kept=1, batch=1, shared=0, partials=2)
    slabs = slabs_of(create)
    held = [alloc(slabs) for _ in range(6)]
    one, two, three = (address // 4096 for address in held[::2])
    cache = cache_of(slabs)
    assert cache.full == [three, two, one]

    free(slabs, *held[:3])
    assert (cache.full, cache.partial, cache.empty) == ([three, two], [], [one])
    free(slabs, held[3])
    assert (cache.full, cache.partial, cache.empty) == ([three], [two], [])
    free(slabs, *held[4:])
    assert (cache.full, cache.partial, cache.empty) == ([], [three], [])
    assert set(slabs.zone.held) == set(cache.slabs) == {three}


def test_slabs_given_up_together_go_back_the_newest_empty_first() -> None:
    """The last in the list is taken off it first, and freed last."""
    create = SMALL._replace(size=4096, objects_kept=4, batch=4, shared=0, partials=0)
    slabs = slabs_of(create)
    held = [alloc(slabs) for _ in range(5)]
    free(slabs, *held)

    freed = [event.pfn for event in slabs.zone.log if event.kind is Kind.FREE]
    assert freed == [address // 4096 for address in held[3::-1]]


def test_partial_slabs_are_served_from_the_front_and_returned_to_at_the_end() -> None:
    """A slab that was served from is served again, before those that only got objects back."""
    create = SMALL._replace(objects_kept=1, batch=1, shared=0)
    slabs = slabs_of(create)
    held = [alloc(slabs) for _ in range(9)]
    one, two, three = (address // 4096 for address in held[::4])
    free(slabs, held[4], held[0], held[1])
    cache = cache_of(slabs)

    assert cache.partial == [three, two, one]
    assert [alloc(slabs) for _ in range(5)] == [
        held[1],
        *(held[8] + 1024 * k for k in (1, 2, 3)),
        held[4],
    ]
    assert (cache.full, cache.partial) == ([two, three], [one])


def test_what_is_used_is_marked_before_it_is_reaped() -> None:
    """A fifth of what an array may hold goes at a time, then half of what is left."""
    create = SMALL._replace(size=2048, objects_kept=10, batch=1, shared=0)
    slabs = slabs_of(create)
    held = [alloc(slabs) for _ in range(3)]
    free(slabs, *held)
    cache = cache_of(slabs)
    one, two = held[0] // 4096, held[2] // 4096

    reap(slabs)
    assert cache.arrays[0] == Array(held)
    reap(slabs, cpu=1)
    assert cache.arrays[0] == Array(held)
    reap(slabs)
    assert cache.arrays[0] == Array(held[2:])
    assert (cache.full, cache.partial, cache.empty) == ([], [two], [])
    assert one not in cache.slabs
    reap(slabs)
    assert not cache.slabs
    assert not slabs.zone.held


def test_an_array_is_reaped_by_the_fifth_and_then_by_half() -> None:
    """It holds 20 objects: of seven four go, of three two, and then the last."""
    slabs = slabs_of(SMALL._replace(objects_kept=20, batch=1, shared=0))
    free(slabs, *[alloc(slabs) for _ in range(7)])
    left = []
    for _ in range(4):
        reap(slabs)
        left.append(len(cache_of(slabs).arrays[0].entries))

    assert left == [7, 3, 1, 0]


def test_empty_slabs_that_were_of_use_are_spared_once() -> None:
    """Of 16 free objects that a node keeps a fifth is less than a slab: one goes at a time."""
    slabs = slabs_of(SMALL._replace(objects_kept=1, batch=1, shared=0, partials=16))
    cache = cache_of(slabs)
    held = [alloc(slabs) for _ in range(13)]
    one, two, three = (address // 4096 for address in held[:9:4])
    free(slabs, *held)
    assert cache.empty == [three, two, one]
    for _ in range(4):
        alloc(slabs)
    before = cache.touched
    assert alloc(slabs) // 4096 == three
    assert (before, cache.touched) == (False, True)

    reap(slabs)
    assert (cache.touched, cache.empty) == (False, [two, one])
    reap(slabs)
    assert cache.empty == [two]


def test_shrinking_leaves_what_is_held() -> None:
    """All arrays are emptied, the shared one too, and all empty slabs go."""
    slabs = slabs_of(SMALL)
    held = [alloc(slabs, cpu) for cpu in (0, 1) for _ in range(8)]
    free(slabs, *held[1:8])
    free(slabs, *held[8:], cpu=1)
    assert perform(slabs, SlabOp(SlabVerb.SHRINK, cache=1)) == 0
    cache = cache_of(slabs)

    assert [array.entries for array in cache.arrays] == [[], []]
    assert cache.shared is not None
    assert cache.shared.entries == []
    assert list(cache.slabs) == cache.partial == [held[0] // 4096]


def test_a_cpu_that_goes_leaves_nothing_and_no_empty_slab() -> None:
    """Its array is returned; the other CPU's and the shared one stay."""
    slabs = slabs_of(SMALL)
    held = [alloc(slabs) for _ in range(4)]
    other = alloc(slabs, cpu=1)
    free(slabs, *held)
    assert perform(slabs, SlabOp(SlabVerb.FLUSH, cpu=0)) == 0
    cache = cache_of(slabs)

    assert cache.arrays[0].entries == []
    assert cache.arrays[1].entries == [other - 1024]
    assert list(cache.slabs) == [other // 4096]


def test_a_slab_that_an_interrupt_made_needless_is_listed_last() -> None:
    """While frames are asked for interrupts are on, and may fill the array."""
    slabs = slabs_of(SMALL)
    steps = take(slabs, cache_of(slabs), 0)
    assert [next(steps), next(steps)] == [Step.IRQS_OFF, Step.IRQS_ON]
    came = alloc(slabs)
    address = run(steps)

    cache = cache_of(slabs)
    assert address == came - 1024
    assert cache.partial == [came // 4096]
    assert [cache.slabs[first].inuse for first in cache.empty] == [0]


def test_a_bulk_request_is_all_or_nothing() -> None:
    """Eight objects can be had; what was taken of nine goes back the way of single frees."""
    slabs = slabs_of(SMALL, pages=2)
    request = SlabOp(SlabVerb.ALLOC_BULK, cache=1, objects=9)
    assert perform(slabs, request) == 0
    assert slabs.slots == []
    assert not slabs.held

    assert perform(slabs, request._replace(objects=8)) == 8
    assert alloc(slabs) == NO_MEMORY
    got = slabs.slots
    assert perform(slabs, SlabOp(SlabVerb.FREE_BULK, addresses=tuple(got))) == 0
    assert cache_of(slabs).arrays[0].entries == got[4:]


@pytest.mark.parametrize(
    ("size", "cpus", "shape"),
    [
        (256, 2, Shape(256, 0, 16, 120, 3 * 60 + 16, 60, 480)),
        (257 + 7, 1, Shape(264, 0, 15, 54, 2 * 27 + 15, 27, 0)),
        (2048, 4, Shape(2048, 0, 2, 24, 5 * 12 + 2, 12, 96)),
        (1640, 2, Shape(1640, 1, 4, 24, 3 * 12 + 4, 12, 96)),
        (3000, 2, Shape(3000, 1, 2, 24, 3 * 12 + 2, 12, 96)),
        (8192, 2, Shape(8192, 1, 1, 8, 3 * 4 + 1, 4, 0)),
    ],
)
def test_sizes_follow_from_the_objects(size: int, cpus: int, shape: Shape) -> None:
    """Slabs waste an eighth at most, arrays hold what the table says, and half of it moves."""
    machine = SlabMachine(Machine(64, 3, ERAS["5.15"], start=1), cpus=cpus, design="slab")

    assert shape_of(machine, SlabOp(SlabVerb.CREATE, cache=1, size=size)) == shape


@pytest.mark.parametrize(("kept", "batch"), [(0, None), (4, 0), (4, 5)])
def test_arrays_have_room_for_a_batch(kept: int, batch: int | None) -> None:
    """An array of none, a batch of none, or one that is more than an array holds."""
    slabs = slabs_of(SMALL)
    create = SMALL._replace(cache=2, objects_kept=kept, batch=batch)

    assert perform(slabs, create) is Refusal.BAD_SIZE


def test_slab_is_gone_where_it_was_removed() -> None:
    """A release without it has no array to serve from."""
    with pytest.raises(ValueError, match=r"design=slab: era 6\.12 has slub$"):
        SlabMachine(Machine(64, 3, ERAS["6.12"], start=1), design="slab")
