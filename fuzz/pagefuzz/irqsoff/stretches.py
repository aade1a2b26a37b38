"""Stretches with interrupts off: what they are of, how they are counted, and which are sampled.

The thread of 2011 has "sampled time IRQs off (not real total time)": a tracer notes a stretch only
if it is longer than the longest so far, and whoever samples reads that one, notes it and lets the
tracer begin anew. So there is one event a period at most, whatever else was long in it, and the sum
is no total. Here a period is a round of the workload.
Source: the thread of 2011; kernel/trace/trace_irqsoff.c (tracing_max_latency), 2.6.37.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from pagefuzz.irqsoff.sampled import Stretch
from pagespec.compaction.laws.windows import SCANNERS, Scanner

Part: TypeAlias = Scanner | Literal["alloc", "give"]
"""Who has interrupts off: a scanner; the page allocator as it serves a request; or as it takes
frames back, from a caller or a CPU's list."""

PARTS: tuple[Part, ...] = (*SCANNERS, "alloc", "give")

WORDS: dict[Part, str] = {
    "free": "free scanner",
    "lists": "search of free lists",
    "migrate": "migrate scanner",
    "alloc": "allocating",
    "give": "giving back",
}
"""Each in words."""

FUNCTIONS: dict[Part, str] = {
    "free": "compaction_alloc",
    "lists": "fast_isolate_freepages",
    "migrate": "isolate_migratepages",
    "alloc": "__alloc_pages_nodemask",
    "give": "free_pcppages_bulk",
}
"""The kernel's function for which each stands: what an event of the report begins and ends with."""


class Sample(NamedTuple):
    """The longest stretch of a round. length: in visits, or in ticks of the clock."""

    part: Part
    length: int


@dataclass
class Recorded:
    """What a recorder has of a number of rounds.

    rate: the clock's ticks in a microsecond. rounds: how many. counts: of each part, how many
    stretches there were. most: of each scanner, the most that one visited.
    timed, ticks, slowest: of each part, how many were measured, how long all of them took, and the
    longest. buckets: by part and doublings, how many of them took 2**doublings ticks or more, and
    less than twice that. served, left_out: how often requests were put, and how often no time was
    taken, since the host took the processor away meanwhile, for milliseconds.
    by_visits, by_time: the sample of each round, of scanners and of all parts.
    """

    rate: float
    rounds: int = 0
    counts: Counter[Part] = field(default_factory=Counter)
    timed: Counter[Part] = field(default_factory=Counter)
    ticks: Counter[Part] = field(default_factory=Counter)
    slowest: dict[Part, int] = field(default_factory=dict)
    buckets: Counter[tuple[Part, int]] = field(default_factory=Counter)
    most: dict[Scanner, int] = field(default_factory=dict)
    by_visits: list[Sample] = field(default_factory=list)
    by_time: list[Sample] = field(default_factory=list)
    served: int = 0
    left_out: int = 0

    @property
    def rows(self) -> list[Part]:
        """The parts that had interrupts off at all."""
        return [part for part in PARTS if self.counts[part]]


def end_round(recorded: Recorded, visits: Mapping[Scanner, int], ticks: Mapping[Part, int]) -> None:
    """End a round: note its longest stretch, in visits and in time, as the tracer would have it.

    visits, ticks: the most of each that had a stretch. Of two that are as long the first is noted.
    """
    recorded.rounds += 1
    for scanner, visited in visits.items():
        recorded.most[scanner] = max(visited, recorded.most.get(scanner, 0))
    for part, length in ticks.items():
        recorded.slowest[part] = max(length, recorded.slowest.get(part, 0))
    if visits:
        walks = [Sample(scanner, visits[scanner]) for scanner in SCANNERS if scanner in visits]
        recorded.by_visits.append(max(walks, key=_length))
    if ticks:
        spells = [Sample(part, ticks[part]) for part in PARTS if part in ticks]
        recorded.by_time.append(max(spells, key=_length))


def _length(sample: Sample) -> int:
    return sample.length


def in_visits(recorded: Recorded) -> list[Stretch]:
    """The samples for the report, in frames and list nodes visited."""
    return _stretches(recorded.by_visits)


def in_us(recorded: Recorded) -> list[Stretch]:
    """The samples for the report, in whole microseconds."""
    return _stretches(
        sample._replace(length=round(sample.length / recorded.rate)) for sample in recorded.by_time
    )


def _stretches(samples: Iterable[Sample]) -> list[Stretch]:
    return [
        Stretch(FUNCTIONS[part], FUNCTIONS[part], length, times)
        for (part, length), times in Counter(samples).items()
    ]
