"""Scenarios about CPUs' lists: who may get in each other's way there, under each guard."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pagefuzz.schedule.scenarios_said import (
    Said,
    Shape,
    hardirq,
    machine_of,
    scenario_of,
    softirq,
    task,
)
from pagespec.era import ERAS
from pagespec.schedule.contexts import Scenario

GUARDED = ("2.6.11", "2.6.37", "4.10", "4.11-rc", "5.15", "6.1", "6.12")
"""An era of each guard, and the two before that do something else under the first."""
LATE = GUARDED[4:]


class Topic(NamedTuple):
    """One thing that may go wrong, and in which eras it is tried.

    setup: what happens first. alone: whether the kernel is built for one CPU. splits_adds: whether
    the machine has no instruction that adds to memory. shape: what its zone has.
    """

    cpus: int
    roles: tuple[Said, ...]
    setup: tuple[str, ...] = ()
    eras: tuple[str, ...] = GUARDED
    alone: bool = False
    splits_adds: bool = False
    shape: Shape = {}  # noqa: RUF012  # nobody writes to it


FOUR = ("p = alloc order=0", "q = alloc order=0", "r = alloc order=0", "s = alloc order=0")
"""Four frames out, of which each that is freed makes the lists of the first CPU fuller."""
NEARLY_FULL = (*FOUR, "free p", "free q", "free r")

TOPICS: dict[str, Topic] = {
    "two-cpus": Topic(
        2,
        (
            task(0, "a = alloc order=0", "free a", "free s"),
            task(1, "b = alloc order=0", "c = alloc order=0", "free b"),
        ),
        NEARLY_FULL,
    ),
    "two-tasks": Topic(
        1,
        (
            task(0, "a = alloc order=0", "free s"),
            task(0, "b = alloc order=0", "free b"),
        ),
        NEARLY_FULL,
    ),
    "interrupt": Topic(
        1,
        (
            task(0, "a = alloc order=0", "b = alloc order=0", "free a"),
            hardirq(0, "c = alloc order=0", "free c"),
        ),
    ),
    "interrupt-when-full": Topic(
        1,
        (
            task(0, "free s", "a = alloc order=0"),
            hardirq(0, "b = alloc order=0", "free b"),
        ),
        NEARLY_FULL,
    ),
    "interrupts-nested": Topic(
        1,
        (
            task(0, "a = alloc order=0", "free s"),
            softirq(0, "b = alloc order=0", "free b"),
            hardirq(0, "c = alloc order=0", "free c"),
        ),
        NEARLY_FULL,
    ),
    "drain": Topic(
        2,
        (
            task(0, "a = alloc order=0", "free s"),
            task(1, "drainall"),
        ),
        NEARLY_FULL,
    ),
    "drain-when-empty": Topic(
        2,
        (
            task(0, "a = alloc order=0", "free a"),
            task(1, "b = alloc order=0", "drainall"),
        ),
    ),
    "drain-and-interrupt": Topic(
        2,
        (
            task(0, "a = alloc order=0"),
            hardirq(0, "free s"),
            task(1, "drainall"),
        ),
        NEARLY_FULL,
    ),
    "drains-at-once": Topic(
        2,
        (
            task(0, "free s", "drainall"),
            task(1, "drainall"),
        ),
        NEARLY_FULL,
    ),
    "migration": Topic(
        2,
        (
            task(0, "a = alloc order=0", "free a", moves=True),
            hardirq(1, "b = alloc order=0", "free s"),
        ),
        NEARLY_FULL,
    ),
    "migration-of-two": Topic(
        2,
        (
            task(0, "a = alloc order=0", "free s", moves=True),
            task(1, "b = alloc order=0", moves=True),
        ),
        FOUR,
    ),
    "one-cpu-build": Topic(
        1,
        (
            task(0, "a = alloc order=0", "free s"),
            hardirq(0, "b = alloc order=0", "free b"),
            hardirq(0, "c = alloc order=1", "free c"),
        ),
        NEARLY_FULL,
        alone=True,
    ),
    "events-without-an-instruction-that-adds": Topic(
        1,
        (
            task(0, "a = alloc order=0", "free a"),
            hardirq(0, "b = alloc order=0", "free b"),
        ),
        eras=GUARDED[:3],
        splits_adds=True,
    ),
    "everybody": Topic(
        2,
        (
            task(0, "a = alloc order=0"),
            softirq(0, "free s"),
            hardirq(0, "b = alloc order=0"),
            task(1, "c = alloc order=0", "drainall"),
        ),
        NEARLY_FULL,
    ),
    "larger-blocks": Topic(
        2,
        (
            task(0, "a = alloc order=1", "free a"),
            task(1, "b = alloc order=2", "free b"),
            hardirq(0, "c = alloc order=1"),
        ),
    ),
    "out-of-memory": Topic(
        2,
        (
            task(0, "a = alloc order=0", "free p"),
            task(1, "b = alloc order=0", "free b"),
        ),
        ("p = alloc order=0", *(f"{name} = alloc order=1" for name in "ghi")),
        shape={"pages": 8, "top": 2, "min_free": 0},
    ),
    "bulk": Topic(
        1,
        (
            task(0, "bulk pages=3", "free slot=0"),
            hardirq(0, "a = alloc order=0", "free s"),
        ),
        FOUR,
        LATE,
    ),
    "bulk-on-both": Topic(
        2,
        (
            task(0, "bulk pages=3"),
            task(1, "a = alloc order=0", "drainall"),
        ),
        eras=LATE,
    ),
    "switched-off": Topic(
        2,
        (
            task(0, "a = alloc order=0", "free s"),
            task(1, "disable", "enable"),
        ),
        NEARLY_FULL,
        LATE,
    ),
    "sizes-grow": Topic(
        2,
        (
            task(0, "free s", "free r"),
            task(1, "sizes batch=5 high=8"),
        ),
        (*FOUR, "free p", "free q"),
    ),
    "sizes-shrink": Topic(
        2,
        (
            task(0, "free s", "a = alloc order=0"),
            task(1, "sizes batch=1 high=1"),
        ),
        NEARLY_FULL,
        GUARDED[2:],
    ),
    "aged": Topic(
        1,
        (
            task(0, "a = alloc order=0", "free s"),
            task(0, "age"),
            hardirq(0, "b = alloc order=0"),
        ),
        NEARLY_FULL,
        ("6.12",),
    ),
    "expired": Topic(
        1,
        (
            task(0, "a = alloc order=0", "free s"),
            task(0, "expire"),
            hardirq(0, "b = alloc order=0"),
        ),
        NEARLY_FULL,
        GUARDED[1:],
    ),
}


def scenarios(topics: Mapping[str, Topic]) -> Iterator[tuple[str, Scenario]]:
    """Every topic in each of its eras."""
    for name, topic in topics.items():
        for era in topic.eras:
            machine = machine_of(ERAS[era], topic.cpus, **topic.shape)
            yield (
                f"{name}-{era}",
                scenario_of(
                    machine,
                    topic.roles,
                    topic.setup,
                    alone=topic.alone,
                    splits_adds=topic.splits_adds,
                ),
            )


LIST_SCENARIOS = dict(scenarios(TOPICS))
