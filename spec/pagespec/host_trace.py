"""The trace of a host: in place of the machine a line for the host, and one for each zone.

    pagefuzz-trace 1
    host era=6.1 top=3 cpus=0,1 min_free=48
    zone class=DMA32 node=0 pages=16
    zone class=NORMAL node=0 pages=16 start=16 batch=2 high=8
    zone class=NORMAL node=1 pages=16 start=32
    a = alloc order=1 node=1 cpu=1 -> pfn 32
    b = alloc order=0 highest=DMA32 onlynode=1
    disable pfn=16
    expect NUMA-zonelist

The requests are those of other traces. Those for memory may say a node to be near, the highest zone
that will do, and whether no other node will; to disable and enable lists takes a frame of the zone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from pagespec.compaction.trace import CompactionTrace, compaction_text_of
from pagespec.compaction.trace_reader import parse_compaction
from pagespec.era import era_named
from pagespec.host import RATIOS, Host, Part, PartError
from pagespec.machine import Machine
from pagespec.request_reader import SHAPES, Shape, Shapes
from pagespec.schedule.trace import ScheduleTrace, schedule_text_of
from pagespec.schedule.trace_reader import is_schedule, parse_schedule
from pagespec.slab.trace import SlabTrace, slab_text_of
from pagespec.slab.trace_reader import parse_slabs
from pagespec.trace import FORMAT, Request, Trace, TraceError, line_of, machine_line, text_of
from pagespec.trace_reader import lines_of, parse, read_requests
from pagespec.trace_words import (
    first_word,
    read_flag,
    read_holes,
    read_numbers,
    read_types,
    read_whole,
    read_words,
)
from pagespec.types import DomainError, ZoneClass
from pagespec.verbs import Verb
from pagespec.vmstat.trace import CounterTrace, counter_text_of
from pagespec.vmstat.trace_reader import parse_counters


@dataclass(frozen=True, slots=True)
class HostTrace:
    """A host, the requests put to it, and the law that they break, if any."""

    host: Host
    requests: tuple[Request, ...]
    expect: str | None = None
    comments: tuple[str, ...] = ()


AnyTrace: TypeAlias = Trace | HostTrace | CounterTrace | SlabTrace | CompactionTrace | ScheduleTrace
"""A trace of one zone, of a host of several, of counters alone, of slabs, of compaction, or of who
comes between whom."""


_PLACE = frozenset({"node", "highest", "onlynode"})
_MORE: dict[Verb, frozenset[str]] = {
    Verb.ALLOC: _PLACE,
    Verb.BULK: _PLACE,
    Verb.UNRESERVE: _PLACE - {"onlynode"},
}
HOST_SHAPES: Shapes = {
    **{
        verb: shape._replace(may_have=shape.may_have | _MORE.get(verb, frozenset()))
        for verb, shape in SHAPES.items()
    },
    Verb.DISABLE: Shape("disable pfn=16", frozenset({"pfn"})),
    Verb.ENABLE: Shape("enable pfn=16", frozenset({"pfn"})),
}
"""How each request to a host is written."""

OF_HOST = frozenset({"top", "era", "pageblock", "cpus", "min_free", "cells"})
"""The words of a machine that are said once for all zones."""

HOST_WORDS = OF_HOST | {"ratios", "byzone", "numa"}
ZONE_WORDS = frozenset({"class", "node", "pages", "start", "holes", "types", "guard"}) | {
    *("batch", "high")
}


# --- writing -----------------------------------------------------------------------------------


def host_text_of(trace: HostTrace) -> str:
    """The trace as text; parsing it gives the trace back."""
    lines = [FORMAT, *(f"# {comment}" for comment in trace.comments), _host_line(trace.host)]
    lines += [_zone_line(part) for part in trace.host.parts]
    lines += [line_of(request) for request in trace.requests]
    if trace.expect is not None:
        lines.append(f"expect {trace.expect}")
    return "\n".join(lines) + "\n"


def any_text_of(trace: AnyTrace) -> str:
    """A trace of any kind as text."""
    if isinstance(trace, Trace):
        return text_of(trace)
    if isinstance(trace, ScheduleTrace):
        return schedule_text_of(trace)
    if isinstance(trace, SlabTrace):
        return slab_text_of(trace)
    if isinstance(trace, CompactionTrace):
        return compaction_text_of(trace)
    return host_text_of(trace) if isinstance(trace, HostTrace) else counter_text_of(trace)


def _host_line(host: Host) -> str:
    machine = host.parts[0].machine
    line = f"host era={host.era.name} top={machine.top}"
    if machine.pageblock is not None:
        line += f" pageblock={machine.pageblock}"
    if host.cpus:
        line += f" cpus={','.join(map(str, host.cpus))}"
    if host.min_free is not None:
        line += f" min_free={host.min_free}"
    if host.ratios != RATIOS:
        line += f" ratios={','.join(map(str, host.ratios))}"
    if host.by_zone:
        line += " byzone=1"
    if machine.cells:
        line += " cells=1"
    return line if host.numa else f"{line} numa=0"


def _zone_line(part: Part) -> str:
    words = machine_line(part.machine).split(" ")[1:]
    own = [word for word in words if word.partition("=")[0] not in OF_HOST]
    return " ".join([f"zone class={part.zone_class.name} node={part.node}", *own])


# --- reading -----------------------------------------------------------------------------------


def parse_host(text: str) -> HostTrace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    comments, body = lines_of(text)
    number, line = next(body)
    fields = read_words(number, line, "host", frozenset({"era", "top"}), HOST_WORDS)
    zones: list[tuple[int, str]] = []
    rest: list[tuple[int, str]] = []
    for at, other in body:
        (zones if first_word(other) == "zone" and not rest else rest).append((at, other))
    if not zones:
        at, other = rest[0] if rest else (number, "the end of the file")
        raise TraceError(
            at, f"expected `zone class=NAME node=N pages=N` behind the host, got {other[:60]!r}"
        )
    host = _host(number, fields, zones)
    requests, expect = read_requests(iter(rest), "host", HOST_SHAPES)
    return HostTrace(host, requests, expect, comments)


KINDS: dict[str, Callable[[str], AnyTrace]] = {
    "machine": parse,
    "host": parse_host,
    "counters": parse_counters,
    "slabs": parse_slabs,
    "compaction": parse_compaction,
}
"""The reader of each kind of trace, by what the line behind the comments begins with."""


def parse_any(text: str) -> AnyTrace:
    """The trace of any kind that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    _, body = lines_of(text)
    number, line = next(body)
    if first_word(line) not in KINDS:
        raise TraceError(
            number,
            "expected `machine pages=N top=N era=NAME`, or `host era=NAME top=N` and a line "
            "`zone class=NAME node=N pages=N` for each zone, or `counters era=NAME cpus=N,N` and "
            "a line `zone node=N pages=N` for each, or `slabs era=NAME pages=N top=N cpus=N`, "
            "or `compaction era=NAME pages=N pageblock=N top=N`, "
            f"got {line[:60]!r}",
        )
    if first_word(line) != "host" and is_schedule(text):
        return parse_schedule(text)
    return KINDS[first_word(line)](text)


