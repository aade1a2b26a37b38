"""Laws about how much there is: nothing is lost, and what CPUs keep back is bounded.

A refresh that stops midway has told the zones all and owes the machine the rest.
"""

from collections.abc import Collection, Iterable
from typing import TypeAlias

from pagespec.laws.law import Complaint, LawBook
from pagespec.vmstat.counters import Counters, Stage, Update
from pagespec.vmstat.drift import Range
from pagespec.vmstat.laws.book import CounterBook, may_keep, true_total
from pagespec.vmstat.laws.limits import limit_of, range_of
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.laws.wording import named, wording
from pagespec.vmstat.machine import Item

SUM_LAWS: LawBook[CounterStep] = LawBook()


def owed(updates: Iterable[Update], stages: tuple[Stage, ...]) -> int:
    """What those updates have taken out of cells and not told yet, in any of these stages."""
    return sum(update.pages for update in updates if update.stage in stages)


def unwritten(counters: Counters, updates: Iterable[Update]) -> int:
    """By how much the cells that those updates are still to write will change."""
    return sum(
        update.left - counters.cells[update.cpu][update.place]
        for update in updates
        if update.left is not None
    )


def accounted(counters: Counters, number: int) -> int:
    """What a place would show in the end: told, kept by CPUs, and under way."""
    updates = [update for update in counters.updates if update.place == number]
    kept = sum(cells[number] for cells in counters.cells)
    due = owed(updates, (Stage.PLACE,)) + unwritten(counters, updates)
    return counters.told[number] + kept + due


def accounted_total(counters: Counters, item: Item) -> int:
    """What the whole machine would show in the end."""
    numbers = [number for number, place in enumerate(counters.places) if place.item is item]
    updates = [update for update in counters.updates if update.place in numbers]
    kept = sum(cells[number] for cells in counters.cells for number in numbers)
    due = owed(updates, (Stage.PLACE, Stage.TOTAL)) + unwritten(counters, updates)
    return counters.totals[item] + kept + due


@SUM_LAWS.law("VM-conserve", source="derived; mm/vmstat.c, zone_page_state_add, 2.6.9 to 6.12")
def conserved(step: CounterStep) -> Complaint:
    """What is told, what CPUs keep and what updates under way hold is all that was ever counted.

    For each zone and node, and for all together. A page that is counted twice or lost stays so for
    as long as the machine runs: no reader can tell, and each decision that is made by the count is
    off by it.
    """
    counters, book = step.after, step.book
    for number, place in enumerate(counters.places):
        got = accounted(counters, number)
        if got != book.truth[number]:
            return (
                f"after {wording(step.op)} {named(place)} adds up to {got}, "
                f"counted were {book.truth[number]}"
            )
    for item in counters.totals:
        got, due = accounted_total(counters, item), true_total(book, item)
        if got != due:
            return f"after {wording(step.op)} {item.value} in all adds up to {got}, not {due}"
    return None


@SUM_LAWS.law("VM-width", source="mm/vmstat.c and include/linux/mmzone.h, vm_stat_diff, 2.6.18")
def fits(step: CounterStep) -> Complaint:
    """A cell holds what its width allows, also for the moment in which it is past its threshold.

    The cell is counted up first and looked at afterwards. Where that wraps, a count of many frames
    becomes one of as many missing.
    """
    counters = step.after
    for number, place in enumerate(counters.places):
        least, most = range_of(counters.machine, place)
        limit = limit_of(counters, place)
        if limit is not None and limit + 1 > most:
            return f"the threshold of {named(place)} is {limit}, a cell holds at most {most}"
        for cpu, cells in enumerate(counters.cells):
            if not least <= cells[number] <= most:
                return (
                    f"CPU {cpu} keeps {cells[number]} of {named(place)}, "
                    f"its cell holds {least} to {most}"
                )
    return None


