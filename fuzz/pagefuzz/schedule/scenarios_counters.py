"""Scenarios about counters: who changes cells, tells what they held, and comes between.

The thresholds are so low that cells overflow at once. Who may be interrupted says so; then the era
changes cells in one exchange, or with interrupts off.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pagefuzz.schedule.scenarios_lists import GUARDED
from pagespec.schedule.contexts import Scenario
from pagespec.schedule.trace_reader import parse_schedule

COUNTED = GUARDED[1:]
"""The eras that have cells."""
EXACT = ("2.6.37", "4.10")
"""Those whose events are counted with interrupts off, so that none is lost on any machine."""


class CounterTopic(NamedTuple):
    """What is done to counters, as the lines of a trace, and in which eras it is tried.

    vary: what is not as in the era.
    """

    lines: str
    eras: tuple[str, ...] = COUNTED
    vary: str = ""


COUNTER_TOPICS: dict[str, CounterTopic] = {
    "cell-interrupted": CounterTopic("""\
mod free zone=0 by=2
task cpu=0
mod free zone=0 by=2 irqs_on=1
inc free zone=0 irqs_on=1
interrupt cpu=0 level=softirq
dec free zone=0 irqs_on=1
interrupt cpu=0 level=hardirq
mod free zone=0 by=-2
"""),
    "cell-told": CounterTopic("""\
task cpu=0
mod free zone=0 by=2 irqs_on=1
interrupt cpu=0 level=hardirq
mod free zone=0 by=2
task cpu=0
refresh
task cpu=1
mod free zone=0 by=3
refresh
"""),
    "cell-of-a-task-that-moves": CounterTopic("""\
task cpu=0 moves=1
mod free zone=0 by=2 irqs_on=1
mod free zone=0 by=2 irqs_on=1
task cpu=1
mod free zone=0 by=2 irqs_on=1
interrupt cpu=1 level=hardirq
inc free zone=0
"""),
    "cell-of-a-cpu-that-goes": CounterTopic("""\
mod free zone=0 cpu=1 by=2
task cpu=0
unplug cpu=1
task cpu=0
mod free zone=0 by=2 irqs_on=1
interrupt cpu=0 level=hardirq
inc free zone=0
"""),
    "threshold-lowered": CounterTopic(
        """\
task cpu=0
mod free zone=0 by=2 irqs_on=1
mod free zone=0 by=1 irqs_on=1
task cpu=1
wake node=0
rest node=0
interrupt cpu=0 level=hardirq
inc free zone=0
""",
        COUNTED[1:],
    ),
    "hits": CounterTopic(
        """\
count zone=0 preferred=0 times=2
task cpu=0
count zone=0 preferred=0
interrupt cpu=0 level=hardirq
count zone=0 preferred=0
task cpu=1
count zone=0 preferred=0
refresh
""",
        tuple(era for era in COUNTED if era != "4.11-rc"),
    ),
    "hits-without-an-instruction-that-adds": CounterTopic(
        """\
count zone=0 preferred=0 times=2
task cpu=0
count zone=0 preferred=0
interrupt cpu=0 level=hardirq
count zone=0 preferred=0
""",
        EXACT,
        "adds=split",
    ),
}


def counting(era: str, lines: str, vary: str = "") -> Scenario:
    """The scenario of two CPUs and one zone whose counters they share."""
    varied = f"vary {vary}\n" if vary else ""
    text = f"counters era={era} cpus=0,0 min_free=16 normal=2\nzone node=0 pages=500\n"
    return parse_schedule(f"pagefuzz-trace 1\n{text}{varied}{lines}").scenario


def counter_scenarios(topics: Mapping[str, CounterTopic]) -> Iterator[tuple[str, Scenario]]:
    """Every topic in each of its eras."""
    for name, topic in topics.items():
        for era in topic.eras:
            yield f"{name}-{era}", counting(era, topic.lines, topic.vary)


COUNTER_SCENARIOS = dict(counter_scenarios(COUNTER_TOPICS))
