"""What is done to objects as they come and go: the twin of the spec's `slab.hooks`."""

from pageimpl.jitcache import inlined, kernel
from pageimpl.slab.choices import BY_OBJECTS
from pageimpl.slab.places import cpu_row, group_row, hold, set_link
from pageimpl.slab.state import (
    NOTHING,
    SlabMemory,
    last_withheld_of,
    nr_charged_of,
    scheme_of,
    set_first_withheld,
    set_last_withheld,
    set_nr_charged,
)


@inlined
def charged_for(mem: SlabMemory, group: int) -> int:
    """Who is charged for an object that a group gets: the group, if it pays by the object."""
    return group if scheme_of(mem) == BY_OBJECTS else 0


@inlined
def count_charged(mem: SlabMemory, charged: int, objects: int) -> None:
    """Count objects that are given out, which whoever takes them enters as held."""
    if charged:
        g = group_row(mem, charged)
        set_nr_charged(mem, g, nr_charged_of(mem, g) + objects)


@inlined
def give_out(mem: SlabMemory, group: int, p: int) -> None:
    """Let an object be held from now on, charged to a group if it pays by the object."""
    charged = charged_for(mem, group)
    hold(mem, p, charged)
    count_charged(mem, charged, 1)


@kernel
def withhold(mem: SlabMemory, cpu: int, p: int) -> None:
    """Let an object be held no more, and not be used again yet."""
    row = cpu_row(mem, cpu)
    last = last_withheld_of(mem, row)
    set_link(mem, p, NOTHING)
    if last == NOTHING:
        set_first_withheld(mem, row, p)
    else:
        set_link(mem, last, p)
    set_last_withheld(mem, row, p)
