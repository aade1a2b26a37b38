"""The laws' own ledger: what is true of every counter, and what CPUs may keep back of it.

The truth follows from requests and their answers. How much a CPU may keep follows from the
thresholds that were in force since its cell was found within one.
"""

from dataclasses import dataclass
from functools import cache

from pagespec.vmstat.counters import Counters, Stage
from pagespec.vmstat.drift import Mix, Range, kept_by_cell, kept_by_refresh, told_at_once
from pagespec.vmstat.laws.changes import Change
from pagespec.vmstat.laws.limits import limit_of
from pagespec.vmstat.laws.settings import Settings, set_by, settings_of
from pagespec.vmstat.machine import NUMA_ITEMS, CounterMachine, Item, Place
from pagespec.vmstat.verbs import CounterOp, CounterVerb


@dataclass(slots=True)
class CounterBook:
    """What requests have made of a machine's counters.

    places: every counter, by number, as in the state. truth: per place. astray: per item, what the
    machine is told of statistics that were turned off in the meantime. settings: how the machine is
    set. largest: per CPU and place, the largest threshold in force since the cell was within it.
    mixes: per CPU and place, what kinds of updates it has had; None for none. under_way: of each
    update under way, the most that it holds.
    """

    machine: CounterMachine
    places: tuple[Place, ...]
    truth: list[int]
    astray: dict[Item, int]
    settings: Settings
    largest: list[list[int]]
    mixes: list[list[Mix | None]]
    under_way: list[int]


def book_of(machine: CounterMachine) -> CounterBook:
    """The book at boot: all frames are free, and nothing else is counted."""
    places, zones = machine.places, machine.zones
    truth = [zones[place.where].pages if place.item is Item.FREE else 0 for place in places]
    return CounterBook(
        machine=machine,
        places=places,
        truth=truth,
        astray=dict.fromkeys((place.item for place in places), 0),
        settings=settings_of(machine),
        largest=[[0 for _ in places] for _ in machine.cpus],
        mixes=[[None for _ in places] for _ in machine.cpus],
        under_way=[],
    )


@cache
def may_keep(largest: int, mix: Mix | None) -> Range:
    """What a CPU may keep under that threshold, after that mix of updates; None for none."""
    return kept_by_cell(largest, mix or "any")


def enter(
    book: CounterBook, before: Counters, op: CounterOp, changes: list[Change], after: Counters
) -> None:
    """Enter a request that had to be served, and look at what CPUs and updates keep now."""
    for change in changes:
        book.truth[change.place] += change.pages
        had = book.mixes[op.cpu][change.place]
        book.mixes[op.cpu][change.place] = change.kind if had in (None, change.kind) else "any"
    if op.verb is CounterVerb.NUMA_OFF:
        _forget(book, before)
    _follow_updates(book, before, op, changes, after)
    set_by(book.machine, book.settings, op)
    for number, place in enumerate(book.places):
        limit = limit_of(after, place)
        if limit is not None:
            _widen(book, after, number, limit)


def _forget(book: CounterBook, before: Counters) -> None:
    """Statistics that are turned off are 0; but what is under way to the machine gets there."""
    places = book.places
    for number, place in enumerate(places):
        if place.item in NUMA_ITEMS:
            book.truth[number] = 0
            book.astray[place.item] = sum(
                update.pages
                for update in before.updates
                if update.stage is Stage.TOTAL and places[update.place].item is place.item
            )


def _follow_updates(
    book: CounterBook, before: Counters, op: CounterOp, changes: list[Change], after: Counters
) -> None:
    """Note what updates that have begun may hold, and forget those that have ended."""
    ended = op.verb is CounterVerb.LAND and len(after.updates) < len(before.updates)
    if ended:
        del book.under_way[op.number : op.number + 1]
    for update in after.updates[len(before.updates) :] if op.open else ():
        largest = book.largest[update.cpu]
        if op.verb is CounterVerb.REFRESH:
            item = book.places[update.place].item
            places = enumerate(book.places)
            most = kept_by_refresh([largest[at] for at, place in places if place.item is item])
        else:
            most = told_at_once(largest[update.place], max(abs(change.by) for change in changes))
        book.under_way.append(most)


def _widen(book: CounterBook, after: Counters, number: int, limit: int) -> None:
    """Keep the largest threshold of each cell that is not within the one in force."""
    writes = {
        update.cpu for update in after.updates if update.place == number and update.left is not None
    }
    for cpu, largest in enumerate(book.largest):
        kept = may_keep(limit, book.mixes[cpu][number])
        within = kept.least <= after.cells[cpu][number] <= kept.most and cpu not in writes
        largest[number] = limit if within else max(limit, largest[number])


def true_total(book: CounterBook, item: Item) -> int:
    """What the whole machine would show if nobody kept anything back."""
    places = zip(book.places, book.truth, strict=True)
    return book.astray[item] + sum(truth for place, truth in places if place.item is item)
