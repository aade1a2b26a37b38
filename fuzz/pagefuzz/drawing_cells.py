"""A table of counters: what each has been told, what each CPU keeps of it, what is still to come.

In each line what has been told, what the CPUs keep and what is under way add up to the truth. The
line of a whole machine's counter is there once for each item, below those of its zones or nodes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from pagefuzz.drawing_words import LABEL, WIDTH
from pagespec.vmstat.counters import Counters, Stage, threshold_of
from pagespec.vmstat.machine import Item, Place
from pagespec.vmstat.numa import NEVER
from pagespec.vmstat.reads import missing

NOTHING = "."
"""What stands for a cell that holds nothing, so that the others catch the eye."""

NAME = LABEL - 2
"""Columns of a counter's name, unless it is longer: what has been told begins two further on."""


class Row(NamedTuple):
    """A line of the table. cells: what each CPU keeps. threshold: empty for a whole machine's."""

    name: str
    told: int
    cells: list[int]
    under_way: int
    threshold: str

    @property
    def truth(self) -> int:
        """What will have been told when nobody keeps anything."""
        return self.told + sum(self.cells) + self.under_way


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table, with its heading first and as wide as its widest word."""

    words: list[str]

    @property
    def width(self) -> int:
        """Its letters, and two blanks before them."""
        return 2 + max(map(len, self.words))


def table(counters: Counters, numbers: list[int], owed: Sequence[int] = ()) -> Iterator[str]:
    """Lines for the counters of those numbers, which are not none, below a heading.

    owed: what is under way beside what the counters know of, by place and then by item; or none.
    """
    rows = list(
        _rows(counters, numbers, owed or [0] * (len(counters.places) + len(counters.totals)))
    )
    first, *rest = _columns(rows)
    for line, name in enumerate(first.words):
        yield f"{name:<{max(NAME, first.width - 2)}}" + "".join(
            f"{column.words[line]:>{column.width}}" for column in rest
        )


def name_of(place: Place) -> str:
    """A counter in words."""
    return f"{place.item.value} {'node' if place.of_node else 'zone'} {place.where}"


def _rows(counters: Counters, numbers: list[int], owed: Sequence[int]) -> Iterator[Row]:
    """The lines of those counters, and behind each item's one for the whole machine."""
    for item, group in groupby(numbers, key=lambda number: counters.places[number].item):
        for number in group:
            place = counters.places[number]
            size = threshold_of(counters, place)
            cells = [cells[number] for cells in counters.cells]
            updates = [update for update in counters.updates if update.place == number]
            under_way = owed[number] + sum(missing(each, cells[each.cpu]) for each in updates)
            threshold = "never" if size == NEVER else str(size)
            yield Row(name_of(place), counters.told[number], cells, under_way, threshold)
        yield _in_all(counters, item, owed)


def _in_all(counters: Counters, item: Item, owed: Sequence[int]) -> Row:
    numbers = [at for at, place in enumerate(counters.places) if place.item is item]
    under_way = owed[len(counters.places) + list(counters.totals).index(item)]
    for update in counters.updates:
        if update.place in numbers:
            under_way += update.pages if update.stage is not Stage.CELL else 0
            if update.left is not None:
                under_way += update.left - counters.cells[update.cpu][update.place]
    cells = [sum(cells[number] for number in numbers) for cells in counters.cells]
    return Row(f"{item.value} in all", counters.totals[item], cells, under_way, "")


def _columns(rows: list[Row]) -> list[Column]:
    """As many CPUs as there is room for; of many those that keep something, and the rest's sum."""
    first = [
        Column(["counter", *(row.name for row in rows)]),
        Column(["told", *(str(row.told) for row in rows)]),
    ]
    last = [
        Column(["under way", *(_kept(row.under_way) for row in rows)]),
        Column(["truth", *(str(row.truth) for row in rows)]),
        Column(["threshold", *(row.threshold for row in rows)]),
    ]
    room = WIDTH + 2 - max(NAME + 2, first[0].width) - _width([first[1], *last])
    cpus = [_cpu(rows, cpu) for cpu in range(len(rows[0].cells))]
    if _width(cpus) > room:
        cpus = _fitting(rows, room)
    return [*first, *cpus, *last]


def _fitting(rows: list[Row], room: int) -> list[Column]:
    """The first CPUs that keep something, and a column for what all others keep."""
    shown: list[int] = []
    columns = [_others(rows, shown)]
    for cpu in range(len(rows[0].cells)):
        if any(row.cells[cpu] for row in rows):
            more = [*columns[:-1], _cpu(rows, cpu), _others(rows, [*shown, cpu])]
            if _width(more) > room:
                break
            shown.append(cpu)
            columns = more
    return columns


def _width(columns: list[Column]) -> int:
    return sum(column.width for column in columns)


def _cpu(rows: list[Row], cpu: int) -> Column:
    return Column([f"cpu {cpu}", *(_kept(row.cells[cpu]) for row in rows)])


def _others(rows: list[Row], shown: list[int]) -> Column:
    rest = [sum(row.cells) - sum(row.cells[cpu] for cpu in shown) for row in rows]
    return Column(["others", *map(_kept, rest)])


def _kept(pages: int) -> str:
    return str(pages) if pages else NOTHING
