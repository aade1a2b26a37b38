"""One cell, and what a change makes of it: the twin of the spec's `vmstat.cell`.

Each function returns the pages to tell, 0 for none, and what is left in the cell. An increment or
decrement is made in the cell's own width before it is compared, as the kernel does: a threshold
that leaves no room for one more breaks it. A sum with many pages is made in a machine word.
"""

from pageimpl.jitcache import kernel
from pageimpl.vmstat.choices import LONG, S8, S16, U16
from pageimpl.vmstat.state import (
    CounterMemory,
    compare_long,
    compare_s8,
    compare_s16,
    compare_u16,
    long_at,
    s8_at,
    s16_at,
    set_long,
    set_s8,
    set_s16,
    set_u16,
    u16_at,
)


@kernel
def cell_at(mem: CounterMemory, at: int, width: int) -> int:
    """What the cell at that byte holds."""
    if width == S8:
        return s8_at(mem, at)
    if width == LONG:
        return long_at(mem, at)
    return u16_at(mem, at) if width == U16 else s16_at(mem, at)


@kernel
def set_cell(mem: CounterMemory, at: int, width: int, value: int) -> None:
    """Write the cell at that byte; what does not fit is cut off."""
    if width == S8:
        set_s8(mem, at, value)
    elif width == LONG:
        set_long(mem, at, value)
    elif width == U16:
        set_u16(mem, at, value)
    else:
        set_s16(mem, at, value)


@kernel
def compare_cell(mem: CounterMemory, at: int, width: int, expected: int, value: int) -> bool:
    """Write the cell if it still holds what is expected, in one step; whether it did."""
    if width == S8:
        return compare_s8(mem, at, expected, value)
    if width == LONG:
        return compare_long(mem, at, expected, value)
    if width == U16:
        return compare_u16(mem, at, expected, value)
    return compare_s16(mem, at, expected, value)


@kernel
def narrowed(value: int, width: int) -> int:
    """What a cell of that width makes of a number."""
    if width == S8:
        return ((value + 0x80) & 0xFF) - 0x80
    if width == S16:
        return ((value + 0x8000) & 0xFFFF) - 0x8000
    return value & 0xFFFF if width == U16 else value


@kernel
def mod(diff: int, delta: int, threshold: int) -> tuple[int, int]:
    """Add to the cell; beyond the threshold, tell all of it."""
    total = diff + delta
    if total > threshold or total < -threshold:
        return total, 0
    return 0, total


@kernel
def inc(diff: int, threshold: int, width: int) -> tuple[int, int]:
    """Add one; beyond the threshold, tell all of it and half a threshold more."""
    total = narrowed(diff + 1, width)
    if total <= threshold:
        return 0, total
    overstep = threshold >> 1
    return total + overstep, -overstep


@kernel
def dec(diff: int, threshold: int, width: int) -> tuple[int, int]:
    """Take one away; beyond the threshold below 0, tell all of it and half a threshold more."""
    total = narrowed(diff - 1, width)
    if total >= -threshold:
        return 0, total
    overstep = threshold >> 1
    return total - overstep, overstep


@kernel
def exchange(diff: int, delta: int, threshold: int, lean: int) -> tuple[int, int]:
    """Add to the cell in one exchange; beyond the threshold, tell it and what it leans to."""
    total = diff + delta
    if total <= threshold and total >= -threshold:
        return 0, total
    overstep = lean * (threshold >> 1)
    return total + overstep, -overstep


@kernel
def inc_without_overstep(diff: int, threshold: int, width: int) -> tuple[int, int]:
    """Add one; beyond the threshold, tell all of it."""
    total = narrowed(diff + 1, width)
    if total > threshold:
        return total, 0
    return 0, total
