"""SLUB serves and takes back the objects that it does in Linux: worked examples, by era.

Expected places are worked out by hand from the rules of the releases; where eras differ, both are
asked. Source: mm/slub.c, 5.8 to 6.12.
"""

import pytest
from tests.spec.slub import Slub

from pagespec.slab.sizes import PAGE, min_objects, objects_in, order_of_slab
from pagespec.slab.verbs import SlabVerb
from pagespec.types import Refusal

ERAS = ("5.8", "5.15", "6.1", "6.12")


@pytest.mark.parametrize(
    ("cpus", "least", "order", "objects"),
    [
        (1, 8, 0, 16),
        (2, 12, 0, 16),
        (3, 12, 0, 16),
        (4, 16, 0, 16),
        (7, 16, 0, 16),
        (8, 20, 1, 32),
        (12, 20, 1, 32),
        (15, 20, 1, 32),
        (16, 24, 1, 32),
        (32, 28, 1, 32),
        (64, 32, 1, 32),
        (127, 32, 1, 32),
        (128, 36, 2, 64),
        (255, 36, 2, 64),
        (256, 40, 2, 64),
        (511, 40, 2, 64),
    ],
)
def test_slabs_of_256_bytes(cpus: int, least: int, order: int, objects: int) -> None:
    """32 objects are on a slab of two frames only where there are 8 to 127 CPUs."""
    assert min_objects(cpus) == least
    assert order_of_slab(256, cpus, 10) == order
    assert objects_in(order, 256) == objects


@pytest.mark.parametrize("halves", [False, True])
@pytest.mark.parametrize("top", [0, 2, 3, 10])
def test_every_object_fits_on_its_slab(top: int, halves: bool) -> None:
    """Slabs of an order above 3 have one object, and half a slab is wasted at most, as sizes are
    tried by all words up to 8 KiB and some beyond; a quarter, where two objects fit on order 3."""
    most = PAGE << top
    for size in (*range(8, min(most, 8192) + 1, 8), *range(8192, most + 1, 1016)):
        order = order_of_slab(size, 8, top, halves=halves)
        room = PAGE << order
        assert 0 <= order <= top
        assert room >= size
        assert order <= 3 or room < 2 * size
        assert room % size <= room // 2
        assert top < 3 or halves or size > PAGE or room % size <= room // 4


@pytest.mark.parametrize("era", ERAS)
def test_what_was_freed_last_is_served_first(era: str) -> None:
    """A CPU's own slab is a stack."""
    slub = Slub(era)

    assert slub.alloc(times=3) == "A0 A1 A2"
    slub.free("A0 A1")

    assert slub.alloc(times=4) == "A1 A0 A3 B0"


@pytest.mark.parametrize("era", ERAS)
def test_what_others_free_waits_on_the_slab_itself(era: str) -> None:
    """It is served when the CPU's own chain is empty, the latest first."""
    slub = Slub(era)
    slub.alloc(times=3)
    slub.free("A0 A1", cpu=1)

    assert slub.inuse("A") == 2
    assert slub.alloc(times=4) == "A3 A1 A0 B0"


@pytest.mark.parametrize("era", ERAS)
def test_a_full_slab_that_gets_an_object_back_is_kept_by_whoever_freed_it(era: str) -> None:
    """Nobody had it, and the node's list does not get it."""
    slub = Slub(era)
    slub.alloc(times=5)
    slub.free("A2", cpu=1)

    assert (slub.kept(0), slub.kept(1), slub.node) == ("", "A", "")
    assert slub.alloc(cpu=1, times=2) == "A2 C0"


@pytest.mark.parametrize(
    ("era", "node", "kept"),
    [("5.8", "C B A", "D"), ("5.15", "C B A", "D"), ("6.1", "B A", "D C"), ("6.12", "B A", "D C")],
)
def test_a_cpu_that_keeps_too_much_hands_all_to_the_node(era: str, node: str, kept: str) -> None:
    """Two objects are kept: until there are more than two, or as many slabs, thought half full."""
    slub = Slub(era, objects=2, kept=2)
    slub.alloc(times=10)
    slub.free("A0 B0 C0 D0", cpu=1)

    assert (slub.node, slub.kept(1)) == (node, kept)


@pytest.mark.parametrize("era", ["5.8", "5.15"])
def test_what_is_freed_to_a_slab_that_is_kept_is_not_counted(era: str) -> None:
    """A CPU counts the free objects of a slab when the slab comes to it."""
    slub = Slub(era, objects=2, kept=3, partials=9)
    slub.alloc(times=12)
    slub.free("A0 A1 B0 C0 D0", cpu=1)

    assert slub.kept(1) == "D C B A"
    slub.free("E0", cpu=1)
    assert (slub.node, slub.kept(1)) == ("D C B A", "E")


@pytest.mark.parametrize(("partials", "node"), [(4, "D C B A"), (3, "D C B")])
def test_empty_slabs_are_given_up_where_the_node_has_enough(partials: int, node: str) -> None:
    """A has no object that anybody holds, and comes last."""
    slub = Slub("5.15", objects=2, kept=3, partials=partials)
    slub.alloc(times=12)
    slub.free("A0 A1 B0 C0 D0 E0", cpu=1)

    assert slub.node == node
    assert ("A" in slub.alive) == ("A" in node)


