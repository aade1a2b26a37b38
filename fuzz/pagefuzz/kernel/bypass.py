"""Frees that went past the per-CPU list, straight to the buddy, without a drain event.

A free takes its CPU's list by trylock. That fails when the free interrupts the holder of the lock,
or while another CPU drains this CPU's list. So such a free is only believed of an interrupt, or
next to a drain by another CPU; anywhere else a missing drain is a broken law.
Source: mm/page_alloc.c of 6.1 (the trylock); measured on a trace: within 2 lines of the drain.
"""

from bisect import bisect_left
from dataclasses import dataclass, field

from pagefuzz.kernel.tracefs import Event

CAUSE = "freed past the per-CPU list"
NEAR_LINES = 8


@dataclass
class Frees:
    """Each frame's last free with the number of allocations before it, and who drained when."""

    last: dict[int, tuple[Event, int]] = field(default_factory=dict)
    drain_lines: list[int] = field(default_factory=list)
    drain_cpus: list[int] = field(default_factory=list)

    def drained(self, event: Event) -> None:
        """Note a drain."""
        self.drain_lines.append(event.line)
        self.drain_cpus.append(event.cpu)

    def may_bypass(self, frame: int) -> bool:
        """Whether the frame's last free may have failed to take its CPU's list."""
        if frame not in self.last:
            return False
        event, _ = self.last[frame]
        if event.in_interrupt:
            return True
        nearest = bisect_left(self.drain_lines, event.line - NEAR_LINES)
        behind = bisect_left(self.drain_lines, event.line + NEAR_LINES + 1)
        return any(cpu != event.cpu for cpu in self.drain_cpus[nearest:behind])
