"""Changing a counter: the CPU's cell, the zone or node, the machine's total.

The twin of the spec's `vmstat.update`. An update under way is a row of the table at the buffer's
end, oldest first; whoever begins one has seen to it that there is room.

Threads that share the counters change a cell and what has been told in single atomic steps, since
whoever reads NUMA statistics may fold the cells of other CPUs.
"""

from pageimpl.jitcache import kernel
from pageimpl.vmstat.cell import (
    cell_at,
    compare_cell,
    dec,
    exchange,
    inc,
    inc_without_overstep,
    mod,
    set_cell,
)
from pageimpl.vmstat.choices import NEVER, TELL_PLACE, TELL_TOTAL, WRITE_CELL
from pageimpl.vmstat.counters import area_of, cell_of, threshold_of
from pageimpl.vmstat.state import (
    LINE,
    CounterMemory,
    add_in_lists,
    add_told,
    add_told_times,
    add_total,
    exchanges_cells_of,
    in_lists_of,
    item_of,
    left_of,
    oversteps_of,
    set_held_up,
    set_in_lists,
    set_left,
    set_stage,
    set_told,
    set_told_times,
    set_total,
    set_update_cpu,
    set_update_pages,
    set_update_place,
    set_updates,
    set_writes_cell,
    shared_of,
    stage_of,
    told_of,
    told_times_of,
    total_of,
    update_cpu_of,
    update_pages_of,
    update_place_of,
    updates_first_of,
    updates_of,
    width_of,
    writes_cell_of,
    zones_of,
)
from pageimpl.vmstat.verbs import HIT


@kernel
def told_by(
    mem: CounterMemory, place: int, diff: int, delta: int, lean: int, by_exchange: bool
) -> tuple[int, int]:
    """What the change makes of a cell: the pages to tell, and what is left in it."""
    threshold, item = threshold_of(mem, place), item_of(mem, place)
    if threshold == NEVER:
        return 0, diff + delta
    width = width_of(mem, item)
    if item >= HIT and not oversteps_of(mem):
        return inc_without_overstep(diff, threshold, width)
    if by_exchange:
        return exchange(diff, delta, threshold, lean)
    if lean == 0:
        return mod(diff, delta, threshold)
    if lean > 0:
        return inc(diff, threshold, width)
    return dec(diff, threshold, width)


@kernel
def tell_place(mem: CounterMemory, place: int, pages: int) -> None:
    """Tell the zone or node."""
    if shared_of(mem):
        add_told(mem, place, pages)
        add_told_times(mem, 1)
        return
    set_told(mem, place, told_of(mem, place) + pages)
    set_told_times(mem, told_times_of(mem) + 1)


@kernel
def tell_total(mem: CounterMemory, item: int, pages: int) -> None:
    """Tell the whole machine."""
    if shared_of(mem):
        add_total(mem, item, pages)
    else:
        set_total(mem, item, total_of(mem, item) + pages)


@kernel
def move(mem: CounterMemory, place: int, delta: int) -> None:
    """Let the zone's lists follow a counter of free frames, whose numbers are those of zones."""
    if place >= zones_of(mem):
        return
    if shared_of(mem):
        add_in_lists(mem, place, delta)
    else:
        set_in_lists(mem, place, in_lists_of(mem, place) + delta)


@kernel
def change(mem: CounterMemory, cpu: int, place: int, delta: int, lean: int, irqs_on: bool) -> None:
    """Add to a counter on a CPU, with nothing in between."""
    move(mem, place, delta)
    if shared_of(mem):
        change_shared(mem, cpu, place, delta, lean, irqs_on)
        return
    at, item = cell_of(mem, cpu, place), item_of(mem, place)
    width = width_of(mem, item)
    by_exchange = irqs_on and exchanges_cells_of(mem) != 0
    pages, left = told_by(mem, place, cell_at(mem, at, width), delta, lean, by_exchange)
    if by_exchange:
        set_cell(mem, at, width, left)
    if pages:
        tell_place(mem, place, pages)
        tell_total(mem, item, pages)
    if not by_exchange:
        set_cell(mem, at, width, left)


