"""Groups that are charged: what they owe in frames, and when they are gone.

The twin of the spec's `slab.groups`.
"""

from pageimpl.jitcache import kernel
from pageimpl.slab.caches import give_up
from pageimpl.slab.choices import NO_LIMIT, SLUB
from pageimpl.slab.places import cpu_row, group_row
from pageimpl.slab.sizes import PAGE_SHIFT
from pageimpl.slab.state import (
    NOTHING,
    SlabMemory,
    charged_pages_of,
    cpus_of,
    design_of,
    first_cache_of,
    group_of,
    later_of,
    limit_of,
    nr_charged_of,
    online_of,
    rest_of,
    set_charged_pages,
    set_kept,
    set_known,
    set_lost,
    set_online,
    set_partials,
    set_rest,
    stock_group_of,
)


@kernel
def open_group(mem: SlabMemory, group: int) -> None:
    """Let there be a group with nothing charged."""
    g = group_row(mem, group)
    set_known(mem, g, 1)
    set_online(mem, g, 1)
    set_charged_pages(mem, g, 0)
    set_rest(mem, g, 0)
    set_lost(mem, g, 0)


@kernel
def close_group(mem: SlabMemory, group: int) -> None:
    """Let a group go: nothing is charged anew; its own caches, which keep nothing now in SLUB."""
    set_online(mem, group_row(mem, group), 0)
    c = first_cache_of(mem) if design_of(mem) == SLUB else NOTHING
    while c != NOTHING:
        if group_of(mem, c) == group:
            set_partials(mem, c, 0)
            set_kept(mem, c, 0)
        c = later_of(mem, c)


@kernel
def charge_frames(mem: SlabMemory, group: int, frames: int) -> bool:
    """Charge a group for frames, in one step, unless that is more than its limit."""
    g, limit = group_row(mem, group), limit_of(mem)
    pages = charged_pages_of(mem, g) + frames
    if limit != NO_LIMIT and pages > limit:
        return False
    set_charged_pages(mem, g, pages)
    return True


@kernel
def uncharge_frames(mem: SlabMemory, group: int, frames: int) -> None:
    """Give back frames that a group has paid for."""
    g = group_row(mem, group)
    set_charged_pages(mem, g, charged_pages_of(mem, g) - frames)


@kernel
def has_stock(mem: SlabMemory, group: int) -> bool:
    """Whether a CPU has bytes in stock for a group."""
    cpu = cpus_of(mem) - 1
    while cpu >= 0 and stock_group_of(mem, cpu_row(mem, cpu)) != group:
        cpu -= 1
    return cpu >= 0


@kernel
def settle(mem: SlabMemory, group: int) -> None:
    """Close the account of a group that has gone, if nothing refers to it any more."""
    g = group_row(mem, group)
    if online_of(mem, g) or nr_charged_of(mem, g) or has_stock(mem, group):
        return
    pages = charged_pages_of(mem, g) - (rest_of(mem, g) >> PAGE_SHIFT)
    set_charged_pages(mem, g, pages)
    set_rest(mem, g, rest_of(mem, g) & (1 << PAGE_SHIFT) - 1)
    if pages == 0:
        set_known(mem, g, 0)
        c = first_cache_of(mem)
        while c != NOTHING:
            later = later_of(mem, c)
            if group_of(mem, c) == group:
                give_up(mem, c)
            c = later
