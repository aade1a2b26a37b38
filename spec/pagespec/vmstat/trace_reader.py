"""Reading traces of counters: text to requests, and one clear sentence for any other text."""

from dataclasses import replace

from pagespec.era import era_named
from pagespec.trace import TraceError
from pagespec.trace_reader import Lines, lines_of, read_body
from pagespec.trace_words import (
    first_word,
    read_numbers,
    read_whole,
    read_words,
    short,
)
from pagespec.types import DomainError
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.numa import NUMA_DESIGNS, NumaName
from pagespec.vmstat.request_reader import read_counter_request
from pagespec.vmstat.trace import SIZES_SAID, CounterTrace

NEEDED = frozenset({"era", "cpus"})
COUNTERS_WORDS = NEEDED | {"min_free", "numa", *SIZES_SAID}
COUNTED_ZONE_WORDS = frozenset({"node", "pages"})
DESIGNS: dict[str, NumaName] = {name: name for name in NUMA_DESIGNS}


def parse_counters(text: str) -> CounterTrace:
    """The trace that the text describes.

    Raises TraceError, with the line's number, for any other text.
    """
    comments, body = lines_of(text)
    machine, rest = read_counters(body)
    requests, expect = read_body(
        rest, "counter", lambda at, line: read_counter_request(at, line, machine)
    )
    return CounterTrace(machine, requests, expect, comments)


def read_counters(body: Lines) -> tuple[CounterMachine, Lines]:
    """Where counters are kept, and the lines behind those that say it."""
    number, line = next(body)
    fields = read_words(number, line, "counters", NEEDED, COUNTERS_WORDS)
    zones: list[tuple[int, str]] = []
    rest: list[tuple[int, str]] = []
    for at, other in body:
        (zones if first_word(other) == "zone" and not rest else rest).append((at, other))
    if not zones:
        at, other = rest[0] if rest else (number, "the end of the file")
        raise TraceError(
            at, f"expected `zone node=N pages=N` behind the counters, got {other[:60]!r}"
        )
    return _with_zones(_shared(number, fields), zones), iter(rest)


def _shared(number: int, fields: dict[str, str]) -> CounterMachine:
    """What all zones share, with one zone to stand for them: what is wrong with it is its fault."""
    whole = {
        key: read_whole(number, key, fields[key])
        for key in ("min_free", *SIZES_SAID)
        if key in fields
    }
    cpus = tuple(read_numbers(number, "cpus", fields["cpus"]))
    numa = fields.get("numa")
    if numa is not None and numa not in DESIGNS:
        raise TraceError(number, f"numa={short(numa)}: expected one of {', '.join(DESIGNS)}")
    try:
        return CounterMachine(
            era=era_named(fields["era"]),
            cpus=cpus,
            zones=(CountedZone(0, 1),),
            min_free=whole.get("min_free", 0),
            numa=None if numa is None else DESIGNS[numa],
            normal=whole.get("normal"),
            pressure=whole.get("pressure"),
            numa_threshold=whole.get("numa_threshold"),
        )
    except DomainError as error:
        raise TraceError(number, str(error)) from None


def _with_zones(shared: CounterMachine, lines: list[tuple[int, str]]) -> CounterMachine:
    """The machine with its zones, one by one, so that it is the first wrong one that is blamed."""
    machine, zones = shared, list[CountedZone]()
    for number, line in lines:
        fields = read_words(number, line, "zone", COUNTED_ZONE_WORDS, COUNTED_ZONE_WORDS)
        node, pages = (read_whole(number, key, fields[key]) for key in ("node", "pages"))
        zones.append(CountedZone(node, pages))
        try:
            machine = replace(shared, zones=tuple(zones))
        except DomainError as error:
            raise TraceError(number, str(error)) from None
    return machine