@kernel
def change_shared(
    mem: CounterMemory, cpu: int, place: int, delta: int, lean: int, irqs_on: bool
) -> None:
    """Add to a counter whose cell another thread may fold meanwhile."""
    at, item = cell_of(mem, cpu, place), item_of(mem, place)
    width = width_of(mem, item)
    by_exchange = irqs_on and exchanges_cells_of(mem) != 0
    while True:
        diff = cell_at(mem, at, width)
        pages, left = told_by(mem, place, diff, delta, lean, by_exchange)
        if compare_cell(mem, at, width, diff, left):
            break
    if pages:
        tell_place(mem, place, pages)
        tell_total(mem, item, pages)


@kernel
def begin(mem: CounterMemory, cpu: int, place: int, delta: int, lean: int, irqs_on: bool) -> None:
    """Change the CPU's cell, and leave what is to be told to an update under way.

    Where there is something to tell, the plain way leaves the cell as it was, or one further.
    """
    move(mem, place, delta)
    at, width = cell_of(mem, cpu, place), width_of(mem, item_of(mem, place))
    by_exchange = irqs_on and exchanges_cells_of(mem) != 0
    pages, left = told_by(mem, place, cell_at(mem, at, width), delta, lean, by_exchange)
    if pages == 0 or by_exchange:
        set_cell(mem, at, width, left)
    else:
        set_cell(mem, at, width, cell_at(mem, at, width) + lean)
    if pages == 0:
        return
    u = add_update(mem, place, pages, cpu, TELL_PLACE)
    if not by_exchange:
        set_writes_cell(mem, u, 1)
        set_left(mem, u, left)
        set_held_up(mem, area_of(mem, cpu), 1)


@kernel
def update_at(mem: CounterMemory, number: int) -> int:
    """Where the row of an update is, the oldest being 0."""
    return updates_first_of(mem) + number * LINE


@kernel
def add_update(mem: CounterMemory, place: int, pages: int, cpu: int, stage: int) -> int:
    """Put an update that writes no cell under way, and return where its row is."""
    count = updates_of(mem)
    u = update_at(mem, count)
    set_update_place(mem, u, place)
    set_update_pages(mem, u, pages)
    set_update_cpu(mem, u, cpu)
    set_stage(mem, u, stage)
    set_writes_cell(mem, u, 0)
    set_left(mem, u, 0)
    set_updates(mem, count + 1)
    return u


@kernel
def remove_update(mem: CounterMemory, number: int) -> None:
    """Take an update off the table; those behind it move up."""
    last = updates_of(mem) - 1
    for at in range(number, last):
        u = update_at(mem, at)
        after = u + LINE
        set_update_place(mem, u, update_place_of(mem, after))
        set_update_pages(mem, u, update_pages_of(mem, after))
        set_update_cpu(mem, u, update_cpu_of(mem, after))
        set_stage(mem, u, stage_of(mem, after))
        set_writes_cell(mem, u, writes_cell_of(mem, after))
        set_left(mem, u, left_of(mem, after))
    set_updates(mem, last)


@kernel
def land(mem: CounterMemory, number: int) -> None:
    """Let an update that is under way take its next step."""
    u = update_at(mem, number)
    place, stage = update_place_of(mem, u), stage_of(mem, u)
    item = item_of(mem, place)
    if stage == TELL_PLACE:
        tell_place(mem, place, update_pages_of(mem, u))
        set_stage(mem, u, TELL_TOTAL)
        return
    if stage == TELL_TOTAL:
        tell_total(mem, item, update_pages_of(mem, u))
        if writes_cell_of(mem, u):
            set_stage(mem, u, WRITE_CELL)
            return
    else:
        cpu = update_cpu_of(mem, u)
        set_cell(mem, cell_of(mem, cpu, place), width_of(mem, item), left_of(mem, u))
        set_held_up(mem, area_of(mem, cpu), 0)
    remove_update(mem, number)
