"""The bytes that a CPU has charged in advance: the twin of the spec's `slab.stock`."""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.choices import CHARGE_SLABS
from pageimpl.slab.groups import charge_frames, settle, uncharge_frames
from pageimpl.slab.places import cpu_row, group_row
from pageimpl.slab.sizes import PAGE_SHIFT
from pageimpl.slab.state import (
    SlabMemory,
    charge_of,
    rest_of,
    set_rest,
    set_stock_bytes,
    set_stock_group,
    stock_bytes_of,
    stock_group_of,
)

PAGE = 1 << PAGE_SHIFT


@inlined
def charge_bytes(mem: SlabMemory, cpu: int, group: int, size: int) -> bool:
    """Charge a group for so many bytes; False, with nothing changed, if its limit forbids it."""
    row = cpu_row(mem, cpu)
    left = stock_bytes_of(mem, row) - size
    if stock_group_of(mem, row) == group and left >= 0:
        set_stock_bytes(mem, row, left)
        return True
    return charge_anew(mem, row, group, size)


@kernel
def charge_anew(mem: SlabMemory, row: int, group: int, size: int) -> bool:
    """The same where the CPU's stock cannot serve it."""
    frames = size + PAGE - 1 >> PAGE_SHIFT
    if not charge_frames(mem, group, frames):
        return False
    rest = (frames << PAGE_SHIFT) - size
    if rest:
        refill(mem, row, group, rest, True)
    return True


@inlined
def uncharge_bytes(mem: SlabMemory, cpu: int, group: int, size: int) -> None:
    """Give back bytes that a group has paid for, into the CPU's stock."""
    row = cpu_row(mem, cpu)
    more = stock_bytes_of(mem, row) + size
    if stock_group_of(mem, row) == group and more <= PAGE:
        set_stock_bytes(mem, row, more)
    else:
        refill(mem, row, group, size, False)


@kernel
def refill(mem: SlabMemory, row: int, group: int, size: int, charging: bool) -> None:
    """Add to the stock of a CPU's row, and if it has more than a frame then, return frames."""
    other = stock_group_of(mem, row) != group
    if other:
        drain_stock(mem, row)
        g = group_row(mem, group)
        set_stock_group(mem, row, group)
        set_stock_bytes(mem, row, rest_of(mem, g))
        set_rest(mem, g, 0)
    size += stock_bytes_of(mem, row)
    set_stock_bytes(mem, row, size)
    if size <= PAGE:
        return
    if charge_of(mem) == CHARGE_SLABS:
        drain_stock(mem, row)
    elif other or not charging:
        uncharge_frames(mem, group, size >> PAGE_SHIFT)
        set_stock_bytes(mem, row, size & PAGE - 1)


@kernel
def drain_stock(mem: SlabMemory, row: int) -> None:
    """Empty a CPU's stock: whole frames are uncharged, what is left is the group's rest."""
    group, size = stock_group_of(mem, row), stock_bytes_of(mem, row)
    if group == 0:
        return
    g = group_row(mem, group)
    uncharge_frames(mem, group, size >> PAGE_SHIFT)
    set_rest(mem, g, rest_of(mem, g) + (size & PAGE - 1))
    set_stock_group(mem, row, 0)
    set_stock_bytes(mem, row, 0)
    settle(mem, group)
