"""The trace of counters is text: it reads back as it was written, and means what it says."""

from collections.abc import Set
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from tests.spec.counter_text import HEAD, TEXT

from pagefuzz.counters.draw import random_counters
from pagefuzz.counters.requests import random_mix, random_request
from pagespec.era import ERAS
from pagespec.host_trace import any_text_of, parse_any
from pagespec.laws.books import LAWS_OF
from pagespec.trace import TraceError
from pagespec.types import Refusal
from pagespec.verbs import Outcome
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item
from pagespec.vmstat.numa import NUMA_DESIGNS
from pagespec.vmstat.ops import perform
from pagespec.vmstat.trace import CounterRequest, CounterTrace, counter_line_of, counter_text_of
from pagespec.vmstat.trace_reader import parse_counters
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb, Level

OPS = (
    CounterOp(CounterVerb.MOD, 1, Item.FREE, 0, -31, irqs_on=True, open=True),
    CounterOp(CounterVerb.INC, 1, Item.ISOLATED, 0, times=5),
    CounterOp(CounterVerb.DEC, 0, Item.CMA, 1),
    CounterOp(CounterVerb.LAND, number=0),
    CounterOp(CounterVerb.REFRESH, 1, open=True),
    CounterOp(CounterVerb.PLUG),
    CounterOp(CounterVerb.UNPLUG, 2),
    CounterOp(CounterVerb.WAKE, where=0),
    CounterOp(CounterVerb.REST, where=1),
    CounterOp(CounterVerb.MIN_FREE, pages=128),
    CounterOp(CounterVerb.RESIZE, where=0, pages=600, silent=True),
    CounterOp(CounterVerb.READ, item=Item.FREE, where=0, close=True),
    CounterOp(CounterVerb.READ, item=Item.HIT, where=ALL),
    CounterOp(CounterVerb.CHECK, where=0, level="low", order=0, reclaim=True),
    CounterOp(CounterVerb.TAKE, 2, where=1, level="min", order=3),
    CounterOp(CounterVerb.COUNT, 2, where=0, preferred=1, times=4, interleave=True),
    CounterOp(CounterVerb.NUMA_OFF),
    CounterOp(CounterVerb.NUMA_ON),
)


def test_it_reads_back_as_it_was_written() -> None:
    """Word for word: this is how it is written, and what it means."""
    trace = parse_counters(TEXT)

    assert counter_text_of(trace) == TEXT
    assert trace.machine == CounterMachine(
        ERAS["6.1"],
        (0, 0, 1),
        (CountedZone(0, 500), CountedZone(1, 40_000)),
        *(64, "u16", 2, 5, 3),
    )
    assert tuple(request.op for request in trace.requests) == OPS
    answers = {number: request.answer for number, request in enumerate(trace.requests)}
    told = {1: 0, 4: 3, 5: Refusal.BAD_CPU, 11: 460, 13: 1, 14: 0}
    assert {number: answer for number, answer in answers.items() if answer is not None} == told
    assert (trace.expect, trace.comments) == ("VM-conserve", ("seed 1",))
    assert {op.verb for op in OPS} == set(CounterVerb)


# --- any trace ---------------------------------------------------------------------------------

NUMBERS = st.integers(0, 10) | st.integers(0, 10**15 - 1)
"""Numbers up to the largest that a trace can say."""

_STEP = frozenset({"item", "where", "cpu", "irqs_on", "open"})
_MARK = frozenset({"where", "level", "order"})
SAID: dict[CounterVerb, Set[str]] = {
    CounterVerb.MOD: _STEP | {"by"},
    CounterVerb.INC: _STEP | {"times"},
    CounterVerb.DEC: _STEP | {"times"},
    CounterVerb.LAND: {"number"},
    CounterVerb.REFRESH: {"cpu", "open"},
    CounterVerb.UNPLUG: {"cpu"},
    CounterVerb.PLUG: {"cpu"},
    CounterVerb.WAKE: {"where"},
    CounterVerb.REST: {"where"},
    CounterVerb.MIN_FREE: {"pages"},
    CounterVerb.RESIZE: {"where", "pages", "silent"},
    CounterVerb.READ: {"item", "where", "close"},
    CounterVerb.CHECK: _MARK | {"reclaim"},
    CounterVerb.TAKE: _MARK | {"cpu"},
    CounterVerb.COUNT: {"where", "preferred", "cpu", "times", "interleave"},
    CounterVerb.NUMA_OFF: set(),
    CounterVerb.NUMA_ON: set(),
}
"""What a request of each verb depends on, by the field that says it."""

