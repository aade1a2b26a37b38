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


def number_in(event: Event, path: str, key: str) -> int:
    """Return the number under a key of the payload; UsageError says where there is none.

    Frames are hexadecimal since 5.15 and decimal before; both are accepted anywhere.
    """
    return _number(event, path, key, dict(_FIELD.findall(event.payload)))


def type_number_in(event: Event, path: str, key: str = "migratetype") -> int:
    """Return the number of a type under a key; events print it signed, so it may be negative."""
    return _number(event, path, key, dict(_FIELD.findall(event.payload)), signed=True)


def word_in(event: Event, path: str, key: str) -> str:
    """Return the word under a key of the payload; UsageError says where there is none."""
    word = dict(_FIELD.findall(event.payload)).get(key)
    if not word:
        raise UsageError(f"{path}:{event.line}: {event.kind}: expected {key}=, got no such field")
    return str(word)


def block_in(event: Event, path: str) -> tuple[int, int]:
    """Return the block (pfn, order) that an event names."""
    fields = dict(_FIELD.findall(event.payload))
    order = "order" if "order" in fields else "alloc_order"
    return _number(event, path, "pfn", fields), _number(event, path, order, fields)


def range_in(event: Event, path: str) -> tuple[int, int]:
    """Return the frames [first, end) that a compaction event names."""
    match = _RANGE.search(event.payload)
    if match is None:
        raise UsageError(f"{path}:{event.line}: {event.kind}: expected range=(A ~ B), got none")
    return int(match[1], 16), int(match[2], 16)


def _number(
    event: Event, path: str, key: str, fields: dict[str, str], *, signed: bool = False
) -> int:
    try:
        value = int(fields[key], 0)
    except KeyError:
        got = "no such field"
    except ValueError:
        got = repr(fields[key])
    else:
        if value >= 0 or signed:
            return value
        got = str(value)
    raise UsageError(f"{path}:{event.line}: {event.kind}: expected a number for {key}=, got {got}")
