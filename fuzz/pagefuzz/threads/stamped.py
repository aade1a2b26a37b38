"""Histories of a few operations of the compiled twin on threads, many of them in one go.

A thread stamps each call before it is made and after it has returned, with numbers that all threads
draw from one word in atomic steps. Whatever had ended before another began has the lower numbers;
the stamps order nothing else, though drawing them makes threads meet a little less closely.
"""

from collections.abc import Iterator
from functools import partial
from random import Random

import numpy as np
import numpy.typing as npt

from pagefuzz.threads import churn
from pagefuzz.threads.abstract import Holdings
from pagefuzz.threads.drivers import Driver
from pagefuzz.threads.histories import History, abstractly
from pagefuzz.threads.linear import Call
from pagefuzz.threads.running import together
from pageimpl.allocator import Allocator
from pageimpl.layout import share
from pageimpl.memory import Words, set_shared
from pageimpl.stream import op_of
from pageimpl.verbs import ALLOC, CPU_SHIFT, DRAIN, FREE, GET, PUT, SPLIT, WANTED_SHIFT
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.verbs import Op
from pagespec.zone import Held

Table = npt.NDArray[np.int64]
"""Stamped requests: by trial, by call, and then the columns of `churn`."""


def random_table(rng: Random, machine: Machine, cpu: int, calls: int, trials: int) -> Table:
    """The requests of one thread: allocations, what may be done to their blocks, and drains."""
    table = np.zeros((trials, calls, churn.COLUMNS), np.int64)
    for trial in range(trials):
        _write_trial(rng, machine, cpu, table[trial])
    return table


def _write_trial(rng: Random, machine: Machine, cpu: int, rows: Table) -> None:
    mt = UNMOVABLE if machine.pageblock is None else MOVABLE
    want = mt.value << WANTED_SHIFT | cpu << CPU_SHIFT
    mine: dict[int, int] = {}
    borrowed = False
    for at, row in enumerate(rows):
        verb, order, block = ALLOC, rng.randint(0, min(machine.top, 2)), -1
        dice = rng.random()
        if borrowed or (dice < 0.2 and at + 1 < len(rows)):
            # What is borrowed is given back by the next call.
            verb, block, order, borrowed = PUT if borrowed else GET, churn.NOBODYS, 0, not borrowed
        elif mine and dice < 0.6:
            block = rng.choice(list(mine))
            verb, order = FREE, mine.pop(block)
            if order > 0 and rng.random() < 0.2:
                verb = SPLIT
        elif dice < 0.7 and machine.cpus:
            verb, order = DRAIN, 0
        else:
            mine[at] = order
        row[: churn.OUTCOME] = verb, order, block, want


def take(
    machine: Machine, tables: list[Table], driver: Driver, fault: int = 1
) -> Iterator[tuple[History, Holdings]]:
    """Let each thread put its table's requests, and return each trial's history.

    With it comes what is held when a trial begins: one block to which all take references.
    fault: the planted fault, 1 for none. Raises LawBroken if a thread hangs.
    """
    trials, calls, _ = tables[0].shape
    allocator = Allocator(machine, modules=driver.kernels)
    shared = allocator.alloc(0, compound=True)
    assert shared is not None, "a zone of no frames"
    memory = allocator.memory
    share(memory)
    set_shared(memory, fault)
    operand = driver.kernels.operand
    clock = Words(churn.CLOCK_WORDS)
    buffers, works = [], []
    for number, table in enumerate(tables):
        rows = Words(table.size)
        borrowed = table[:, :, churn.BLOCK] <= churn.NOBODYS
        table[:, :, churn.BLOCK][borrowed] = churn.NOBODYS - shared
        rows.array[:] = table.reshape(-1)
        buffers.append(rows)
        cpu = number if machine.cpus else 0
        numbers = len(tables), calls, trials, cpu
        works.append(
            partial(driver.trials, operand(memory), operand(rows), operand(clock), *numbers)
        )
    together(works, (allocator, buffers, clock))
    held = frozenset({(shared, Held(0, 1, True))})
    done = [rows.array.reshape(trials, calls, churn.COLUMNS) for rows in buffers]
    for trial in range(trials):
        asked = (
            call
            for thread, table in enumerate(done)
            for call in _calls(thread, tables[thread][trial].tolist(), table[trial].tolist())
        )
        yield list(asked), held


def _calls(thread: int, before: list[list[int]], after: list[list[int]]) -> Iterator[Call[Op]]:
    """The calls of one thread's trial. before: the rows as they were, with all orders."""
    for asked, row in zip(before, after, strict=True):
        verb, order, block, want = asked[: churn.OUTCOME]
        outcome, invoked, returned = row[churn.OUTCOME : churn.LIVE]
        if outcome == churn.PASSED_OVER:
            continue
        pfn = 0
        if block <= churn.NOBODYS:
            pfn = churn.NOBODYS - block
        elif block >= 0:
            pfn = after[block][churn.OUTCOME]
        op, _ = op_of((verb, order, pfn, want, 0, 0))
        yield Call(thread, op, outcome, invoked, returned)


def first_unexplained(
    machine: Machine, tables: list[Table], driver: Driver, fault: int = 1
) -> tuple[History | None, int]:
    """The first history that the abstract specification does not explain, and how many it was."""
    count = 0
    for history, held in take(machine, tables, driver, fault):
        count += 1
        if abstractly(machine, history, held).order is None:
            return history, count
    return None, count
