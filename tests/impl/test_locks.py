"""Zones and counters that threads share: nothing is lost, and one thread alone notices nothing."""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.impl.machines import FORMS, LISTED_MACHINES, TYPED_MACHINES, name_of

from pageimpl.allocator import Allocator, Stream
from pageimpl.jitcache import compiled, operand
from pageimpl.layout import share
from pageimpl.memory import Memory, Words, pgalloc_of, pgfree_of, set_word, word_at
from pageimpl.ops import perform
from pageimpl.refine import zone_of
from pageimpl.source import Kernels
from pageimpl.stream import op_of
from pageimpl.verbs import ALLOC, CPU_SHIFT, DRAIN, DRAIN_ALL, FREE, WANTED_SHIFT
from pageimpl.vmstat.layout import share as share_counters
from pageimpl.vmstat.refine import counters_of
from pageimpl.vmstat.twin import CounterTwin
from pagespec.era import ERAS
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.types import Refusal
from pagespec.verbs import Op, Verb
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item
from pagespec.vmstat.reads import in_truth
from pagespec.vmstat.verbs import CounterOp, CounterVerb

THREADS = 2
STEPS = 50_000

TABLE = 16
"""Blocks that a thread holds at most."""


TRYLOCKS = ("trylock-irqs-off", "trylock")

ALONE = [
    *(machine for machine in LISTED_MACHINES if machine.era.guard in TRYLOCKS),
    *(replace(machine, cpus=1) for machine in LISTED_MACHINES),
    *TYPED_MACHINES[::7],
]
"""Zones whose lists have a lock, or that nobody else's drains could meet."""


@pytest.mark.parametrize("machine", ALONE, ids=name_of)
def test_one_thread_notices_nothing(machine: Machine) -> None:
    """Shared or not, the same requests get the same answers and leave the same state."""
    alone, shared = Allocator(machine), Allocator(machine, jit=False)
    share(shared.memory)
    for row in Stream(alone, 3).run(500).tolist():
        op, expected = op_of(row)
        assert (op, shared.perform(op)) == (op, expected)
    assert zone_of(shared) == zone_of(alone)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("era", ["4.10", "5.15", "6.1", "6.12"])
def test_only_lists_with_a_lock_are_drained_by_others(
    era: str, form: Callable[[], Kernels]
) -> None:
    """Other eras refuse what one CPU would do to all, and change nothing."""
    allocator = Allocator(Machine(64, 4, ERAS[era], pageblock=3, cpus=2, batch=2), modules=form())
    share(allocator.memory)
    allocator.perform(Op(Verb.ALLOC, mt=MOVABLE))
    before = allocator.memory.array.copy()

    outcomes = {
        allocator.perform(op)
        for op in (Op(Verb.DRAIN_ALL), Op(Verb.ISOLATE, pfn=0, pages=16, cpu=1))
    }

    locked = era in ("6.1", "6.12")
    assert outcomes == ({0} if locked else {Refusal.UNSUPPORTED.value})
    assert np.array_equal(before, allocator.memory.array) != locked
    assert allocator.perform(Op(Verb.DRAIN, cpu=0)) == 0


def churn(mem: Memory, state: Words, cpu: int, order: int, mt: int, steps: int) -> None:
    """Allocate, free and drain at random, and in the end free what is still held.

    state: the seed, the frames given out and back, and then the blocks that are held.
    """
    top = order + 1
    for step in range(steps + TABLE):
        draw = (word_at(state, 0) * 1103515245 + 12345) & 0x7FFFFFFF
        set_word(state, 0, draw)
        at = 3 + (step - steps if step >= steps else (draw >> 16) % TABLE)
        held = word_at(state, at)
        if held:
            size, pfn = held & 15, (held >> 4) - 1
            if perform(mem, FREE, size, pfn, cpu << CPU_SHIFT, 0) == 0:
                set_word(state, 2, word_at(state, 2) + (1 << size))
            set_word(state, at, 0)
        elif step < steps:
            size = (draw >> 8) % top
            pfn = perform(mem, ALLOC, size, 0, mt << WANTED_SHIFT | cpu << CPU_SHIFT, 0)
            if pfn >= 0:
                set_word(state, 1, word_at(state, 1) + (1 << size))
                set_word(state, at, pfn + 1 << 4 | size)
        if draw & 0xFF00 == 0:
            perform(mem, DRAIN, 0, 0, cpu << CPU_SHIFT, 0)
        if draw & 0xFE00 == 0x200:
            perform(mem, DRAIN_ALL, 0, 0, cpu << CPU_SHIFT, 0)


