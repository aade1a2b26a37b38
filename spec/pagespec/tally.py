"""Counting what was allocated and freed: events that each CPU adds up for itself.

Every kernel reads the CPU's count, adds and writes it back, and nothing keeps others on the CPU out
by itself. Where the machine has an instruction that adds to memory, as x86 has, that is one step.
On a machine without one, whoever comes between is lost, unless the caller has interrupts off. Until
4.10 all callers had; those of 4.11-rc's lists had not. Since 5.14 they need not: the counts may
race, which is taken into account.

Source: include/linux/vmstat.h (__count_vm_events, which adds by raw_cpu_add) and mm/page_alloc.c
(PGALLOC and PGFREE), 4.10 to 6.12. Kernels before 2.6.18 turned interrupts off for the addition
itself; here their callers do.
"""

from pagespec.steps import Step, Steps
from pagespec.zone import Zone


def count_allocated(zone: Zone, pages: int) -> Steps[None]:
    """Add to what the CPU at work has allocated."""
    cpu = zone.on_cpu
    before = zone.pgallocs[cpu]
    yield Step.ADD
    zone.pgallocs[cpu] = before + pages


def count_freed(zone: Zone, pages: int) -> Steps[None]:
    """Add to what the CPU at work has freed."""
    cpu = zone.on_cpu
    before = zone.pgfrees[cpu]
    yield Step.ADD
    zone.pgfrees[cpu] = before + pages
