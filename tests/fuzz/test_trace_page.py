"""`docs/trace-format.md` names every word of the format, and its traces are what they say."""

import re
from pathlib import Path
from typing import get_args

import pytest

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.host_trace import HOST_WORDS, ZONE_WORDS, parse_host
from pagespec.migratetype import LETTERS
from pagespec.ops import perform
from pagespec.request_reader import SHAPES
from pagespec.system import boot_system
from pagespec.system import perform as system_perform
from pagespec.trace import FLAGS, SIZES_GIVEN, Names
from pagespec.trace_reader import parse
from pagespec.types import Refusal, ZoneClass
from pagespec.verbs import Op, Verb
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.machine import Item
from pagespec.vmstat.numa import NUMA_DESIGNS
from pagespec.vmstat.ops import perform as counter_perform
from pagespec.vmstat.trace import COUNTER_SHAPES
from pagespec.vmstat.trace_reader import COUNTED_ZONE_WORDS, COUNTERS_WORDS, parse_counters
from pagespec.vmstat.verbs import CounterVerb, Level

PAGE = (Path(__file__).parents[2] / "docs" / "trace-format.md").read_text()
EXAMPLES = re.findall(r"```\n(pagefuzz-trace.*?)```", PAGE.partition("## Schedules")[0], re.DOTALL)
TRACES = [text for text in EXAMPLES if "\nmachine " in text]
(HOST,) = (text for text in EXAMPLES if "\nhost " in text)
(COUNTERS,) = (text for text in EXAMPLES if "\ncounters " in text)


@pytest.mark.parametrize("text", TRACES, ids=["blocks", "pageblocks", "CPUs"])
def test_the_examples_are_answered_as_they_say(text: str) -> None:
    """Each answer on the page is the spec's."""
    trace = parse(text)
    zone, names = boot(trace.machine), Names()
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        outcome = perform(zone, op)
        assert request.answer in (None, outcome), request
        names.learn(request, outcome, zone.slots)


def test_the_host_is_answered_as_it_says() -> None:
    """Each answer is that of the spec's zones together."""
    trace = parse_host(HOST)
    system, names = boot_system(trace.host), Names()
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        outcome = system_perform(system, op)
        assert request.answer == outcome, request
        slots = {pfn: slot for zone in system.zones for pfn, slot in zone.slots.items()}
        names.learn(request, outcome, slots)


def test_every_word_of_hosts_is_explained() -> None:
    """What the lines of hosts and zones may say, and requests for memory there."""
    words = {*HOST_WORDS, *ZONE_WORDS, "node", "highest", "onlynode"}
    section = PAGE.partition("## Hosts")[2]

    assert [word for word in words if f"{word}=" not in section] == []
    assert [name for name in ZoneClass.__members__ if name not in section] == []


def test_the_counters_are_answered_as_they_say() -> None:
    """Each answer is the spec's, and there is one of every verb."""
    trace = parse_counters(COUNTERS)
    counters = boot_counters(trace.machine)
    for request in trace.requests:
        assert counter_perform(counters, request.op) == request.answer, request

    assert {request.op.verb for request in trace.requests} == set(CounterVerb)


def test_every_word_of_counters_is_explained() -> None:
    """What the lines of CPUs and zones may say, every verb, and the words of each in its rows."""
    section = PAGE.partition("## Counters")[2]
    rows = "\n".join(line for line in section.splitlines() if line.startswith("|"))
    words = {*COUNTERS_WORDS, *COUNTED_ZONE_WORDS, "node", "zone", "all"}
    words |= {word for shape in COUNTER_SHAPES.values() for word in shape.needs | shape.may_have}

    assert [word for word in words if f"{word}=" not in rows] == []
    assert [verb for verb in CounterVerb if not re.search(rf"`{verb.value}\b", rows)] == []
    assert [item for item in Item if not re.search(rf"[` ]{item.value}\b", rows)] == []
    assert [name for name in (*NUMA_DESIGNS, *get_args(Level)) if f"`{name}`" not in rows] == []


REFUSED = {
    "refresh cpu=9": "BAD_CPU",
    "read isolated node=0": "NO_COUNTER",
    "read free zone=4": "NO_COUNTER",
    "wake node=3": "BAD_NODE",
    "land number=0": "NO_UPDATE",
    "check zone=0 level=low order={over order}": "BAD_ORDER",
    "mod free zone=0 by={over by}": "BAD_RANGE",
    "mod free zone=0 by={under by}": "BAD_RANGE",
    "inc free zone=0 times={over times}": "BAD_RANGE",
    "inc free zone=0 times=2 open=1": "BAD_RANGE",
    "minfree kbytes={over kbytes}": "BAD_RANGE",
    "resize zone=0 pages={over pages}": "BAD_RANGE",
    "mod hit zone=0 by=1": "UNSUPPORTED",
    "numaoff": "UNSUPPORTED",
}
"""Requests to two CPUs of the era without cells, and why the page says that they are refused."""


