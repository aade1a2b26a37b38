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
from pagespec.compaction.laws.windows import Scanner

Part: TypeAlias = Scanner | Literal["alloc", "give"]
"""Who has interrupts off: a scanner; the page allocator as it serves a request; or as it takes
frames back, from a caller or a CPU's list."""

PARTS: tuple[Part, ...] = ("free", "lists", "migrate", "alloc", "give")

FUNCTIONS: dict[Part, str] = {
    "free": "compaction_alloc",
    "lists": "fast_isolate_freepages",
    "migrate": "isolate_migratepages",
    "alloc": "__alloc_pages_nodemask",
    "give": "free_pcppages_bulk",
}
"""The kernel's function for which each stands: what an event of the report begins and ends with."""


class Longest(NamedTuple):
    """A stretch: of what, the frames and list nodes that it visited, and how long it took."""

    part: Part
    visited: int
    ns: int


@dataclass
class Recorded:
    """What a recorder has of a number of rounds.

    rounds: how many. counts, total_ns: of each part, how many stretches and how long all together.
    buckets: by part and doublings, how many took 2**doublings ns or more, and less than twice that.
    by_visits, by_time: the sample of each round, the longest stretch in visits and in time. Where
    two visited as much the first counts. longest: in visits, of each part.
    """

    rounds: int = 0
    counts: Counter[Part] = field(default_factory=Counter)
    total_ns: Counter[Part] = field(default_factory=Counter)
    buckets: Counter[tuple[Part, int]] = field(default_factory=Counter)
    by_visits: list[Longest] = field(default_factory=list)
    by_time: list[Longest] = field(default_factory=list)
    longest: dict[Part, int] = field(default_factory=dict)


def sample(into: Recorded, visits: Mapping[Part, int], times: Mapping[Part, Longest]) -> None:
    """End a round: note its longest stretch, in visits and in time, as the tracer would have it.

    visits: of each part that had one, the most visited. times: the longest in time.
    """
    into.rounds += 1
    if not visits:
        return
    for part, visited in visits.items():
        into.longest[part] = max(visited, into.longest.get(part, 0))
    part = max(visits, key=lambda each: (visits[each], -PARTS.index(each)))
    into.by_visits.append(Longest(part, visits[part], times[part].ns))
    into.by_time.append(max(times.values(), key=lambda each: each.ns))


def in_visits(recorded: Recorded) -> list[Stretch]:
    """The samples for the report, in frames and list nodes visited."""
    return _stretches((each.part, each.visited) for each in recorded.by_visits)


def in_us(recorded: Recorded) -> list[Stretch]:
    """The samples for the report, in whole microseconds."""
    return _stretches((each.part, round(each.ns / 1000)) for each in recorded.by_time)


def _stretches(samples: Iterable[tuple[Part, int]]) -> list[Stretch]:
    counted = Counter(samples)
    return [
        Stretch(FUNCTIONS[part], FUNCTIONS[part], length, times)
        for (part, length), times in counted.items()
    ]
