"""How fast the engines are on this machine: rates of one sitting, never a verdict.

Each is taken over the processor time of one process, so that other work on the machine disturbs it
little; rates are comparable within one sitting only.
"""

from collections.abc import Callable, Iterator
from random import Random
from time import process_time
from typing import NamedTuple

from pagefuzz.campaign.stream import OP_OF_CODE, Replay
from pagefuzz.machines.buddy import Ledger, run_machine
from pagefuzz.target.builtin import TwinFactory
from pageimpl.allocator import Allocator, Stream
from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.verbs import Op

ERA = ERAS["6.1"]
SMALL, LARGE = Machine(64, 6, ERA), Machine(65_536, 10, ERA)
SPEC_OPERATIONS, STREAM_OPERATIONS, TWIN_OPERATIONS, EXAMPLES = 200_000, 100_000, 2_000_000, 60


class Rate(NamedTuple):
    """Something done so many times in a second of one core."""

    what: str
    per_second: float


def all_rates() -> Iterator[Rate]:
    """Measure one after the other; each takes a second or a few."""
    for machine in (SMALL, LARGE):
        yield Rate(f"spec alone, {machine.pages} frames, events on", spec_rate(machine))
    yield Rate("machine in lockstep, 64 frames, 50 steps an example, all laws", machine_rate())
    for machine in (SMALL, LARGE):
        yield Rate(f"stream beside the spec, exact, {machine.pages} frames", stream_rate(machine))
        yield Rate(f"twin alone, {machine.pages} frames", twin_rate(machine))


def _per_second(count: int, work: Callable[[], object]) -> float:
    begin = process_time()
    work()
    return count / (process_time() - begin)


def spec_rate(machine: Machine) -> float:
    """Operations of the spec: no laws, events logged and cleared. The stream is drawn before."""
    rows = Stream(Allocator(machine), 1).run(SPEC_OPERATIONS).tolist()
    ops = [Op(OP_OF_CODE[code][0], order, pfn, OP_OF_CODE[code][1]) for code, order, pfn, _ in rows]
    zone = boot(machine)

    def work() -> None:
        for op in ops:
            perform(zone, op)
            zone.log.clear()

    return _per_second(len(ops), work)


def machine_rate() -> float:
    """Requests of the Hypothesis machine in its generate phase, every law asked after each."""
    ledger = Ledger(TwinFactory(), "exact", found=lambda trace: None)
    run_machine(ledger, [ERA], 1, examples=2, pages=64, shrink=False)
    ledger.operations = 0
    begin = process_time()
    run_machine(ledger, [ERA], 2, examples=EXAMPLES, pages=64, shrink=False)
    return ledger.operations / (process_time() - begin)


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