@pytest.mark.parametrize(("line", "reason"), REFUSED.items())
def test_counters_refuse_what_the_page_says(line: str, reason: str) -> None:
    """Just beyond each limit of the page, and for each reason of it."""
    limits = dict(re.findall(r"^\| `(\w+)=N`.* \| (-?\d+ to \d+)", PAGE, re.M))
    for word, limit in limits.items():
        least, most = map(int, limit.split(" to "))
        line = line.replace(f"{{over {word}}}", str(most + 1))
        line = line.replace(f"{{under {word}}}", str(least - 1))
    text = f"pagefuzz-trace 1\ncounters era=2.6.8 cpus=0,0\nzone node=0 pages=9\n{line}\n"
    trace = parse_counters(text)
    outcome = counter_perform(boot_counters(trace.machine), trace.requests[0].op)

    assert Refusal(outcome).name == reason
    assert f"\n| `{reason}` | " in PAGE.partition("## Counters")[2]


def test_up_to_a_limit_counters_serve() -> None:
    """The limits are no narrower than the page says."""
    lines = (
        *("mod free zone=0 by=2147483647", "mod free zone=0 by=-2147483648"),
        *("minfree kbytes=4294967295", "resize zone=0 pages=16777216"),
        "check zone=0 level=low order=15",
    )
    head = "pagefuzz-trace 1\ncounters era=2.6.8 cpus=0,0\nzone node=0 pages=9\n"
    trace = parse_counters(head + "\n".join(lines))
    counters = boot_counters(trace.machine)

    assert all(counter_perform(counters, request.op) >= 0 for request in trace.requests)


def test_eras_without_cells_tell_every_change() -> None:
    """The page says so of 2.6.8 and 2.6.11."""
    for era in ("2.6.8", "2.6.11"):
        head = f"pagefuzz-trace 1\ncounters era={era} cpus=0,0\nzone node=0 pages=9\n"
        lines = "mod free zone=0 cpu=1 by=-1\nread free zone=0\nrefresh cpu=1"
        trace = parse_counters(head + lines)
        counters = boot_counters(trace.machine)

        assert [counter_perform(counters, request.op) for request in trace.requests] == [0, 8, 0]
        assert era in PAGE.partition("## Counters")[2]


def test_every_verb_is_shown_and_explained() -> None:
    """Each has a row in the table and, all together, a request in one of the examples."""
    asked = {request.verb for text in TRACES for request in parse(text).requests}

    assert asked == set(Verb)
    assert [
        verb for verb in Verb if not re.search(rf"^\| .*`(\w = )?{verb.value}\b", PAGE, re.M)
    ] == []


def test_every_word_is_explained() -> None:
    """What a request or a machine may say, and every letter of a type."""
    words = {word for shape in SHAPES.values() for word in (*shape.needs, *shape.may_have)}
    words |= {*FLAGS, "start", "holes", "pageblock", "types", "guard", "cpus"}
    words |= {*SIZES_GIVEN, "slot", "cells"}
    table = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))

    assert [word for word in words if f"{word}=" not in table and word not in FLAGS] == []
    assert [flag for flag in FLAGS if f"{flag}=1" not in table] == []
    assert [letter for letter in LETTERS if not re.search(rf"[:,d] {letter} \w", PAGE)] == []


BULK_WORDS = sorted(SHAPES[Verb.BULK].may_have)


@pytest.mark.parametrize("word", BULK_WORDS)
def test_what_bulk_takes_is_said(word: str) -> None:
    """In its own row, or in the word's."""
    rows = [line for line in PAGE.splitlines() if line.startswith("|") and "`bulk" in line]

    assert any(f"{word}=" in row for row in rows)


HEEDED = {
    "irq": {"4.11-rc"},
    "contended": {"6.1", "6.12"},
    "cold": set(ERAS) - {"5.8", "5.15", "6.1", "6.12"},
}
"""What the page says of each word that only some eras heed."""


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("word", HEEDED)
def test_eras_heed_the_words_that_the_page_says_of_them(word: str, era: str) -> None:
    """Elsewhere frames and lists are the same as without the word."""
    text = f"pagefuzz-trace 1\nmachine pages=16 top=3 era={era} cpus=1 batch=2\n"
    asked = "a = alloc order=0 {0}\nb = alloc order=0\nfree a\nfree b {0}\nalloc order=0"
    zones = []
    for said in (f"{word}=0", f"{word}=1"):
        trace = parse(text + asked.format(said))
        zone, names = boot(trace.machine), Names()
        for request in trace.requests:
            op = names.op_of(request)
            assert op is not None
            names.learn(request, perform(zone, op), zone.slots)
        zones.append(zone)

    same = (zones[0].pcps, zones[0].held) == (zones[1].pcps, zones[1].held)
    assert same is (era not in HEEDED[word])


CPU_VERBS = ("drain", "age", "refresh", "expire", "unplug", "plug", "alloc order=0")


@pytest.mark.parametrize("verb", CPU_VERBS)
def test_cpu_0_is_meant_where_none_is_named(verb: str) -> None:
    """A request without the word is the one with cpu=0."""
    head = "pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1 cpus=2\n"

    assert parse(head + verb) == parse(f"{head}{verb} cpu=0")


def test_no_kswapd_rests_without_marks() -> None:
    """As the page says of machines without min_free."""
    zone = boot(parse("pagefuzz-trace 1\nmachine pages=16 top=3 era=6.1 cpus=2\n").machine)

    assert perform(zone, Op(Verb.REST)) == Refusal.UNSUPPORTED
