"""`docs/trace-format.md` names every word of the format, and its traces are what they say."""

import re
from pathlib import Path

import pytest

from pagespec.boot import boot
from pagespec.host_trace import HOST_WORDS, ZONE_WORDS, parse_host
from pagespec.migratetype import LETTERS
from pagespec.ops import perform
from pagespec.request_reader import SHAPES
from pagespec.system import boot_system
from pagespec.system import perform as system_perform
from pagespec.trace import FLAGS, SIZES_GIVEN, Names
from pagespec.trace_reader import parse
from pagespec.types import ZoneClass
from pagespec.verbs import Verb

PAGE = (Path(__file__).parents[2] / "docs" / "trace-format.md").read_text()
EXAMPLES = re.findall(r"```\n(pagefuzz-trace.*?)```", PAGE, re.DOTALL)
TRACES = [text for text in EXAMPLES if "\nmachine " in text]
(HOST,) = (text for text in EXAMPLES if "\nhost " in text)


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
    words |= {*SIZES_GIVEN, "slot"}
    table = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))

    assert [word for word in words if f"{word}=" not in table and word not in FLAGS] == []
    assert [flag for flag in FLAGS if f"{flag}=1" not in table] == []
    assert [letter for letter in LETTERS if not re.search(rf"[:,d] {letter} \w", PAGE)] == []