@cache
def compiled_churn() -> Callable[[Memory, Words, int, int, int, int], None]:
    return compiled(churn, keep=False)


SHARED = [
    Machine(
        pages=60,
        top=4,
        era=ERAS[era],
        pageblock=None if ERAS[era].numbering is None else 3,
        cpus=cpus,
        batch=4 if cpus else None,
        min_free=16 if cpus else None,
        cells=ERAS[era].cells != "none" and cpus > 0,
    )
    for era in ("2.6.8", "2.6.11", "2.6.37", "4.10", "5.15", "6.1", "6.12")
    for cpus in (0, THREADS)
]


@pytest.mark.parametrize("machine", SHARED, ids=name_of)
def test_threads_lose_nothing(machine: Machine) -> None:
    """Two threads that fill a small zone and empty it again leave it as it was at boot."""
    allocator = Allocator(machine)
    share(allocator.memory)
    kernel = compiled_churn()
    states = [Words(3 + TABLE) for _ in range(THREADS)]
    mem = operand(allocator.memory)
    mt = UNMOVABLE if machine.pageblock is None else MOVABLE

    def run(number: int) -> None:
        cpu = number if machine.cpus else 0
        kernel(mem, operand(states[number]), cpu, 2, mt, STEPS)

    for number, state in enumerate(states):
        state.array[0] = number + 1
        kernel(mem, operand(state), 0, 2, mt, 0)
    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    STATE_LAWS.check(machine.era, swept(zone_of(allocator)))
    for cpu in range(machine.cpus):
        assert allocator.perform(Op(Verb.DRAIN, cpu=cpu)) == 0
    zone = zone_of(allocator)

    STATE_LAWS.check(machine.era, swept(zone))
    assert not zone.held
    assert zone.nr_free == zone_of(Allocator(machine)).nr_free
    out, back = (sum(int(state.array[at]) for state in states) for at in (1, 2))
    assert out == back > STEPS // 8
    if not machine.era.counts_operations:
        assert pgalloc_of(allocator.memory) == pgfree_of(allocator.memory) == out


@pytest.mark.parametrize("numa", ["longs", "items", "events", "u16", "s16-draft"])
def test_counters_lose_nothing(numa: str) -> None:
    """Threads that count while the cells of both are folded by a reader come to the exact sums."""
    machine = CounterMachine(
        ERAS["6.1"],
        (0, 0),
        (CountedZone(0, 4096),),
        numa=numa,  # type: ignore[arg-type]
        normal=3,
    )
    twin = CounterTwin(machine)
    share_counters(twin.memory)
    times = 20_000

    def run(cpu: int) -> None:
        for _ in range(20):
            twin.perform(CounterOp(CounterVerb.INC, cpu, Item.FREE, times=times // 20))
            twin.perform(CounterOp(CounterVerb.COUNT, cpu, times=times // 20))
            twin.perform(CounterOp(CounterVerb.READ, item=Item.HIT, where=0))
            twin.perform(CounterOp(CounterVerb.REFRESH, cpu))

    threads = [threading.Thread(target=run, args=(cpu,)) for cpu in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = counters_of(twin)

    for item in (Item.FREE, Item.HIT):
        [place] = [at for at, place in enumerate(twin.places) if place.item is item]
        before = 4096 if item is Item.FREE else 0
        assert in_truth(state, place) == before + 2 * times
        kept = sum(cells[place] for cells in state.cells)
        assert state.told[place] == state.totals[item] == before + 2 * times - kept