def _host(number: int, fields: dict[str, str], zones: list[tuple[int, str]]) -> Host:
    whole = {
        key: read_whole(number, key, fields[key])
        for key in ("top", "pageblock", "min_free")
        if key in fields
    }
    cpus = tuple(read_numbers(number, "cpus", fields["cpus"])) if "cpus" in fields else ()
    ratios = (
        tuple(read_numbers(number, "ratios", fields["ratios"])) if "ratios" in fields else RATIOS
    )
    by_zone = read_flag(number, "byzone", fields.get("byzone", "0"))
    numa = read_flag(number, "numa", fields.get("numa", "1"))
    try:
        # What all zones share is the host's fault, not that of the first zone.
        shared = Machine(
            pages=1,
            top=whole["top"],
            era=era_named(fields["era"]),
            pageblock=whole.get("pageblock"),
            cpus=len(cpus),
            cells=read_flag(number, "cells", fields.get("cells", "0")),
        )
    except DomainError as error:
        raise TraceError(number, str(error)) from None
    parts = tuple(_part(at, line, shared, cpus) for at, line in zones)
    try:
        return Host(parts, cpus, whole.get("min_free"), ratios, by_zone=by_zone, numa=numa)
    except PartError as error:
        raise TraceError(zones[error.number][0], str(error)) from None
    except DomainError as error:
        raise TraceError(number, str(error)) from None


def _part(number: int, line: str, shared: Machine, cpus: tuple[int, ...]) -> Part:
    fields = read_words(number, line, "zone", frozenset({"class", "node", "pages"}), ZONE_WORDS)
    name = fields["class"]
    if name not in ZoneClass.__members__:
        known = ", ".join(ZoneClass.__members__)
        raise TraceError(number, f"class={name[:40]}: expected one of {known}")
    whole = {
        key: read_whole(number, key, fields[key])
        for key in ("node", "pages", "start", "guard", "batch", "high")
        if key in fields
    }
    try:
        machine = Machine(
            whole["pages"],
            shared.top,
            shared.era,
            start=whole.get("start", 0),
            holes=tuple(read_holes(number, fields["holes"])) if "holes" in fields else (),
            pageblock=shared.pageblock,
            types=tuple(read_types(number, fields["types"])) if "types" in fields else (),
            guard=whole.get("guard", 0),
            cpus=shared.cpus,
            far=frozenset(cpu for cpu, node in enumerate(cpus) if node != whole["node"]),
            batch=whole.get("batch"),
            high=whole.get("high"),
            cells=shared.cells,
        )
    except TraceError:
        raise
    except DomainError as error:
        raise TraceError(number, str(error)) from None
    return Part(ZoneClass[name], whole["node"], machine)
