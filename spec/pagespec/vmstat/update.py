"""Changing a counter: the CPU's cell first, then the zone or node, then the machine's total.

Source: mm/vmstat.c (__mod_zone_page_state, __inc_zone_state, __dec_zone_state, mod_zone_state,
zone_page_state_add), 2.6.24 to 6.12.
"""

from typing import Literal, TypeAlias

from pagespec.steps import Step, Steps
from pagespec.vmstat import cell
from pagespec.vmstat.cell import Told
from pagespec.vmstat.counters import Counters, Stage, Update, threshold_of
from pagespec.vmstat.machine import NUMA_ITEMS
from pagespec.vmstat.numa import NEVER

Lean: TypeAlias = Literal[-1, 0, 1]
"""What kind of change it is: an increment, a decrement, or any number of pages."""


def change(
    counters: Counters, place: int, delta: int, lean: Lean = 0, *, irqs_on: bool = False
) -> Steps[None]:
    """Add to a counter on the CPU at work.

    irqs_on: whether the caller can be interrupted; then the cell is changed in one exchange where
    the era can, and interrupts are off for the whole update where it cannot. Otherwise it is the
    caller who sees to it that nobody else on the CPU changes the counter meanwhile.
    """
    if irqs_on and counters.machine.era.exchanges_cells:
        yield from change_by_exchange(counters, place, delta, lean)
        return
    if irqs_on:
        yield Step.IRQS_OFF
    yield from change_plainly(counters, place, delta, lean)
    if irqs_on:
        yield Step.IRQS_ON


def change_by_exchange(counters: Counters, place: int, delta: int, lean: Lean) -> Steps[None]:
    """Change the cell in one instruction, and tell afterwards what it could not hold.

    Who has read another value than he exchanges begins anew; so it is one step.
    """
    update = begin(counters, counters.on_cpu, place, delta, lean, irqs_on=True)
    while update is not None:
        yield Step.TELL
        update = advance(counters, update)


def change_plainly(counters: Counters, place: int, delta: int, lean: Lean) -> Steps[None]:
    """Read the cell and write it, and tell in between what it can't hold.

    An increment or decrement is written before it is looked at, by one instruction where there is
    one for that; a change by any number is written at the very end.
    """
    cpu = counters.on_cpu
    held = counters.cells[cpu][place]
    yield Step.ADD if lean else Step.EDIT
    update = count_on(counters, cpu, place, held, delta, lean)
    while update is not None:
        yield Step.TELL
        update = advance(counters, update)


def begin(
    counters: Counters, cpu: int, place: int, delta: int, lean: Lean, *, irqs_on: bool
) -> Update | None:
    """Change the CPU's cell, and return what is left to do."""
    held = counters.cells[cpu][place]
    if not (irqs_on and counters.machine.era.exchanges_cells):
        return count_on(counters, cpu, place, held, delta, lean)
    told = told_by(counters, place, held, delta, lean, by_exchange=True)
    counters.cells[cpu][place] = told.left
    return Update(place, told.pages, cpu, Stage.PLACE) if told.pages else None


def count_on(
    counters: Counters, cpu: int, place: int, held: int, delta: int, lean: Lean
) -> Update | None:
    """Change the CPU's cell in the plain way, and return what is left to do.

    held: what the cell held when it was read. Where there is something to tell, the cell is left as
    it was, or one further: an increment or decrement counts before it looks.
    """
    told = told_by(counters, place, held, delta, lean, by_exchange=False)
    if told.pages == 0:
        counters.cells[cpu][place] = told.left
        return None
    if lean:
        counters.cells[cpu][place] = held + lean
    return Update(place, told.pages, cpu, Stage.PLACE, told.left)


def told_by(
    counters: Counters, place: int, diff: int, delta: int, lean: Lean, *, by_exchange: bool
) -> Told:
    """What the change makes of a cell."""
    machine = counters.machine
    threshold = threshold_of(counters, counters.places[place])
    if threshold == NEVER:
        return Told(0, diff + delta)
    if counters.places[place].item in NUMA_ITEMS and not machine.design.overstep:
        return cell.inc_without_overstep(diff, threshold)
    if by_exchange:
        return cell.exchange(diff, delta, threshold, lean)
    if lean == 0:
        return cell.mod(diff, delta, threshold)
    return cell.inc(diff, threshold) if lean == 1 else cell.dec(diff, threshold)


def advance(counters: Counters, update: Update) -> Update | None:
    """Take the update's next step, and return what is left to do."""
    if update.stage is Stage.PLACE:
        counters.told[update.place] += update.pages
        counters.told_times += 1
        return update._replace(stage=Stage.TOTAL)
    if update.stage is Stage.TOTAL:
        counters.totals[counters.places[update.place].item] += update.pages
        return None if update.left is None else update._replace(stage=Stage.CELL)
    assert update.left is not None
    counters.cells[update.cpu][update.place] = update.left
    return None


def land(counters: Counters, number: int) -> None:
    """Let an update that is under way take its next step."""
    update = advance(counters, counters.updates[number])
    counters.updates[number : number + 1] = [] if update is None else [update]
