"""Counters that threads share: each changes those of its CPU, and anybody may read and fold.

What is true in the end does not depend on who comes first, so twins that nobody shares say what is
due: the same requests, one thread's after the other's.
"""

from functools import partial
from random import Random

import numpy as np
import numpy.typing as npt

from pagefuzz.threads.running import Span, together
from pageimpl.memory import Words
from pageimpl.source import Kernels, installed_modules
from pageimpl.vmstat.layout import share
from pageimpl.vmstat.refine import counters_of
from pageimpl.vmstat.state import set_shared
from pageimpl.vmstat.twin import CounterTwin, perform_all
from pageimpl.vmstat.verbs import (
    COLUMN_AMOUNT,
    COLUMN_CPU,
    COLUMN_FLAGS,
    COLUMN_ITEM,
    COLUMN_TIMES,
    COLUMN_VERB,
    COLUMN_WHERE,
    COLUMNS,
    COUNT,
    DEC,
    FREE,
    INC,
    IRQS_ON,
    ISOLATED,
    MOD,
    OTHER,
    READ,
    REFRESH,
)
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.laws.limits import limit_of
from pagespec.vmstat.laws.sums import accounted, accounted_total
from pagespec.vmstat.laws.wording import named
from pagespec.vmstat.machine import NUMA_ITEMS, CountedZone, CounterMachine
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName

CHANGES = (MOD, INC, INC, DEC, DEC, COUNT, COUNT, COUNT)
READERS = (READ, READ, REFRESH)


def random_counters(rng: Random, era: Era, threads: int) -> CounterMachine:
    """Counters of one or two zones for as many CPUs as there are threads."""
    zones = tuple(CountedZone(0, rng.choice((64, 4096))) for _ in range(rng.choice((1, 1, 2))))
    design: NumaName = rng.choice((era.numa, *NUMA_DESIGNS))
    return CounterMachine(
        era,
        (0,) * threads,
        zones,
        numa=design,
        normal=rng.choice((None, 1, 3, 125)) if era.cells != "none" else None,
    )


def random_rows(
    rng: Random, machine: CounterMachine, cpu: int, count: int
) -> npt.NDArray[np.int64]:
    """So many requests of one CPU; what the machine does not have it refuses."""
    draw = np.random.default_rng(rng.getrandbits(63))
    readers = rng.choice((0.0, 0.02, 0.3))
    rows = np.zeros((count, COLUMNS), np.int64)
    reads = draw.random(count) < readers
    rows[:, COLUMN_VERB] = np.where(reads, draw.choice(READERS, count), draw.choice(CHANGES, count))
    rows[:, COLUMN_CPU] = cpu
    counts = rows[:, COLUMN_VERB] == COUNT
    where, zones = draw.integers(0, len(machine.zones), (2, count)), len(machine.zones)
    rows[:, COLUMN_ITEM] = draw.integers(FREE, ISOLATED + 1, count)
    rows[reads, COLUMN_ITEM] = draw.integers(FREE, OTHER + 1, count)[reads]
    rows[:, COLUMN_WHERE] = where[0] % zones
    rows[:, COLUMN_AMOUNT] = draw.integers(-40, 41, count)
    rows[counts, COLUMN_AMOUNT] = where[1][counts]
    rows[:, COLUMN_TIMES] = np.where(rows[:, COLUMN_VERB] == MOD, 1, draw.integers(1, 20, count))
    changes = rows[:, COLUMN_VERB] <= DEC
    rows[changes, COLUMN_FLAGS] = np.where(draw.random(count) < 0.5, IRQS_ON, 0)[changes]
    return rows


class Counting:
    """Counters that threads share, and a twin of them that nobody shares.

    shared: the value of the word by which they are shared; more than 1 chooses a planted fault.
    """

    def __init__(
        self, machine: CounterMachine, kernels: Kernels | None = None, shared: int = 1
    ) -> None:
        self.machine = machine
        self.twin = CounterTwin(machine, modules=kernels or installed_modules())
        self.alone = CounterTwin(machine)
        share(self.twin.memory)
        set_shared(self.twin.memory, shared)

    def run(self, tables: list[npt.NDArray[np.int64]]) -> list[Span]:
        """Let each thread put the requests of its table. Raises LawBroken if one hangs."""
        works, kept = [], []
        for table in tables:
            words = Words(table.size)
            words.array[:] = table.reshape(-1)
            works.append(partial(self.twin.perform_rows, words, len(table)))
            kept.append(words)
        spans = together(works, (self.twin, kept))
        for table in tables:
            perform_all(self.alone, table)
        return spans

    def judge(self) -> None:
        """Judge the counters while no thread is at work. Raises LawBroken."""
        counters, due = counters_of(self.twin), counters_of(self.alone)
        for number, place in enumerate(counters.places):
            got, expected = accounted(counters, number), accounted(due, number)
            if got != expected:
                raise LawBroken(
                    "VM-conserve", f"{named(place)} adds up to {got}, counted were {expected}"
                )
        for item in counters.totals:
            total, expected = accounted_total(counters, item), accounted_total(due, item)
            if total != expected:
                raise LawBroken(
                    "VM-conserve", f"{item.value} in all adds up to {total}, not {expected}"
                )
        check_drift(counters)


def check_drift(counters: Counters) -> None:
    """What each CPU keeps of a counter is within its threshold. Raises LawBroken."""
    for number, place in enumerate(counters.places):
        limit = limit_of(counters, place)
        if limit is None or place.item in NUMA_ITEMS:
            continue
        for cpu, cells in enumerate(counters.cells):
            if abs(cells[number]) > limit:
                raise LawBroken(
                    "VM-drift",
                    f"CPU {cpu} keeps {cells[number]} of {named(place)}, at most {limit}",
                )
