"""Traces of compaction: what is written reads back, and names go along with their blocks."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.compaction.texts import TEXT

from pagefuzz.compaction.draw import random_compaction
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import perform, start
from pagespec.compaction.state import Move
from pagespec.compaction.trace import (
    COMPACTION_SHAPES,
    CompactionNames,
    CompactionRequest,
    CompactionTrace,
    compaction_text_of,
)
from pagespec.compaction.trace_reader import parse_compaction
from pagespec.compaction.verbs import ANSWERS, FRAMES, MODES, CompactionOp, CompactionVerb, Result
from pagespec.era import ERAS
from pagespec.host_trace import any_text_of, parse_any
from pagespec.laws.books import LAWS_OF
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, MigrateType
from pagespec.trace import Operand, TraceError, name_of
from pagespec.types import NO_MEMORY, Refusal

COMPACTING = [name for name, era in ERAS.items() if era.compaction is not None]


def test_each_verb_and_word_reads_back() -> None:
    """Written again it is the same text, and the reader of any trace reads it."""
    trace = parse_compaction(TEXT)

    assert compaction_text_of(trace) == TEXT
    assert any_text_of(parse_any(TEXT)) == TEXT
    assert {request.op.verb for request in trace.requests} == set(CompactionVerb)
    assert trace.machine.scan == "rechecks"


@st.composite
def requests(draw: st.DrawFn, named: list[str]) -> CompactionRequest:
    """A request, with all that its verb may say; named: the blocks that have names already."""
    verb = draw(st.sampled_from(CompactionVerb))
    shape = COMPACTION_SHAPES[verb]
    said = shape.needs | shape.may_have
    op = CompactionOp(verb)
    drawn: dict[str, st.SearchStrategy[object]] = {
        **{word: st.integers(0, 300) for word in ("cpu", "order", "pfn", "pages")},
        **{word: st.booleans() for word in ("lru", "killed", "whole", "irq")},
        "mt": st.sampled_from(MigrateType),
        "mode": st.sampled_from(MODES),
    }
    fields = {word: draw(each) for word, each in drawn.items() if word in said}
    if "number" in said:
        fields["order"] = draw(drawn["order"])
    op = CompactionOp(**{**op._asdict(), **fields})
    operand, sized = None, False
    if shape.named and named and draw(st.booleans()):
        operand = Operand(draw(st.sampled_from(named)), draw(st.integers(0, 3)))
        op = op._replace(pfn=0)
        sized = verb is CompactionVerb.FREE and draw(st.booleans())
        op = op if sized or verb is not CompactionVerb.FREE else op._replace(order=0)
    name = None
    if verb in FRAMES and draw(st.booleans()):
        name = name_of(len(named))
        named.append(name)
    answers = [st.none(), st.sampled_from(tuple(map(int, Refusal)))]
    if verb in FRAMES:
        answers += [st.integers(0, 999), st.just(NO_MEMORY)]
    else:
        answers.append(st.sampled_from(tuple(map(int, Result))) if verb in ANSWERS else st.just(0))
    return CompactionRequest(op, name, operand, sized, draw(st.one_of(answers)))


@st.composite
def traces(draw: st.DrawFn) -> CompactionTrace:
    """A trace of any requests; its machine is drawn as walks draw theirs."""
    named: list[str] = []
    era = ERAS[draw(st.sampled_from(COMPACTING))]
    return CompactionTrace(
        random_compaction(Random(draw(st.integers(0, 10**6))), era),
        tuple(draw(requests(named)) for _ in range(draw(st.integers(0, 6)))),
        draw(st.none() | st.sampled_from(sorted(LAWS_OF["compaction"]))),
    )


@given(traces())
def test_any_trace_reads_back(trace: CompactionTrace) -> None:
    """Every machine and every request, with what it says and what goes without saying."""
    text = compaction_text_of(trace)

    assert parse_compaction(text) == trace
    assert any_text_of(parse_any(text)) == text
    for line in text.splitlines():
        words = line.partition(" -> ")[0].split()
        assert not {"cpu=0", "mt=M", "lru=1", "mode=sync", "killed=0", "whole=0", "irq=0"} & {
            *words
        }


def test_a_name_goes_along_with_its_block() -> None:
    """Through two moves, while a name of what was freed stays where it was."""
    names = CompactionNames()
    alloc = CompactionOp(CompactionVerb.ALLOC)
    free, pin = CompactionRequest(CompactionOp(CompactionVerb.FREE)), CompactionVerb.PIN
    names.learn("a", alloc._replace(order=1), 4, ())
    names.learn("b", alloc, 9, ())
    names.learn(None, alloc, 9, [Move(4, 20, 1), Move(9, 4, 0)])
    names.learn(None, alloc, 30, [Move(20, 26, 1)])

    assert names.op_of(free._replace(operand=Operand("a", 0))) == CompactionOp(
        CompactionVerb.FREE, order=1, pfn=26
    )
    of_b = CompactionRequest(CompactionOp(pin), operand=Operand("b", 1))
    assert names.op_of(of_b) == CompactionOp(pin, pfn=5)
    assert names.op_of(free._replace(operand=Operand("c", 0))) is None
    # Somebody without a name has frame 26 now: that one is moved.
    names.learn(None, alloc, 26, ())
    names.learn(None, alloc, 40, [Move(26, 31, 1)])
    assert names.heads["a"] == {0: 26}


def test_each_frame_of_a_claim_goes_its_own_way() -> None:
    """They are blocks of their own, of order 0."""
    names = CompactionNames()
    names.learn("a", CompactionOp(CompactionVerb.CLAIM, pfn=16, pages=3), 16, ())
    names.learn(None, CompactionOp(CompactionVerb.REST), 0, [Move(17, 40, 0)])
    free = CompactionRequest(CompactionOp(CompactionVerb.FREE))

    pfns = [names.op_of(free._replace(operand=Operand("a", at))) for at in range(4)]
    assert [op and (op.pfn, op.order) for op in pfns] == [(16, 0), (40, 0), (18, 0), (19, 0)]


def test_a_trace_says_what_the_spec_answers() -> None:
    """Worked by hand: of two free pageblocks the upper one is used first, and nothing lies below.

    What is freed under a reference is free when that is dropped.
    """
    text = """pagefuzz-trace 1
