"""The guards as experiments: what each rule of theirs is for, shown by leaving it out.

In each a law breaks, after few switches. Where it is the one of who may be at the lists, that is
the fault itself and hurts nobody yet; the laws that break when that one is not asked are what it
comes to: a frame that two are given, a frame that is lost, a count that is wrong.
"""

from dataclasses import replace
from typing import NamedTuple

from pagefuzz.schedule.scenarios_counters import counting
from pagefuzz.schedule.scenarios_said import hardirq, machine_of, nmi, scenario_of, task
from pagespec.era import ERAS
from pagespec.schedule.contexts import Scenario


class Experiment(NamedTuple):
    """A scenario in which a law breaks.

    laws: those that may break first. sentence: what is left out, and what follows. felt: those that
    may break first when nobody asks whose the lists are; empty where that makes no difference.
    """

    scenario: Scenario
    laws: frozenset[str]
    sentence: str
    felt: frozenset[str] = frozenset()


OWNER = frozenset({"PCP-owner"})
FELT = frozenset({"OUT-disjoint", "BUD-partition", "PCP-count", "BUD-disjoint"})


EXPERIMENTS: dict[str, Experiment] = {
    "without-the-test": Experiment(
        scenario_of(
            machine_of(replace(ERAS["4.11-rc"], guard="preempt-off"), 1),
            (task(0, "b = alloc order=0"), hardirq(0, "c = alloc order=0")),
            ("a = alloc order=0",),
        ),
        OWNER,
        "4.11-rc without its test for interrupts: one that comes while a task takes a frame from "
        "the list takes the same one.",
        FELT,
    ),
    "drain-by-interrupt": Experiment(
        scenario_of(
            machine_of(replace(ERAS["4.11-rc"], visits="interrupt"), 2),
            (task(0, "b = alloc order=0"), task(1, "drainall")),
            ("a = alloc order=0",),
        ),
        OWNER,
        "4.11-rc whose drains visit other CPUs in an interrupt, as those of 4.10 do: it gives back "
        "the frame that a task there is about to take.",
        FELT,
    ),
    "one-cpu-trylock": Experiment(
        scenario_of(
            machine_of(replace(ERAS["6.12"], guard="bare-trylock"), 1),
            (task(0, "b = alloc order=0"), hardirq(0, "c = alloc order=0")),
            ("a = alloc order=0",),
            alone=True,
        ),
        OWNER,
        "6.12 built for one CPU with nothing but its trylock, which does nothing there: an "
        "interrupt gets it too.",
        FELT,
    ),
    "one-cpu-drain": Experiment(
        scenario_of(
            machine_of(ERAS["6.12"], 1),
            (task(0, "drainall"), hardirq(0, "c = alloc order=0")),
            ("a = alloc order=0", "free a"),
            alone=True,
        ),
        OWNER,
        "6.12 built for one CPU as it was: requests turn interrupts off there, since the lock does "
        "nothing, and drains do not. An interrupt comes to lists that are being drained.",
    ),
    "drain-that-looks-first": Experiment(
        scenario_of(
            machine_of(ERAS["6.1"], 2),
            (task(0, "a = alloc order=0"), task(1, "disable")),
        ),
        frozenset({"PCP-off"}),
        "6.1 as it was: who drains another CPU's lists looks first whether they hold anything. A "
        "refill has listed blocks and not counted them yet, so lists that are switched off keep "
        "them.",
    ),
    "remote-drain-without-a-lock": Experiment(
        scenario_of(
            machine_of(replace(ERAS["6.1"], guard="local-lock"), 2),
            (task(0, "b = alloc order=0"), task(1, "drainall")),
            ("a = alloc order=0",),
        ),
        OWNER,
        "6.1, which drains from afar, with the guard of 5.15: interrupts that are off on one CPU "
        "keep nobody off on another.",
        FELT,
    ),
    "hits-with-interrupts-on": Experiment(
        counting(
            "4.11-rc",
            "count zone=0 preferred=0 times=2\n"
            "task cpu=0\ncount zone=0 preferred=0\n"
            "interrupt cpu=0 level=hardirq\ncount zone=0 preferred=0\n",
        ),
        frozenset({"VM-conserve"}),
        "4.11-rc as it was counts where its lists are used, with interrupts on: one that comes "
        "between the look at a full cell and its new value is counted twice, or not at all.",
    ),
    "hits-lost": Experiment(
        counting(
            "4.11-rc",
            "task cpu=0\ncount zone=0 preferred=0\n"
            "interrupt cpu=0 level=hardirq\ncount zone=0 preferred=0\n",
            "adds=split",
        ),
        frozenset({"VM-conserve"}),
        "The same on a machine without an instruction that adds to memory: what an interrupt "
        "counts between read and write is lost.",
    ),
    "events-lost": Experiment(
        scenario_of(
            machine_of(ERAS["4.11-rc"], 1),
            (task(0, "a = alloc order=0"), hardirq(0, "b = alloc order=0")),
            splits_adds=True,
        ),
        frozenset({"EVT-count"}),
        "And so are allocations, which 4.11-rc counts there too.",
    ),
    "batch-before-high": Experiment(
        scenario_of(
            machine_of(replace(ERAS["4.10"], stores_sizes="batch-first"), 2, high=2),
            (task(0, "free b"), task(1, "sizes batch=8 high=24")),
            ("a = alloc order=0", "b = alloc order=0", "free a"),
        ),
        frozenset({"LIVE-ends"}),
        "4.10 that stores a larger batch before the high that belongs to it: a free sees the two "
        "together, and drains more frames than there are.",
    ),
    "high-before-batch": Experiment(
        scenario_of(
            machine_of(ERAS["2.6.37"], 2),
            (task(0, "free a"), task(1, "sizes batch=1 high=1")),
            ("a = alloc order=0", "b = alloc order=0"),
        ),
        frozenset({"LIVE-ends"}),
        "2.6.37 as it was, whose plain stores suit sizes that grow: when they shrink, a free sees "
        "the small high with the large batch, and drains more frames than there are.",
    ),
    "lock-with-interrupts-on": Experiment(
        scenario_of(
            machine_of(ERAS["6.12"], 1),
            (task(0, "a = alloc order=3"), hardirq(0, "b = alloc order=3")),
            lock_irqs_on=True,
        ),
        frozenset({"LIVE-ends"}),
        "A zone's lock that leaves interrupts on: one that comes while it is held waits for it for "
        "ever.",
    ),
    "nmi-allocates": Experiment(
        scenario_of(
            machine_of(ERAS["6.12"], 1), (task(0, "a = alloc order=3"), nmi(0, "b = alloc order=3"))
        ),
        frozenset({"LIVE-ends"}),
        "An NMI that allocates: nothing keeps it off, and the lock that it wants is held by whom "
        "it has interrupted.",
    ),
}
"""By name, each with what breaks in it."""
