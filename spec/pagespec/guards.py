"""What each era's guard does to keep others off a CPU's page lists: five answers to one question.

The lists belong to one CPU, so only three can get in the way: another task on that CPU, an
interrupt on it, and whoever drains it from elsewhere. A guard says which of them it stops, and how.
The zone's own lock is another matter: it is taken with interrupts off in every era.

Two more are here that no release had, to show what the others are for.
Source: mm/page_alloc.c (rmqueue_pcplist, free_unref_page, drain_pages_zone, pcp_spin_trylock),
2.6.11 to 6.12; the 2017 thread for "no-interrupt".
"""

from typing import Literal, NamedTuple, TypeAlias

GuardName: TypeAlias = Literal[
    "irqs-off", "no-interrupt", "local-lock", "trylock-irqs-off", "trylock",
    "preempt-off", "bare-trylock",
]  # fmt: skip


class Rule(NamedTuple):
    """What a guard does. Preemption is off under all of them.

    irqs_off: whether interrupts are off while lists are used; drains_irqs_off: while they are
    drained. locks: whether there is a lock, which requests try and drains wait for.
    bars_interrupts: whether requests from interrupts keep away by themselves. irqs_off_alone:
    whether a machine built for one CPU, where locks do nothing, has interrupts off instead, for
    requests; drains there had them on from 6.2 until they were mended in 2026 (038a102535eb).
    """

    irqs_off: bool = False
    drains_irqs_off: bool = False
    locks: bool = False
    bars_interrupts: bool = False
    irqs_off_alone: bool = False


RULES: dict[GuardName, Rule] = {
    "irqs-off": Rule(irqs_off=True, drains_irqs_off=True),
    "no-interrupt": Rule(drains_irqs_off=True, bars_interrupts=True),
    "local-lock": Rule(irqs_off=True, drains_irqs_off=True),
    "trylock-irqs-off": Rule(irqs_off=True, drains_irqs_off=True, locks=True),
    "trylock": Rule(locks=True, irqs_off_alone=True),
    "preempt-off": Rule(drains_irqs_off=True),
    "bare-trylock": Rule(locks=True),
}
"""What each guard does, the five of the eras first.

preempt-off: "no-interrupt" without its test. bare-trylock: "trylock" without the care for machines
built for one CPU.
"""
