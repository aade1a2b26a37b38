"""Reading memory back says what is there, also when it makes no sense."""

from collections import OrderedDict

import pytest
from tests.impl.machines import LISTED_MACHINES, MACHINES, TYPED_MACHINES, name_of

from pageimpl import memory as fields
from pageimpl.allocator import Allocator, Stream
from pageimpl.refine import TornList, zone_of
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.zone import Held

MACHINE = Machine(16, 3, ERAS["6.1"], start=32)


@pytest.fixture
def allocator() -> Allocator:
    """Frames 32 and 34-35 are held, 33 has been given back; 36 and 40 head free blocks."""
    allocator = Allocator(MACHINE, jit=False)
    assert [allocator.alloc(order) for order in (0, 0, 1)] == [32, 33, 34]
    allocator.free(33, 0)
    return allocator


def slot(allocator: Allocator, pfn: int) -> int:
    return pfn + fields.shift_of(allocator.memory)


@pytest.mark.parametrize("machine", MACHINES + TYPED_MACHINES + LISTED_MACHINES, ids=name_of)
def test_a_fresh_zone_is_what_boot_makes(machine: Machine) -> None:
    """Before the first request the twin stands where the spec does, in both forms."""
    for jit in (False, True):
        zone = zone_of(Allocator(machine, jit=jit))
        expected = boot(machine)
        assert zone == expected


def test_every_field_is_read(allocator: Allocator) -> None:
    """A small state, field by field."""
    allocator.get(34)
    zone = zone_of(allocator)

    assert zone.free_area == [
        {UNMOVABLE: OrderedDict({33: None})},
        {UNMOVABLE: OrderedDict()},
        {UNMOVABLE: OrderedDict({36: None})},
        {UNMOVABLE: OrderedDict({40: None})},
    ]
    assert zone.tag == {33: 0, 36: 2, 40: 3}
    assert zone.nr_free == [1, 0, 1, 1]
    assert zone.free_pages == 13
    assert zone.held == {32: Held(0, 1, False), 34: Held(1, 2, False)}
    assert zone.given == {32, 33, 34}
    assert zone.pair_bits == [set(), set(), set(), set()]


def test_raw_fields_are_not_derived(allocator: Allocator) -> None:
    """A field that has fallen out of step is shown as it is."""
    memory = allocator.memory
    fields.set_tag(memory, slot(allocator, 38), fields.BUDDY | 1)
    fields.set_nr_free(memory, 0, -1)
    fields.set_nr_free(memory, 3, 7)
    fields.set_free_pages(memory, -5)
    zone = zone_of(allocator)

    assert zone.tag == {33: 0, 36: 2, 38: 1, 40: 3}
    assert zone.nr_free == [-1, 0, 1, 7]
    assert zone.free_pages == -5


@pytest.mark.parametrize("design", ["tag", "bitmap"])
def test_pair_bits_are_the_bitmap_design_s(design: str) -> None:
    """Bits are numbered from the era's index base; the tag design has none."""
    machine = Machine(16, 3, ERAS["2.6.8" if design == "bitmap" else "2.6.11"], start=32)
    allocator = Allocator(machine, jit=False)
    allocator.alloc(0)

    some = [{4}, {2}, {1}, set[int]()]  # block 40 is the list's head: index 8
    assert zone_of(allocator).pair_bits == (some if design == "bitmap" else [set()] * 4)


TEARS = {
    "unlinked backward only": lambda mem, p: fields.set_prev(mem, fields.next_of(mem, p), 0),
    "unlinked forward only": lambda mem, p: fields.set_next(mem, fields.prev_of(mem, p), p + 1),
    "links to itself": lambda mem, p: fields.set_next(mem, p, p),
    "links to another head": lambda mem, p: fields.set_next(mem, p, 1 << fields.TYPES_SHIFT),
    "links out of the buffer": lambda mem, p: fields.set_next(mem, p, 2**31),
    "links to nothing": lambda mem, p: fields.set_next(mem, p, 4095),
}


@pytest.mark.parametrize("tear", TEARS)
def test_torn_lists_are_named(allocator: Allocator, tear: str) -> None:
    """Where next and prev disagree the reader stops, and says at which slot."""
    TEARS[tear](allocator.memory, slot(allocator, 36))

    with pytest.raises(TornList, match="a free list is torn here") as caught:
        zone_of(allocator)
    assert caught.value.slot in (2 << fields.TYPES_SHIFT, slot(allocator, 36))


def test_reading_changes_nothing() -> None:
    """A busy zone reads the same twice, and its memory keeps its bytes."""
    allocator = Allocator(MACHINES[0])
    Stream(allocator, 1).run(500)
    before = allocator.memory.array.tobytes()

    assert zone_of(allocator) == zone_of(allocator)
    assert before == allocator.memory.array.tobytes()
