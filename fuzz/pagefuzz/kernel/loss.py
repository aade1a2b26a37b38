"""Whether the trace is whole: what its header, its loss lines and its counters say.

With overwrite=0 the newest events are dropped and the header still looks whole; only the per-CPU
counters tell. That is why a clean trace without counters is called just that.
"""

import re
from dataclasses import dataclass

from pagefuzz.errors import UsageError
from pagefuzz.kernel.files import numbered_lines
from pagefuzz.kernel.tracefs import Preamble

_COUNTER = re.compile(r"(overrun|commit overrun|dropped events):\s*(\d+)$")


@dataclass(frozen=True, slots=True)
class Loss:
    """Events that the kernel admits to have lost, and whether it was asked in full.

    `cut` is how many entries the file lacks of those that its own header promises: then it was cut
    or changed after the kernel wrote it.
    """

    events: int
    source: str
    counters_seen: bool
    cut: int = 0


def lost_by_counters(path: str) -> int:
    """Return the events lost according to the per-CPU `stats` files, joined in one text file."""
    lost = 0
    counters = 0
    for _, text in numbered_lines(path):
        if match := _COUNTER.match(text.strip()):
            counters += 1
            lost += int(match[2])
    if not counters:
        raise UsageError(f"{path}: expected per_cpu/*/stats with 'overrun:', got none")
    return lost


def judge_loss(preamble: Preamble, stats: str | None) -> Loss:
    """Combine all that is known about lost events; call it when the trace was read to its end."""
    found: list[tuple[int, str]] = [(preamble.lost, "[LOST EVENTS] lines")]
    if preamble.in_buffer is not None and preamble.written is not None:
        found.append((preamble.written - preamble.in_buffer, "the header's entry counts"))
    if stats is not None:
        found.append((lost_by_counters(stats), "the per-CPU counters"))
    events, source = max(found)
    cut = max(0, (preamble.in_buffer or 0) - preamble.entries)
    return Loss(max(events, 0), source if events > 0 else "", stats is not None, cut)
