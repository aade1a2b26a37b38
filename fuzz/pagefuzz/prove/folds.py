"""How often a CPU tells, counted exactly: along a cycle, and over the long run of a coin.

A coin makes the cell a Markov chain. The share of time that it spends at each value follows from
linear equations in fractions, and with it how many updates pass, on average, until one tells.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from pagespec.laws.law import LawBroken
from pagespec.vmstat.cell import Told, dec, inc, mod
from pagespec.vmstat.drift import updates_a_fold

Change = Callable[[int], Told]
"""What a change makes of a cell."""


def changes_by(step: int, threshold: int, *, overstep: bool) -> tuple[Change, Change]:
    """One change up and one down, both by so many pages."""
    if overstep and step == 1:
        return (lambda diff: inc(diff, threshold)), (lambda diff: dec(diff, threshold))
    return (lambda diff: mod(diff, step, threshold)), (lambda diff: mod(diff, -step, threshold))


def along_a_cycle(change: Change) -> Fraction:
    """How many updates pass for each that tells, from the first telling to the second."""
    cell = updates = 0
    tellings: list[int] = []
    while len(tellings) < 2:
        told, cell = change(cell)
        updates += 1
        tellings += [updates] if told else []
    return Fraction(tellings[1] - tellings[0])


def by_a_coin(up: Change, down: Change) -> Fraction:
    """How many updates pass for each that tells, in the long run of tosses of a coin."""
    values = [0]
    for value in values:
        values += sorted({up(value).left, down(value).left} - {*values})
    half = Fraction(1, 2)
    into: dict[int, Equation] = {value: {value: Fraction(-1)} for value in values}
    tells = dict.fromkeys(values, Fraction(0))
    for value in values:
        for told, left in (up(value), down(value)):
            into[left][value] = into[left].get(value, Fraction(0)) + half
            tells[value] += half if told else 0
    shares = steady(into)
    return 1 / sum((shares[value] * tells[value] for value in values), Fraction(0))


Equation = dict[int | None, Fraction]
"""By what each unknown is multiplied, and, for None, what the sum is."""


def steady(into: dict[int, Equation]) -> dict[int, Fraction]:
    """The shares of time that add up to 1 and stay as they are.

    into: per value, the equation that as much time comes in as goes. One of them follows from the
    others, and makes room for the sum.
    """
    values = [*into]
    rows = [*into.values()][1:]
    rows.append({**dict.fromkeys(values, Fraction(1)), None: Fraction(1)})
    solved: dict[int, Equation] = {}
    for value in values:
        pivot = min((row for row in rows if row.get(value)), key=len)
        rows.remove(pivot)
        scale = pivot[value]
        pivot = {unknown: factor / scale for unknown, factor in pivot.items() if factor}
        for row in (*rows, *solved.values()):
            factor = row.pop(value, Fraction(0))
            if factor:
                for unknown, other in pivot.items():
                    row[unknown] = row.get(unknown, Fraction(0)) - factor * other
                del row[value]
        solved[value] = pivot
    return {value: solved[value].get(None, Fraction(0)) for value in values}


class FoldDomain(NamedTuple):
    """Thresholds and steps, each with half a threshold left behind and without, by both ways."""

    thresholds: range
    steps: range

    def counts(self) -> dict[str, tuple[int, ...]]:
        """How many cases there are. Raises LawBroken for one that is not as is stated."""
        cases = 0
        for threshold in self.thresholds:
            for step in self.steps:
                for overstep in (False, True):
                    up, down = changes_by(step, threshold, overstep=overstep)
                    found = along_a_cycle(up), along_a_cycle(down), by_a_coin(up, down)
                    for number, both in zip(found, (False, False, True), strict=True):
                        stated = updates_a_fold(threshold, step, overstep=overstep, both_ways=both)
                        if stated != number:
                            raise LawBroken(
                                "VM-fold",
                                f"by {step} beyond {threshold}, half left {overstep}, both ways "
                                f"{both}: {stated} updates are stated, {number} pass",
                            )
                        cases += 1
        return {"cases": (cases,)}

    def __str__(self) -> str:
        return (
            f"folds thresholds {self.thresholds[0]}..{self.thresholds[-1]} "
            f"steps {self.steps[0]}..{self.steps[-1]}"
        )


FOLD_DOMAINS = (FoldDomain(range(33), range(1, 9)), FoldDomain(range(125, 126), range(1, 32)))