MOST = {CounterVerb.CHECK: 1, CounterVerb.TAKE: 1, CounterVerb.REFRESH: 5000}
MOST[CounterVerb.READ] = 2**64 - 1
"""The largest answer of each verb, of faulty counters too; 0 of the others, which are done."""


@st.composite
def machines(draw: DrawFn) -> CounterMachine:
    """Any machine, each of its words said or not."""
    era = draw(st.sampled_from(tuple(ERAS.values())))
    nodes = st.integers(0, 63)
    zone = st.builds(CountedZone, nodes, st.integers(1, 2**24))
    numa = draw(st.none() | st.sampled_from(tuple(NUMA_DESIGNS)))
    own = {"u16": 65533, "s16-draft": 32765}.get(numa or era.numa)
    sizes, nothing = st.none() | st.integers(0, 125), st.none()
    return CounterMachine(
        era=era,
        cpus=tuple(draw(st.lists(nodes, min_size=1, max_size=5))),
        zones=tuple(draw(st.lists(zone, min_size=1, max_size=4))),
        min_free=draw(st.integers(0, 2**32 - 1)),
        numa=numa,
        normal=draw(nothing if era.cells == "none" else sizes),
        pressure=draw(sizes if era.lowers_thresholds else nothing),
        numa_threshold=draw(nothing if own is None else st.none() | st.integers(0, own)),
    )


LEVELS: SearchStrategy[Level] = st.sampled_from(("min", "low", "high"))


@st.composite
def requests(draw: DrawFn) -> CounterRequest:
    """Any request, and any answer that its verb may have."""
    verb = draw(st.sampled_from(CounterVerb))
    said = SAID[verb]

    def number(field: str, otherwise: int = 0) -> int:
        return draw(NUMBERS) if field in said else otherwise

    def flag(field: str) -> bool:
        return field in said and draw(st.booleans())

    op = CounterOp(
        verb,
        cpu=number("cpu"),
        item=draw(st.sampled_from(Item)) if "item" in said else Item.FREE,
        where=number("where"),
        by=number("by") * draw(st.sampled_from((1, -1))),
        times=number("times", 1),
        irqs_on=flag("irqs_on"),
        open=flag("open"),
        number=number("number"),
        close=flag("close"),
        level=draw(LEVELS) if "level" in said else "min",
        order=number("order"),
        reclaim=flag("reclaim"),
        preferred=number("preferred"),
        interleave=flag("interleave"),
        pages=number("pages"),
        silent=flag("silent"),
    )
    if verb is CounterVerb.READ and draw(st.booleans()):
        op = op._replace(where=ALL)
    served: SearchStrategy[Outcome] = st.integers(0, MOST.get(verb, 0))
    answer = draw(st.none() | served | st.sampled_from(tuple(map(int, Refusal))))
    return CounterRequest(op, answer)


COMMENTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")).map(str.strip)
TRACES = st.builds(
    CounterTrace,
    machines(),
    st.lists(requests(), max_size=8).map(tuple),
    st.none() | st.sampled_from(sorted(LAWS_OF["counter"])),
    st.lists(COMMENTS, max_size=2).map(tuple),
)


@given(TRACES)
def test_any_trace_reads_back(trace: CounterTrace) -> None:
    """Every machine and every request, with what it says and what goes without saying."""
    text = counter_text_of(trace)

    assert parse_counters(text) == trace
    assert parse_any(text) == trace
    assert any_text_of(trace) == text


