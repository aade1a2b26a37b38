"""The text of tracefs' `trace` file as events.

Payloads are read by key, never by position: vendors add fields, and releases move them. A task's
name may hold spaces, dashes and digits, so the fixed part is found from the CPU's brackets.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pagefuzz.errors import UsageError

_LINE = re.compile(
    r"\s*(?P<task>.{1,16}?-\d+)\s+"
    r"(?:\(\s*[-\d]+\)\s+)?"  # thread group, with the record-tgid option
    r"\[(?P<cpu>\d+)\]\s+"
    r"(?:(?P<flags>\S{4,5})\s+)?"  # 4 characters up to 5.15, 5 since, none without irq-info
    r"\d+(?:\.\d+)?:\s+"  # integers with the clocks x86-tsc and counter
    r"(?P<kind>\w+):\s?(?P<payload>.*)"
)
_FIELD = re.compile(r"(\w+)=(\s*\([^)]*\)|[^\s,]*)")
_RANGE = re.compile(r"range=\((0x[0-9a-f]+) ~ (0x[0-9a-f]+)\)")
_ENTRIES = re.compile(r"# entries-in-buffer/entries-written: (\d+)/(\d+)")
_LOST = re.compile(r"CPU:\d+ \[LOST (?:(\d+) )?EVENTS\]")


class Event(NamedTuple):
    """One trace event: where it stands in the file, who caused it, and its text."""

    line: int
    task: str
    cpu: int
    flags: str
    kind: str
    payload: str

    @property
    def in_interrupt(self) -> bool:
        """Whether it came from a soft or hard interrupt; the third flag says so."""
        return len(self.flags) > 2 and self.flags[2] not in ".?"


@dataclass
class Preamble:
    """What the file says about itself, filled while it is read.

    `in_buffer` and `written` are the header's entry counts (None without such a header), `lost`
    counts events that loss lines own up to, `noise` the lines that are nothing known.
    """

    in_buffer: int | None = None
    written: int | None = None
    lost: int = 0
    entries: int = 0
    noise: list[int] = field(default_factory=list)


def events(lines: Iterable[tuple[int, str]], preamble: Preamble) -> Iterator[Event]:
    """Yield the events of a trace in file order, and note the rest in the preamble.

    File order is kept: stamps tie often, and clocks of two CPUs may disagree.
    """
    for number, text in lines:
        if match := _LINE.match(text):
            preamble.entries += 1
            task, cpu, flags, kind, payload = match.groups()
            yield Event(number, task, int(cpu), flags or "", kind, payload)
        elif match := _ENTRIES.match(text):
            preamble.in_buffer, preamble.written = int(match[1]), int(match[2])
        elif match := _LOST.search(text):
            preamble.lost += int(match[1] or 1)
        elif text.strip() and not text.startswith("#"):
            preamble.noise.append(number)


def number_in(event: Event, path: str, *keys: str) -> int:
    """Return the number under the first of the keys that the payload has.

    Frames are hexadecimal since 5.15 and decimal before; both are accepted anywhere.
    """
    fields = dict(_FIELD.findall(event.payload))
    text = next((fields[key] for key in keys if key in fields), None)
    if text is None:
        wanted = " or ".join(f"{key}=" for key in keys)
        raise UsageError(f"{path}:{event.line}: {event.kind}: expected {wanted}, got none.")
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if value < 0:
        raise UsageError(
            f"{path}:{event.line}: {event.kind}: expected a number for {keys[0]}, got {text!r}."
        )
    return value


def block_in(event: Event, path: str) -> tuple[int, int]:
    """Return the block (pfn, order) that an event names."""
    return number_in(event, path, "pfn"), number_in(event, path, "order", "alloc_order")


def range_in(event: Event, path: str) -> tuple[int, int]:
    """Return the frames [first, end) that a compaction event names."""
    match = _RANGE.search(event.payload)
    if match is None:
        raise UsageError(f"{path}:{event.line}: {event.kind}: expected range=(A ~ B), got none.")
    return int(match[1], 16), int(match[2], 16)