@SUM_LAWS.law("VM-cell", source="derived; mm/vmstat.c, __mod_zone_page_state, __inc_zone_state")
def kept_within(step: CounterStep) -> Complaint:
    """A CPU keeps no more of a counter than the largest threshold since its cell was within one.

    That may be more than the one in force: what a cell holds stays when kswapd wakes and lowers it.
    A cell that only increments have met is never below 0 by more than the half that one leaves
    behind. One that is being told in the plain way may be one further. All bounds of what readers
    miss are sums of this one.
    """
    counters, book = step.after, step.book
    telling = {(update.cpu, update.place) for update in counters.updates if update.left is not None}
    for number, place in enumerate(counters.places):
        if limit_of(counters, place) is None:
            continue
        for cpu, cells in enumerate(counters.cells):
            bound = may_keep(book.largest[cpu][number], book.mixes[cpu][number])
            room = (cpu, number) in telling
            if not bound.least - room <= cells[number] <= bound.most + room:
                return (
                    f"CPU {cpu} keeps {cells[number]} of {named(place)} after "
                    f"{wording(step.op)}, expected {bound.least} to {bound.most}"
                )
    return None


def kept_back(book: CounterBook, number: int) -> Range:
    """What all CPUs may keep of a place, beside what updates have taken out of their cells."""
    kept = [
        may_keep(largest[number], mixes[number])
        for largest, mixes in zip(book.largest, book.mixes, strict=True)
    ]
    return Range(sum(cell.least for cell in kept), sum(cell.most for cell in kept))


Held: TypeAlias = list[tuple[Update, int]]
"""The updates under way, each with the most that it holds."""


def held_closely(held: Held, number: int) -> int:
    """What updates may be off by where every cell is looked at: those between cell and place."""
    return sum(
        most
        for update, most in held
        if update.place == number and (update.stage is Stage.PLACE or update.left is not None)
    )


def held_from_place(held: Held, number: int) -> int:
    """What updates may hold that a place is still to be told."""
    return sum(
        most for update, most in held if update.place == number and update.stage is Stage.PLACE
    )


def held_from_all(held: Held, numbers: Collection[int]) -> int:
    """What updates may hold that the machine is still to be told of those places."""
    return sum(
        most for update, most in held if update.place in numbers and update.stage is not Stage.CELL
    )


@SUM_LAWS.law("VM-drift", source="derived; mm/vmstat.c, 2.6.18 to 6.12")
def near_the_truth(step: CounterStep) -> Complaint:
    """What is told misses no more of the truth than all CPUs and updates under way may hold.

    For a zone or node that is a threshold for each CPU; for the whole machine, one for each CPU and
    zone, and as much again for each refresh that is under way. A look at every cell misses what
    updates hold alone. Statistics that a threshold never tells may be behind by any number.
    """
    counters, book = step.after, step.book
    held = list(zip(counters.updates, book.under_way, strict=False))
    kept: dict[Item, dict[int, Range]] = {}
    for number, place in enumerate(counters.places):
        if limit_of(counters, place) is None:
            continue
        bound = kept.setdefault(place.item, {})[number] = kept_back(book, number)
        behind = book.truth[number] - counters.told[number]
        wrong = too_far(behind, [bound], held_from_place(held, number))
        if wrong is not None:
            return f"{named(place)} {wrong}"
        closely = behind - sum(cells[number] for cells in counters.cells)
        most = held_closely(held, number)
        if not -most <= closely <= most:
            return f"a close look at {named(place)} misses {closely}, at most {most} are due"
    for item, bounds in kept.items():
        behind = true_total(book, item) - counters.totals[item]
        wrong = too_far(behind, bounds.values(), held_from_all(held, bounds))
        if wrong is not None:
            return f"{item.value} in all {wrong}"
    return None


def too_far(behind: int, kept: Iterable[Range], held: int) -> str | None:
    """How what is told is further behind the truth than what CPUs keep and updates hold."""
    least, most = (sum(ends) for ends in zip(*kept, strict=True))
    if least - held <= behind <= most + held:
        return None
    return f"is told {behind} too few, expected {least - held} to {most + held}"
