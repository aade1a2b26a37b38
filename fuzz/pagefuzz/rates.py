"""How fast the engines are on this machine: rates of one sitting, never a verdict.

Each is taken over the processor time of one process, so that other work on the machine disturbs it
little; rates are comparable within one sitting only.
"""

from collections.abc import Callable, Iterator
from random import Random
from time import process_time
from typing import NamedTuple

from pagefuzz.campaign.stream import Replay
from pagefuzz.campaign.walk import WALK_REQUESTS, walk
from pagefuzz.counters.lockstep import CounterLockstep
from pagefuzz.counters.stream import CounterReplay
from pagefuzz.counters.twin import TwinCounterFactory
from pagefuzz.counters.walk import walk as walk_counters
from pagefuzz.lockstep import Lockstep
from pagefuzz.machines.buddy import buddy_machine
from pagefuzz.machines.judged import Ledger
from pagefuzz.machines.lists import list_machine
from pagefuzz.machines.running import Make, run_machine
from pagefuzz.target.builtin import TwinFactory
from pageimpl.allocator import Allocator, Stream
from pageimpl.stream import op_of
from pagespec.boot import boot
from pagespec.era import ERAS, Era
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.trace_reader import parse
from pagespec.vmstat.machine import CountedZone, CounterMachine

ERA = ERAS["6.1"]
PLAIN = ERAS["2.6.11"]
"""An era without pageblocks, so that none of the Hypothesis machine's zones has any."""

SMALL, LARGE = Machine(64, 6, ERA), Machine(65_536, 10, ERA)
GROUPED = parse(
    "pagefuzz-trace 1\nmachine pages=64 top=4 era=6.1 pageblock=2 types=UMEMC4UMEMHM3"
).machine
"""As many frames in 16 pageblocks of all types."""

LISTED = Machine(64, 4, ERA, pageblock=3, cpus=4, batch=3, high=12, min_free=16)
"""As many frames of which four CPUs keep some, and marks that are met again and again."""

REAL = Machine(65_536, 10, ERA, pageblock=9, cpus=4, min_free=2048)
"""A zone of 256 MiB with the lists and marks that Linux gives it."""

COUNTED = CounterMachine(
    ERA, (0, 0, 1, 1), (CountedZone(0, 500), CountedZone(1, 2000)), min_free=400, normal=3
)
"""Counters of four CPUs and two nodes, whose thresholds are met again and again."""

SPEC_OPERATIONS, STREAM_OPERATIONS, TWIN_OPERATIONS = 200_000, 100_000, 2_000_000
EXAMPLES, WALKS = 60, 40


class Rate(NamedTuple):
    """Something done so many times in a second of one core."""

    what: str
    per_second: float


def all_rates() -> Iterator[Rate]:
    """Measure one after the other; each takes a second or a few."""
    for machine in (SMALL, GROUPED, LARGE, LISTED, REAL):
        yield Rate(f"spec alone, {_size(machine)}, events on", spec_rate(machine))
    for machine in (SMALL, GROUPED, LISTED):
        yield Rate(f"walk in lockstep, {_size(machine)}, all laws", walk_rate(machine))
    for what, era in (("no pageblocks", PLAIN), ("pageblocks in 3 of 4", ERA)):
        what = f"machine in lockstep, 64 frames, {what}, 50 steps an example, all laws"
        yield Rate(what, machine_rate(era))
    what = "CPUs' lists alone in lockstep, 64 frames, 50 steps an example, all laws"
    yield Rate(what, machine_rate(ERA, list_machine))
    yield Rate("counters of 4 CPUs: walk in lockstep, all laws", counter_walk_rate())
    yield Rate("counters of 4 CPUs: stream beside the spec", counter_stream_rate())
    for machine in (SMALL, GROUPED, LARGE, LISTED, REAL):
        yield Rate(f"stream beside the spec, exact, {_size(machine)}", stream_rate(machine))
        yield Rate(f"twin alone, {_size(machine)}", twin_rate(machine))


def _size(machine: Machine) -> str:
    pageblocks = f" in {machine.pageblocks} pageblocks" if machine.pageblocks else ""
    lists = f", lists of {machine.cpus} CPUs, marks" if machine.cpus else ""
    return f"{machine.pages} frames{pageblocks}{lists}"


def _per_second(count: int, work: Callable[[], object]) -> float:
    begin = process_time()
    work()
    return count / (process_time() - begin)


def spec_rate(machine: Machine) -> float:
    """Operations of the spec: no laws, events logged and cleared. The stream is drawn before."""
    rows = Stream(Allocator(machine), 1).run(SPEC_OPERATIONS).tolist()
    ops = [op_of(row)[0] for row in rows]
    zone = boot(machine)

    def work() -> None:
        for op in ops:
            perform(zone, op)
            zone.log.clear()

    return _per_second(len(ops), work)


def walk_rate(machine: Machine) -> float:
    """Random requests to the twin, every law asked after each; boot and the end are part of it."""
    Lockstep(machine, TwinFactory())
    done = 0
    begin = process_time()
    for number in range(WALKS):
        lockstep = Lockstep(machine, TwinFactory())
        walk(lockstep, Random(number), WALK_REQUESTS)
        done += len(lockstep.done)
    return done / (process_time() - begin)


def machine_rate(era: Era, make: Make = buddy_machine) -> float:
    """Requests of the Hypothesis machine in its generate phase, every law asked after each."""
    ledger = Ledger(TwinFactory(), "exact", found=lambda trace: None)
    run_machine(ledger, [era], 1, examples=2, pages=64, shrink=False, make=make)
    ledger.operations = 0
    begin = process_time()
    run_machine(ledger, [era], 2, examples=EXAMPLES, pages=64, shrink=False, make=make)
    return ledger.operations / (process_time() - begin)


def counter_walk_rate() -> float:
    """Random requests to counters of the twin, every law asked after each."""
    counters = TwinCounterFactory()
    CounterLockstep(COUNTED, counters)
    done = 0
    begin = process_time()
    for number in range(WALKS):
        lockstep = CounterLockstep(COUNTED, counters)
        walk_counters(lockstep, Random(number), WALK_REQUESTS)
        done += len(lockstep.done)
    return done / (process_time() - begin)


def counter_stream_rate() -> float:
    """Batches of requests to counters of the twin and of the spec, answers and states compared."""
    CounterReplay(COUNTED, Random(1), None).run(100)
    replay = CounterReplay(COUNTED, Random(2), None)
    return _per_second(STREAM_OPERATIONS, lambda: replay.run(STREAM_OPERATIONS))


def stream_rate(machine: Machine) -> float:
    """Operations of a compiled stream and of the spec that replays it, lists compared."""
    Replay(machine, Random(1)).run(100)
    replay = Replay(machine, Random(2))
    return _per_second(STREAM_OPERATIONS, lambda: replay.run(STREAM_OPERATIONS))


def twin_rate(machine: Machine) -> float:
    """Operations that compiled code draws and serves, with nobody beside it."""
    stream = Stream(Allocator(machine), 1)
    stream.run(1)
    return _per_second(TWIN_OPERATIONS, lambda: stream.run(TWIN_OPERATIONS))
