"""Rows of requests to counters that are served as they should not be."""

from collections.abc import Callable
from typing import Any

from tests.spec.counters import ISOLATED, number_of
from tests.spec.rows import row

from pagespec.laws.law import LawBook
from pagespec.vmstat.counters import Counters, copy_of_counters
from pagespec.vmstat.laws.book import CounterBook, book_of, enter
from pagespec.vmstat.laws.judge import COUNTER_LAWS
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.machine import Item
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp

Change = Callable[[Counters], object]


def stepped(
    start: Counters,
    ops: list[CounterOp],
    outcome: int | None = None,
    change: Change = id,
    entered: Callable[[CounterBook], object] = id,
) -> CounterStep:
    """What the last request makes of counters, or with another outcome and other states."""
    counters, book = copy_of_counters(start), book_of(start.machine)
    for number, op in enumerate(ops):
        before = copy_of_counters(counters)
        got = perform(counters, op)
        step = CounterStep(before, op, got, copy_of_counters(counters), book)
        if number < len(ops) - 1:
            assert got >= 0
            enter(book, before, op, step.changes, step.after)
    change(step.after)
    step = step._replace(outcome=got if outcome is None else outcome)
    if step.legal:
        enter(book, step.before, step.op, step.changes, step.after)
    entered(book)
    return step


def broken(
    law_id: str,
    what: str,
    start: Counters,
    *ops: CounterOp,
    change: Change = id,
    outcome: int | None = None,
    entered: Callable[[CounterBook], object] = id,
    laws: LawBook[CounterStep] = COUNTER_LAWS,
) -> None:
    """A row of requests of which the last is served as it should not be."""
    wrong = stepped(start, [*ops], outcome, change, entered)
    row(laws, law_id, what, wrong, stepped(start, [*ops]), start.machine.era)


def sets(name: str, value: Any) -> Change:
    """Gives a field another value."""
    return lambda counters: setattr(counters, name, value)


def moves(*moved: tuple[str, int], item: Item = ISOLATED, where: int = 0, cpu: int = 0) -> Change:
    """Adds to what is told of a counter, to the total, or to a CPU's cell."""

    def change(counters: Counters) -> None:
        number = number_of(counters, item, where)
        for to, pages in moved:
            if to == "told":
                counters.told[number] += pages
            elif to == "total":
                counters.totals[item] += pages
            elif to == "update":
                last = counters.updates.pop()
                counters.updates.append(last._replace(pages=last.pages + pages))
            else:
                counters.cells[cpu][number] += pages

    return change
