"""What a request must leave of the counts, by closed forms and tables, not step by step.

So many updates by one make a cell go round: it is told each time it has come so far from where the
last telling left it. One division says how often that was and where it stands.
"""

from dataclasses import dataclass

from pagespec.vmstat.counters import Counters, Stage, Update
from pagespec.vmstat.laws.changes import Change
from pagespec.vmstat.laws.limits import limit_of
from pagespec.vmstat.laws.wording import named
from pagespec.vmstat.machine import NUMA_ITEMS, CounterMachine, Item, Place
from pagespec.vmstat.verbs import CounterOp

REFRESHED = frozenset({"items", "u16", "s16-draft"})
"""The NUMA designs whose cells the periodic worker empties."""

LEFT_BEHIND = frozenset({"items", "s16-draft"})
"""Those where half a threshold is left behind, as other counters do."""


@dataclass(slots=True)
class Counts:
    """What is told and kept: a state without its settings."""

    told: list[int]
    totals: dict[Item, int]
    cells: list[list[int]]
    updates: list[Update]


def counts_of(counters: Counters) -> Counts:
    """What is told and kept, sharing nothing that changes."""
    return Counts(
        counters.told.copy(),
        counters.totals.copy(),
        [cells.copy() for cells in counters.cells],
        counters.updates.copy(),
    )


def left_after(diff: int, threshold: int, times: int, half: int, *, both_ends: bool) -> int:
    """What so many increments leave in a cell that had `diff`.

    half: what a telling leaves behind below 0. both_ends: whether a cell that is still too far
    below 0 after the first one is told as well.

    >>> [left_after(19, 20, times, 10, both_ends=False) for times in (1, 2, 3, 32, 33)]
    [20, -10, -9, 20, -10]
    >>> [left_after(-20, 5, 1, 2, both_ends=both) for both in (False, True)]
    [-19, -2]
    """
    until_told = max(1, threshold + 1 - diff)
    if both_ends and diff + 1 < -threshold:
        until_told = 1
    if times < until_told:
        return diff + times
    return (times - until_told) % (threshold + 1 + half) - half


def due_left(counters: Counters, op: CounterOp, change: Change) -> int:
    """What the changes leave in the CPU's cell."""
    diff, place = counters.cells[op.cpu][change.place], counters.places[change.place]
    limit = limit_of(counters, place)
    if limit is None:
        return diff + change.pages
    if change.kind == "mod":
        return diff + change.by if abs(diff + change.by) <= limit else 0
    half = limit // 2 if leaves_half(counters.machine, place) else 0
    sign, both_ends = change.by, exchanges(counters.machine, op)
    return sign * left_after(sign * diff, limit, change.times, half, both_ends=both_ends)


def leaves_half(machine: CounterMachine, place: Place) -> bool:
    """Whether an update by one leaves half a threshold behind when it tells."""
    return place.item not in NUMA_ITEMS or machine.numa_name in LEFT_BEHIND


def exchanges(machine: CounterMachine, op: CounterOp) -> bool:
    """Whether the cell is changed in one exchange: not before 2.6.39, nor with interrupts off."""
    return op.irqs_on and machine.era.exchanges_cells


def change_counts(counters: Counters, op: CounterOp, changes: list[Change]) -> Counts:
    """The counts after changes on a CPU, each of which is told where its cell goes too far."""
    due = counts_of(counters)
    for change in changes:
        place = change.place
        left = due_left(counters, op, change)
        told = due.cells[op.cpu][place] + change.pages - left
        if op.open and told:
            written = exchanges(counters.machine, op)
            due.updates.append(Update(place, told, op.cpu, Stage.PLACE, None if written else left))
            if not written:
                # One more or less is counted before it is compared.
                due.cells[op.cpu][place] += 0 if change.kind == "mod" else change.by
                continue
        else:
            due.told[place] += told
            due.totals[counters.places[place].item] += told
        due.cells[op.cpu][place] = left
    return due


def land_counts(counters: Counters, number: int) -> Counts:
    """The counts after the next step of an update: the place, the machine, then the cell."""
    due = counts_of(counters)
    update = due.updates[number]
    stages = [Stage.PLACE, Stage.TOTAL, *([] if update.left is None else [Stage.CELL])]
    if update.stage is Stage.PLACE:
        due.told[update.place] += update.pages
    elif update.stage is Stage.TOTAL:
        due.totals[counters.places[update.place].item] += update.pages
    elif update.left is not None:
        due.cells[update.cpu][update.place] = update.left
    later = stages[stages.index(update.stage) + 1 :] if update.stage in stages else []
    due.updates[number : number + 1] = [update._replace(stage=later[0])] if later else []
    return due


def is_read_out(machine: CounterMachine, place: Place) -> bool:
    """Whether a refresh empties the cells of that counter."""
    return place.item not in NUMA_ITEMS or machine.numa_name in REFRESHED


def is_statistic(machine: CounterMachine, place: Place) -> bool:
    """Whether a reader empties the cells of that counter: the events since 5.14."""
    return place.item in NUMA_ITEMS and machine.numa_name == "events"


def emptied_counts(due: Counts, counters: Counters, cpu: int, numbers: list[int]) -> Counts:
    """The counts with those cells of a CPU told to their places and to the machine."""
    for number in numbers:
        pages, due.cells[cpu][number] = due.cells[cpu][number], 0
        due.told[number] += pages
        due.totals[counters.places[number].item] += pages
    return due


def refresh_counts(counters: Counters, cpu: int, *, stops: bool) -> Counts:
    """The counts after a refresh.

    stops: whether it stops once the zones are told; then an update for each item is under way to
    the machine.
    """
    machine, cells = counters.machine, counters.cells[cpu]
    numbers = [
        number
        for number, place in enumerate(counters.places)
        if is_read_out(machine, place) and cells[number]
    ]
    due = emptied_counts(counts_of(counters), counters, cpu, numbers)
    if stops:
        due.totals = counters.totals.copy()
        for item in dict.fromkeys(counters.places[number].item for number in numbers):
            held = [number for number in numbers if counters.places[number].item is item]
            pages = sum(cells[number] for number in held)
            due.updates.append(Update(held[0], pages, cpu, Stage.TOTAL))
    return due


def difference(due: Counts, counters: Counters) -> str | None:
    """Where the counts are not as they are due, in words."""
    for number, place in enumerate(counters.places):
        if counters.told[number] != due.told[number]:
            return f"{named(place)} is told {counters.told[number]}, expected {due.told[number]}"
        for cpu, cells in enumerate(counters.cells):
            if cells[number] != due.cells[cpu][number]:
                return (
                    f"CPU {cpu} keeps {cells[number]} of {named(place)}, "
                    f"expected {due.cells[cpu][number]}"
                )
    for item, total in counters.totals.items():
        if total != due.totals[item]:
            return f"{item.value} in all is told {total}, expected {due.totals[item]}"
    if counters.updates != due.updates:
        return f"under way is {counters.updates}, expected {due.updates}"
    return None
