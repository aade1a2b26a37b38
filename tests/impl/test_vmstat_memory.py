"""The counters' buffer: its cost, its bounds, and accessors that mean the same in both forms."""

import inspect
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pageimpl.jitcache import compiled, kernel_files, operand
from pageimpl.memory import Field, OutsideMemory
from pageimpl.vmstat import state
from pageimpl.vmstat.layout import empty_counters
from pageimpl.vmstat.state import AREAS_FIRST, LINE, LOADS, STORES, CounterMemory
from pagespec.era import ERAS
from pagespec.machine import MAX_CPUS
from pagespec.vmstat.machine import MAX_ZONES, CountedZone, CounterMachine
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName

SIZE = AREAS_FIRST + 2 * LINE


def names_of_fields() -> dict[str, Callable[..., int | None]]:
    accessors = [accessor for accessor, _ in [*LOADS, *STORES]]
    return {n: value for n, value in vars(state).items() if any(value is a for a in accessors)}


def field_of(name: str) -> Field:
    named = names_of_fields()
    return next(field for accessor, field in [*LOADS, *STORES] if accessor is named[name])


def load_for(store: str) -> str:
    return next(n for n in (f"{store[4:]}_of", f"{store[4:]}_at") if n in names_of_fields())


def test_every_accessor_has_a_name() -> None:
    """The table and the module agree: nothing is lowered that kernels can't call."""
    assert len(names_of_fields()) == len(LOADS) + len(STORES)


def test_loads_and_stores_are_of_one_field() -> None:
    """What a store writes is what the load of its name reads."""
    for name in names_of_fields():
        if name.startswith("set_"):
            assert field_of(name) == field_of(load_for(name))


def test_fields_do_not_overlap() -> None:
    """No two words of a row, or rows, share a byte; what has the machine's stride is there once."""
    words = [(field.offset, 8) for _, field in LOADS if field.stride == 0]
    in_rows = 0
    for rows in (state.ITEM_ROWS, state.NODE_ROWS, state.ZONE_ROWS, state.PLACE_ROWS):
        offsets = [
            field.offset
            for _, field in LOADS
            if field.stride == rows.stride and 0 <= field.offset - rows.first < rows.stride
        ]
        assert len(set(offsets)) == len(offsets) > 2
        in_rows += len(offsets)
        words += [
            (offset + number * rows.stride, 8)
            for offset in offsets
            for number in range(rows.number)
        ]
    words.sort()

    assert in_rows == len([field for _, field in LOADS if field.stride in (LINE, LINE // 2)])
    for (low, width), (high, _) in pairwise(words):
        assert low + width <= high
    assert words[-1][0] + 8 <= AREAS_FIRST


VALUES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 2**31, 2**62, -1, -0x80, -0x81, -0x8001)


def places_of(name: str) -> list[int]:
    """The first and the last index of an accessor."""
    field = field_of(name)
    if field.stride == 1:
        return [AREAS_FIRST, SIZE - field.width - field.offset]
    if field.stride == 0:
        return [0]
    sections = (state.ITEM_ROWS, state.NODE_ROWS, state.ZONE_ROWS, state.PLACE_ROWS)
    return [0, next(r.number - 1 for r in sections if 0 <= field.offset - r.first < r.stride)]


@pytest.mark.parametrize("name", [name for name in names_of_fields() if name[:4] == "set_"])
def test_compiled_accessors_are_the_plain_ones(name: str) -> None:
    """Each store and load cuts off and extends alike in both forms, at both ends."""
    store, load = names_of_fields()[name], names_of_fields()[load_for(name)]

    def write_one(buffer: object, index: int, value: int) -> int | None:
        store(buffer, value)
        return load(buffer)

    def write_at(buffer: object, index: int, value: int) -> int | None:
        store(buffer, index, value)
        return load(buffer, index)

    plain_form = write_one if len(inspect.signature(store).parameters) == 2 else write_at
    compiled_form = compiled(plain_form, keep=False)
    for index in places_of(name):
        for value in VALUES:
            expected, actual = CounterMemory(SIZE), CounterMemory(SIZE)
            returned = plain_form(expected, index, value)
            assert returned == compiled_form(operand(actual, compiled=True), index, value)
            assert np.array_equal(expected.array, actual.array)
            field = field_of(name)
            assert expected.array.nonzero()[0].size <= field.width
            assert (returned == value) or field.width < 8


@pytest.mark.parametrize("name", [name for name in names_of_fields() if name[:4] == "set_"])
def test_plain_code_cannot_leave_its_part(name: str) -> None:
    """An index beside the first or last one is refused, and so is a cell off its alignment."""
    store, load = names_of_fields()[name], names_of_fields()[load_for(name)]
    field, places = field_of(name), places_of(name)
    if field.stride == 0:
        return
    step = field.width if field.stride == 1 else 1
    wrong = [
        places[0] - step - field.offset * (field.stride == 1),
        places[-1] + step,
        -(2**40),
        2**40,
    ]
    if field.width > 1 and field.stride == 1:
        wrong.append(places[0] + field.width // 2)
    memory = CounterMemory(SIZE)
    for index in wrong:
        with pytest.raises(OutsideMemory, match="is outside the buffer"):
            load(memory, index)
        with pytest.raises(OutsideMemory, match="is outside the buffer"):
            store(memory, index, 1)
    assert not memory.array.any()


@pytest.mark.parametrize("numa", NUMA_DESIGNS)
def test_cells_cost_what_they_are_wide(numa: NumaName) -> None:
    """CPUs share no cache line, a cell takes its width, and the largest machine fits 20 MB."""
    zones = tuple(CountedZone(number % 64, 1000) for number in range(MAX_ZONES))
    width = {"longs": 8, "events": 8, "items": 1, "u16": 2, "s16-draft": 2}[numa]
    counted = 64 if numa == "s16-draft" else MAX_ZONES
    machine = CounterMachine(ERAS["6.1"], (0,) * MAX_CPUS, zones, numa=numa)
    memory = empty_counters(machine)

    cells = 2 * MAX_ZONES + 64 + 6 * counted * width
    assert memory.address % LINE == state.area_stride_of(memory) % LINE == 0
    assert LINE + cells <= state.area_stride_of(memory) < 2 * LINE + cells
    assert AREAS_FIRST <= 90 * 1024
    assert memory.size < 20 * 10**6


def test_kernels_and_their_vocabulary_are_in_the_key() -> None:
    """A change of a kernel, or of the numbers that it takes from the spec, compiles anew."""
    files = {Path(*file.parts[-3:]).as_posix() for file in kernel_files()}

    for name in ("cell", "threshold", "update", "state", "choices", "verbs"):
        assert f"pageimpl/vmstat/{name}.py" in files
    assert {"pagespec/vmstat/machine.py", "pagespec/vmstat/verbs.py"} <= files
