"""`docs/trace-format.md` names every word of compaction's traces, and its trace is what it says."""

import re
from pathlib import Path

from pagespec.compaction.ops import perform, start
from pagespec.compaction.trace import (
    COMPACTION_SHAPES,
    CompactionNames,
    CompactionTrace,
    compaction_text_of,
)
from pagespec.compaction.trace_reader import parse_compaction
from pagespec.compaction.verbs import CompactionVerb, Result

PAGE = (Path(__file__).parents[2] / "docs" / "trace-format.md").read_text()
SECTION = PAGE.partition("## Compaction")[2].partition("\n## ")[0]
ROWS = "\n".join(line for line in SECTION.splitlines() if line.startswith("|"))
(EXAMPLE,) = re.findall(r"```\n(pagefuzz-trace.*?)```", SECTION, re.DOTALL)


def test_the_example_is_answered_as_it_says() -> None:
    """Each answer is the spec's, there is one of every verb, and it is written as it stands."""
    trace = parse_compaction(EXAMPLE)
    zone, names, moved = start(trace.machine), CompactionNames(), 0
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        zone.moves.clear()
        outcome = perform(zone, op)
        assert outcome == request.answer, request
        names.learn(request.name, op, outcome, zone.moves)
        moved += len(zone.moves)

    assert moved == 2
    assert {request.op.verb for request in trace.requests} == set(CompactionVerb)
    assert compaction_text_of(CompactionTrace(trace.machine, trace.requests)) == EXAMPLE


def test_every_word_is_explained() -> None:
    """What the line of the machine must say, every verb, its words, and every result."""
    words = {"era", "pages", "pageblock", "top", "scan"}
    words |= {word for shape in COMPACTION_SHAPES.values() for word in shape.needs | shape.may_have}

    assert [word for word in words if f"{word}=" not in ROWS] == []
    assert [verb for verb in CompactionVerb if not re.search(rf"\b{verb.value}\b", ROWS)] == []
    assert [result for result in Result if f"`{result.name.lower()}`" not in ROWS] == []
