"""`docs/trace-format.md` names every word of the format, and its traces are what they say."""

import re
from pathlib import Path

import pytest

from pagespec.boot import boot
from pagespec.migratetype import LETTERS
from pagespec.ops import perform
from pagespec.trace import FLAGS, SIZES_GIVEN, Names
from pagespec.trace_reader import SHAPES, parse
from pagespec.verbs import Verb

PAGE = (Path(__file__).parents[2] / "docs" / "trace-format.md").read_text()
TRACES = re.findall(r"```\n(pagefuzz-trace.*?)```", PAGE, re.DOTALL)


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
