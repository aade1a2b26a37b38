"""The buffer: its cost, its bounds, and accessors that mean the same in both forms."""

import inspect
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from pageimpl import memory as fields
from pageimpl.allocator import Allocator, Stream
from pageimpl.jitcache import compiled, operand
from pageimpl.layout import empty_zone, records_of
from pageimpl.memory import LOADS, STORES, Memory, OutsideMemory, Words
from pageimpl.pcp import state as areas
from pageimpl.refine import zone_of
from pagespec.era import ERAS
from pagespec.machine import MAX_PAGES, Machine
from pagespec.zone import free_blocks

BIG = Machine(MAX_PAGES, 10, ERAS["6.1"], start=3)


@pytest.mark.parametrize("era", ["2.6.8", "6.1"])
@pytest.mark.parametrize("top", [10, 15])
def test_a_frame_costs_less_than_24_bytes(era: str, top: int) -> None:
    """64 GiB of frames fit in 24 bytes each, all fixed slots included, and aligned to a line."""
    memory = empty_zone(Machine(MAX_PAGES, top, ERAS[era], start=MAX_PAGES - 1))

    assert len(memory.array) <= 24 * MAX_PAGES
    assert memory.address % 64 == 0


def test_the_largest_zone_serves() -> None:
    """A stream over 16 Mi frames keeps its counts, and all can be had back."""
    allocator = Allocator(BIG)
    Stream(allocator, 1).run(200_000)
    zone = zone_of(allocator)

    free = sum(1 << block.order for block in free_blocks(zone))
    held = sum(1 << block.order for block in zone.held.values())
    assert free == zone.free_pages
    assert free + held == MAX_PAGES
    for pfn, block in zone.held.items():
        for _ in range(block.refs - 1):
            allocator.put(pfn)
        allocator.free(pfn, block.order)
    assert zone_of(allocator).nr_free == zone_of(Allocator(BIG)).nr_free


def names_of_fields() -> dict[str, Callable[..., int | None]]:
    accessors = [accessor for accessor, _ in [*LOADS, *STORES]]
    words = {**vars(fields), **vars(areas)}
    return {name: value for name, value in words.items() if any(value is a for a in accessors)}


def test_every_accessor_has_a_name() -> None:
    """The table and the module agree: nothing is lowered that kernels can't call."""
    assert len(names_of_fields()) == len(LOADS) + len(STORES)


def test_fields_do_not_overlap() -> None:
    """No two fields share a byte, except the counts, which never live in the same slot."""
    inside = sorted({(f.offset, f.width) for _, f in LOADS if f.stride == fields.RECORD})
    rows = [(f.offset, 8 * (1 + last_index(load))) for load, f in LOADS if is_row(f)]
    single = sorted([*rows, *((f.offset, f.width) for _, f in LOADS if f.stride == 0)])

    for places in (inside, single):
        for (low, width), (high, _) in pairwise(places):
            assert low + width <= high
    assert sum(single[-1]) <= fields.HEAD_SLOTS * fields.RECORD


def is_row(field: fields.Field) -> bool:
    return field.stride == 8 and field.offset != 0


def last_index(load: Callable[..., int | None]) -> int:
    """The largest index that a row, or an area's word in a small buffer, lets through."""
    for index in range(fields.HEAD_SLOTS - 1, 0, -1):
        try:
            load(Memory(fields.HEAD_SLOTS), index)
        except OutsideMemory:
            continue
        return index
    return 0


VALUES = (0, 1, 0x7F, 0x80, 0xFF, 0x1234, 2**31, 2**32 - 1, -1)


@pytest.mark.parametrize("name", [name for name in names_of_fields() if name[:4] == "set_"])
def test_compiled_accessors_are_the_plain_ones(name: str) -> None:
    """Each store and load truncates and extends alike in both forms, at both ends of the buffer."""
    named = names_of_fields()
    store = named[name]
    load = named.get(name[4:] + "_of") or named[name[4:] + "_at"]

    def write_one(buffer: object, index: int, value: int) -> int | None:
        store(buffer, value)
        return load(buffer)

    def write_at(buffer: object, index: int, value: int) -> int | None:
        store(buffer, index, value)
        return load(buffer, index)

    single = len(inspect.signature(store).parameters) == 2
    plain_form = write_one if single else write_at
    compiled_form = compiled(plain_form, keep=False)
    last = fields.HEAD_SLOTS - 1
    if any(load is a and is_row(f) for a, f in LOADS) or load in vars(areas).values():
        last = last_index(load)
    for index in (0, last):
        for value in VALUES:
            expected, actual = buffer_for(name), buffer_for(name)
            returned = plain_form(expected, index, value)
            assert returned == compiled_form(operand(actual), index, value)
            assert np.array_equal(expected.array, actual.array)


def buffer_for(name: str) -> Memory | Words:
    return Words(fields.HEAD_SLOTS) if name == "set_word" else Memory(fields.HEAD_SLOTS)


@pytest.mark.parametrize("index", [-1, -4096, 4096, 2**40])
@pytest.mark.parametrize("accessor", ["next_of", "tag_of", "refs_of", "byte_at"])
def test_plain_code_cannot_leave_the_buffer(accessor: str, index: int) -> None:
    """A read or write outside says where; compiled code would have read what lies there."""
    memory = Memory(fields.HEAD_SLOTS)
    if accessor == "byte_at":
        index *= fields.RECORD

    with pytest.raises(OutsideMemory, match=f"index {index} is outside"):
        names_of_fields()[accessor](memory, index)
    store = names_of_fields()["set_" + accessor[:-3]]
    with pytest.raises(OutsideMemory, match=f"index {index} is outside"):
        store(memory, index, 1)


def test_records_read_as_a_table() -> None:
    """What numpy calls a field is what the accessors call it."""
    memory = Memory(fields.HEAD_SLOTS)
    names = ("next", "prev", "nr_free", "tag", "owner", "type", "listed_type")
    for value, name in enumerate(names, 1):
        names_of_fields()[f"set_{name}"](memory, 9, value)
    record = records_of(memory)[9]

    assert record.tolist() == (1, 2, 3, 3, 4, 5, 6, 7)


def test_words_cannot_be_left() -> None:
    """Neither can a buffer of words."""
    with pytest.raises(OutsideMemory):
        fields.word_at(Words(4), 4)
    with pytest.raises(OutsideMemory):
        fields.set_word(Words(4), -1, 0)