compaction pages=8 top=2 era=4.10 pageblock=2
a = alloc order=0 -> pfn 4
b = alloc order=0 -> pfn 5
pin b -> done
compact whole=1 -> complete
free b -> done
unpin b -> done
free b -> refused DOUBLE
"""
    trace = parse_compaction(text)
    assert trace.machine == CompactionMachine(Machine(8, 2, ERAS["4.10"], pageblock=2))
    zone, names = start(trace.machine), CompactionNames()
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        zone.moves.clear()
        outcome = perform(zone, op)
        names.learn(request.name, op, outcome, zone.moves)
        assert outcome == request.answer


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("pageblock=2 ", "", 3, "expected `compaction era=... pageblock=... pages=... top=...`"),
        ("era=6.1", "era=2.6.11", 3, "pageblock=2: era 2.6.11 has no pageblocks"),
        ("scan=rechecks", "scan=never", 3, "scan=never: expected one of locked, rechecks, lazy"),
        ("scan=rechecks", "scans=1", 3, "got 'scans=1'"),
        ("pages=64", "pages=0", 3, "pages=0: a zone has 1 to"),
        ("types=M13UMC", "types=M", 3, "types: 1 types for"),
        ("a = alloc order=0", "alloc", 4, "expected `a = alloc order=1` or the like, got 'alloc"),
        ("b = alloc", "a = alloc", 5, "expected a new name, got 'a' again"),
        ("b = alloc", "B = alloc", 5, "expected a name of the letters a to z, got 'B'"),
        ("pin a", "x = pin a", 7, "expected no name, which only alloc, direct, claim give"),
        ("pin a", "pin x", 7, "expected the name of an earlier one of alloc, direct, claim"),
        ("pin a", "pin a+x", 7, "a+x: expected a whole number behind the +"),
        ("pin a", "pin a pfn=5", 7, "expected one of a name and pfn=N"),
        ("pin a", "pin", 7, "expected `pin a` or the like, got 'pin', which lacks pfn=N"),
        ("pin a", "pin a order=0", 7, "expected one of a name first, pfn=N, cpu=N behind `pin`"),
        ("stray b number=7", "stray b", 9, "got 'stray b', which lacks number=N"),
        ("compact order=3", "compact", 11, "got 'compact', which lacks order=N"),
        ("compact order=3", "compact order=x", 11, "order=x: expected a whole number"),
        (
            "mode=async killed=1 whole=1 -> c",
            "mode=soon -> c",
            12,
            "mode=soon: expected one of async",
        ),
        ("whole=1 -> contended", "whole=2", 12, "whole=2: expected one of 0, 1"),
        ("-> complete", "-> done", 11, "expected `skipped`, `success`, `complete`, `partial`"),
        ("-> pfn 5", "-> done", 4, "expected `pfn N`, `none` or `refused REASON` as the answer"),
        ("irq=1 -> done", "irq=1 -> none", 17, "expected `done` or `refused REASON` as the answer"),
        ("refused HOLE", "refused HOLES", 10, "expected one of BAD_ORDER"),
        (
            "drainall",
            "compaction pages=9",
            20,
            "expected a request: what is compacted is said once",
        ),
        (
            "drainall",
            "drain",
            20,
            "expected a request such as `a = alloc order=1` (its verb one of",
        ),
        ("drainall", "drainall  cpu=1", 20, "expected one blank between words"),
        ("expect CMP-undo", "expect VM-told", 22, "expected a law about compactions after"),
    ],
)
def test_what_is_no_trace_is_refused_with_its_line(
    old: str, new: str, line: int, sentence: str
) -> None:
    """In one sentence that says what stood there and what was expected."""
    assert old in TEXT
    with pytest.raises(TraceError) as caught:
        parse_any(TEXT.replace(old, new, 1))

    assert caught.value.line == line
    assert sentence in caught.value.sentence


def test_a_machine_of_another_scan_is_another_machine() -> None:
    """It is said; what goes without saying is the era's."""
    trace = parse_compaction(TEXT)
    plain = replace(trace, machine=replace(trace.machine, scan=None))

    assert "scan=" not in compaction_text_of(plain)
    assert plain.machine.design.scan == "lazy"
    assert MOVABLE is CompactionOp(CompactionVerb.ALLOC).mt
