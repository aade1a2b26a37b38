"""`docs/trace-format.md` names every word of slabs' traces, and its trace is what it says."""

import re
from pathlib import Path

import pytest

from pagespec.slab.ops import perform, start
from pagespec.slab.trace import SLAB_SHAPES, SlabNames, SlabTrace, slab_text_of
from pagespec.slab.trace_reader import OWN_WORDS, parse_slabs
from pagespec.slab.verbs import SlabVerb
from pagespec.types import Refusal

PAGE = (Path(__file__).parents[2] / "docs" / "trace-format.md").read_text()
SECTION = PAGE.partition("## Slabs")[2].partition("\n## ")[0]
ROWS = "\n".join(line for line in SECTION.splitlines() if line.startswith("|"))
(EXAMPLE,) = re.findall(r"```\n(pagefuzz-trace.*?)```", SECTION, re.DOTALL)


def test_the_example_is_answered_as_it_says() -> None:
    """Each answer is the spec's, there is one of every verb, and it is written as it stands."""
    trace = parse_slabs(EXAMPLE)
    slabs, names = start(trace.machine), SlabNames()
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        outcome = perform(slabs, op)
        assert outcome == request.answer, request
        names.learn(request, outcome, slabs.slots)

    assert {request.op.verb for request in trace.requests} == set(SlabVerb)
    assert slab_text_of(SlabTrace(trace.machine, trace.requests)) == EXAMPLE


def test_every_word_is_explained() -> None:
    """What the line of the machine may say, every verb, and the words of each in its rows."""
    words = {*OWN_WORDS, "era", "pages", "top"}
    words |= {word for shape in SLAB_SHAPES.values() for word in shape.needs | shape.may_have}

    assert [word for word in words if f"{word}=" not in ROWS] == []
    assert [verb for verb in SlabVerb if not re.search(rf"\b{verb.value}\b", ROWS)] == []


HEAD = """pagefuzz-trace 1
slabs era=5.15 pages=16 top=3 start=1 cpus=1 scheme=objects groups=2
create cache=1 size=1024
create cache=2 size=1024
group group=1
group group=2
a = alloc cache=1 group=2
offline group=2
"""


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("alloc cache=1 cpu=1", "BAD_CPU"),
        ("alloc cache=3", "NO_CACHE"),
        ("create cache=1 size=64", "CACHE_EXISTS"),
        ("create cache=257 size=64", "CACHE_EXISTS"),
        ("destroy cache=1", "CACHE_BUSY"),
        ("create cache=3 size=12", "BAD_SIZE"),
        ("create cache=3 size=64 batch=1", "BAD_SIZE"),
        ("large order=4", "BAD_ORDER"),
        ("allocbulk cache=1 objects=65", "BAD_RANGE"),
        ("free a+8", "NOT_OBJECT"),
        ("freebulk a,a", "NOT_OBJECT"),
        ("freebulk a withheld=a+8", "NOT_OBJECT"),
        ("freebulk a cache=2", "WRONG_CACHE"),
        ("alloc cache=1 group=3", "NO_GROUP"),
        ("group group=1", "GROUP_EXISTS"),
        ("group group=2", "GROUP_EXISTS"),
        ("alloc cache=1 group=2", "GROUP_OFFLINE"),
        ("reap", "UNSUPPORTED"),
    ],
)
def test_requests_are_refused_as_the_page_says(line: str, reason: str) -> None:
    """For each reason of the page."""
    trace = parse_slabs(f"{HEAD}{line}\n")
    slabs, names = start(trace.machine), SlabNames()
    outcome = 0
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        outcome = perform(slabs, op)
        names.learn(request, outcome, slabs.slots)

    assert outcome == Refusal[reason]
    assert re.search(rf"`{reason}`", ROWS)