@given(TRACES)
def test_what_goes_without_saying_is_not_said(trace: CounterTrace) -> None:
    """Of what a request may but need not say, nothing that would be so anyway."""
    lines = counter_text_of(trace).splitlines()
    written = [line.partition(" -> ")[0].split() for line in lines if line[:1] != "#"]

    for words in written:
        idle = [word for word in words if word.partition("=")[0] in PLAIN and word[-2:] == "=0"]
        assert not idle
        assert "times=1" not in words
        assert "min_free=0" not in words


PLAIN = ("cpu", "irqs_on", "open", "close", "reclaim", "interleave", "silent")


@pytest.mark.parametrize("seed", range(30))
def test_any_walk_reads_back(seed: int) -> None:
    """A trace can say all that walks ask for, refused or not."""
    rng = Random(f"text {seed}")
    machine = random_counters(rng, rng.choice(tuple(ERAS.values())))
    counters, mix, done = boot_counters(machine), random_mix(rng, machine), []
    for _ in range(60):
        op = random_request(rng, counters, mix)
        done.append(CounterRequest(op, perform(counters, op)))
    trace = CounterTrace(machine, tuple(done))

    assert parse_counters(counter_text_of(trace)) == trace


# --- what the words mean -----------------------------------------------------------------------


@pytest.mark.parametrize(("numa", "scope"), [("u16", "zone"), ("s16-draft", "node")])
def test_numa_statistics_are_of_what_the_design_counts_by(numa: str, scope: str) -> None:
    """By zone, but in the draft by node; the other word is none there."""
    text = f"{HEAD.strip()} numa={numa}\nzone node=5 pages=9\nread hit {scope}="
    numbers = {"zone": 0, "node": 5}
    trace = parse_counters(f"{text}{numbers[scope]} -> count 0\n")

    assert counter_text_of(trace) == f"{text}{numbers[scope]} -> count 0\n"
    assert perform(boot_counters(trace.machine), trace.requests[0].op) == 0
    other = "node" if scope == "zone" else "zone"
    with pytest.raises(TraceError, match=f"expected one of {scope}=N, all=1, close=1 behind `read"):
        parse_counters(text.replace(f"hit {scope}", f"hit {other}") + "0\n")


HUGE = 10**15 - 1
REFUSED = {
    "mod free zone=0 by={}": "BAD_RANGE",
    "mod free zone=0 by=-{}": "BAD_RANGE",
    "mod free zone={} by=1": "NO_COUNTER",
    "inc isolated node={}": "NO_COUNTER",
    "dec cma zone=0 times={}": "BAD_RANGE",
    "dec cma zone=0 cpu={}": "BAD_CPU",
    "land number={}": "NO_UPDATE",
    "refresh cpu={}": "BAD_CPU",
    "unplug cpu={}": "BAD_CPU",
    "plug cpu={}": "BAD_CPU",
    "wake node={}": "BAD_NODE",
    "rest node={}": "BAD_NODE",
    "minfree kbytes={}": "BAD_RANGE",
    "resize zone=0 pages={}": "BAD_RANGE",
    "resize zone={} pages=1": "NO_COUNTER",
    "read free zone={}": "NO_COUNTER",
    "check zone=0 level=low order={}": "BAD_ORDER",
    "take zone=0 level=low order={}": "BAD_ORDER",
    "count zone=0 preferred={}": "NO_COUNTER",
    "count zone=0 preferred=0 times={}": "BAD_RANGE",
}


@pytest.mark.parametrize("line", REFUSED)
def test_huge_numbers_are_refused_and_change_nothing(line: str) -> None:
    """By the spec; to the reader they are numbers like others."""
    text = f"{HEAD}zone node=0 pages=500\n{line.format(HUGE)}\n"
    trace = parse_counters(text)
    counters, (request,) = boot_counters(trace.machine), trace.requests
    outcome = perform(counters, request.op)

    assert counter_text_of(trace) == text
    assert counters == boot_counters(trace.machine)
    answer = f"{line.format(HUGE)} -> refused {REFUSED[line]}"
    assert counter_line_of(trace.machine, request._replace(answer=outcome)) == answer
