"""The shortest ways below a mark for requests that each pass their own check, on many CPUs.

No search is needed where each request takes a batch: as few requests as there are batches in the
fall are the fewest, and what must be shown is that all of them pass. Each CPU keeps back what it
can before any tells more than it must.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pagefuzz.drift.figures import batch_of
from pagefuzz.prove.soundness.space import Action, refill
from pagespec.vmstat.counters import Counters, boot_counters
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp, CounterVerb, Level


class Fall(NamedTuple):
    """A zone that falls: from so many free frames, all told, to so many or fewer.

    level: the mark that each request asks for. batch: how many frames its CPU takes at once; the
    last one takes what there is.
    """

    machine: CounterMachine
    start: int
    end: int
    level: Level
    batch: int


def by_refills(machine: CounterMachine, start: int, end: int, level: Level) -> Fall:
    """A fall by requests that each fill their CPU's list, by as much as the era's lists take."""
    return Fall(machine, start, end, level, batch_of(machine.era, machine.zones[0].pages))


class Fallen(NamedTuple):
    """How far a zone fell: its requests, what is free there in truth, and what its count shows.

    ended: whether it came as far as it was to; otherwise the next request was refused.
    """

    before: tuple[CounterOp, ...]
    requests: list[Action]
    truth: int
    shown: int
    ended: bool

    @property
    def ops(self) -> tuple[CounterOp, ...]:
        """All of it, from boot on."""
        return (*self.before, *(op for request in self.requests for op in request))


def fall(way: Fall) -> Fallen:
    """The zone's fall by as few requests as take so many frames, if the checks let them."""
    counters = boot_counters(way.machine)
    before = tuple(told_down_to(way))
    for op in before:
        perform(counters, op)
    truth = way.start
    requests: list[Action] = []
    while truth > way.end:
        batch = min(way.batch, truth)
        action = refill(next_cpu(counters, batch), way.level, batch)
        if perform(counters, action[0]) != 1:
            break
        perform(counters, action[1])
        requests.append(action)
        truth -= batch
    return Fallen(before, requests, truth, counters.told[0], truth <= way.end)


def told_down_to(way: Fall) -> Iterator[CounterOp]:
    """What brings the zone to where the fall starts, as one change that is told at once."""
    used = way.machine.zones[0].pages - way.start
    if used:
        yield CounterOp(CounterVerb.MOD, by=-used)


def next_cpu(counters: Counters, batch: int) -> int:
    """The first CPU that can keep a batch back, or else the first of all."""
    most = counters.thresholds[0]
    keeping = (cpu for cpu, cells in enumerate(counters.cells) if batch - cells[0] <= most)
    return next(keeping, 0)