@pytest.mark.parametrize(
    ("era", "node", "served", "kept"),
    [
        ("5.8", "C B A", "C0", "B"),
        ("5.15", "C B A", "C0", "B"),
        ("6.1", "B A C", "B0", "C A"),
        ("6.12", "B A C", "B0", "C A"),
    ],
)
def test_a_cpu_takes_several_slabs_off_the_node(
    era: str, node: str, served: str, kept: str
) -> None:
    """It stops when it has more than half of what it may keep: one object, or one slab besides."""
    slub = Slub(era, objects=2, kept=2)
    slub.alloc(times=8)
    slub.free("A0 B0 C0", cpu=1)
    slub.do(SlabVerb.FLUSH, cpu=1)
    assert slub.node == node

    assert slub.alloc(cpu=2) == served
    assert slub.kept(2) == kept


@pytest.mark.parametrize(
    ("era", "kept", "node"),
    [("5.8", "", "A B"), ("5.15", "B", "A"), ("6.1", "B", "A"), ("6.12", "B", "A")],
)
def test_a_cpu_that_is_to_keep_nothing(era: str, kept: str, node: str) -> None:
    """It hands a slab on at once, or when the next one comes."""
    slub = Slub(era, objects=2, kept=0)
    slub.alloc(times=6)
    slub.free("A0 B0", cpu=1)

    assert (slub.kept(1), slub.node) == (kept, node)


@pytest.mark.parametrize(("era", "kept"), [("5.8", ""), ("5.15", ""), ("6.1", "B"), ("6.12", "")])
def test_whoever_is_to_keep_nothing_takes_one_slab_but_for_one_era(era: str, kept: str) -> None:
    """6.1 counts the slabs that it takes besides the first, and looks too late."""
    slub = Slub(era, objects=2, kept=0)
    slub.alloc(times=8)
    slub.free("A0 B0 C0", cpu=1)
    slub.do(SlabVerb.FLUSH, cpu=1)
    assert slub.node == "A B C"

    assert slub.alloc(cpu=2) == "A0"
    assert slub.kept(2) == kept


@pytest.mark.parametrize(("partials", "alive"), [(1, "B"), (2, "A B")])
def test_whoever_empties_a_slab_of_the_node_gives_it_up_if_there_are_enough(
    partials: int, alive: str
) -> None:
    """The slab itself counts among those that there are."""
    slub = Slub("6.1", objects=2, partials=partials)
    slub.alloc(times=3)
    slub.free("A0", cpu=1)
    slub.do(SlabVerb.FLUSH, cpu=1)
    assert slub.node == "A"
    frames = slub.slabs.zone.free_pages

    slub.free("A1", cpu=1)

    assert slub.alive == alive
    assert slub.slabs.zone.free_pages - frames == (alive == "B")


@pytest.mark.parametrize(
    ("era", "served"), [("5.8", "A3 A2 A1"), ("5.15", "A1 A2 A3"), ("6.12", "A1 A2 A3")]
)
def test_what_a_cpu_gives_up_of_its_slab(era: str, served: str) -> None:
    """Object by object it comes out the other way round, until whole chains were moved."""
    slub = Slub(era)
    slub.alloc()
    slub.do(SlabVerb.FLUSH)

    assert (slub.node, slub.inuse("A")) == ("A", 1)
    assert slub.alloc(cpu=1, times=3) == served


@pytest.mark.parametrize(("remote", "node"), [("", "B A"), ("B0", "A B")])
def test_a_slab_that_others_freed_to_is_given_up_to_the_end(remote: str, node: str) -> None:
    """It may fill up with free objects soon; the others are warm."""
    slub = Slub("6.1", objects=2)
    slub.alloc(times=3)
    slub.free("A0", cpu=1)
    slub.do(SlabVerb.FLUSH, cpu=1)
    slub.free(remote, cpu=1)

    slub.do(SlabVerb.FLUSH)

    assert slub.node == node


@pytest.mark.parametrize("era", ERAS)
def test_a_cache_that_shrinks_sorts_its_slabs(era: str) -> None:
    """Fewest free objects first; of as many, what stood last; empty ones go."""
    slub = Slub(era, partials=9)
    slub.alloc(times=20)
    slub.free("A0 A1 B0 C0 C1 C2 C3 D0", cpu=1)
    slub.do(SlabVerb.FLUSH, cpu=1)
    assert slub.node == "D C B A"

    slub.do(SlabVerb.SHRINK, cache=1)

    assert (slub.node, slub.alive) == ("B D A", "A B D E")


@pytest.mark.parametrize("era", ERAS)
def test_a_cache_goes_when_nothing_of_it_is_held(era: str) -> None:
    """All its frames are free again, and what was withheld is no hindrance."""
    slub = Slub(era, partials=9)
    frames = slub.slabs.zone.free_pages
    slub.alloc(times=6)
    slub.free("A0 A1 A2 A3 B0", cpu=1, withheld="A1")

    assert slub.do(SlabVerb.DESTROY, cache=1) == Refusal.CACHE_BUSY
    slub.free("B1", cpu=2)
    assert slub.do(SlabVerb.DESTROY, cache=1) == 0

    assert slub.slabs.zone.free_pages == frames
    assert (slub.slabs.caches, slub.slabs.frames, slub.alive) == ({}, {}, "")
    assert slub.do(SlabVerb.DESTROY, cache=1) == Refusal.NO_CACHE
