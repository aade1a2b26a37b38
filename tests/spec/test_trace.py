"""Traces: what is written reads back the same, and what is no trace is refused in one sentence."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, DrawFn
from tests.strategies import machines

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.trace import Names, Operand, Request, Trace, TraceError, name_of, text_of
from pagespec.trace_reader import parse
from pagespec.types import NO_MEMORY, Block, Refusal
from pagespec.verbs import Op, Verb

GOOD = """pagefuzz-trace 1
# one page out of eight
machine pages=8 top=3 era=2.6.11
a = alloc order=0 -> pfn 0
b = alloc order=1 compound=1
get a -> done
free a+1 order=0 -> refused NEVER_GIVEN
free pfn=9 order=0
put b
expect BUD-maximal
"""
HEAD = "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1\n"

BAD = {
    # The first line and the machine.
    "": (1, "expected 'pagefuzz-trace 1', got ''"),
    "\ufeff" + GOOD: (1, r"got '\ufeffpagefuzz-trace 1'"),
    "pagefuzz-trace 2\n": (1, "got 'pagefuzz-trace 2'"),
    "pagefuzz-trace 1\n": (1, "got 'the end of the file'"),
    "pagefuzz-trace 1\n\n# x\n": (3, "got 'the end of the file'"),
    "pagefuzz-trace 1\na = alloc order=0\n": (2, "expected `machine pages=N top=N era=NAME`"),
    "pagefuzz-trace 1\nmachine pages=8 top=3\n": (2, "expected `machine pages=N"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 cpus=2\n": (2, "expected `machine pages=N"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=\n": (2, "expected KEY=VALUE, got 'era='"),
    "pagefuzz-trace 1\nmachine pages 8\n": (2, "expected KEY=VALUE, got 'pages'"),
    "pagefuzz-trace 1\nmachine pages=8 pages=9 top=3 era=6.1\n": (2, "got 'pages' again"),
    "pagefuzz-trace 1\nmachine pages=eight top=3 era=6.1\n": (2, "expected whole numbers"),
    "pagefuzz-trace 1\nmachine pages=1_0 top=3 era=6.1\n": (2, "expected whole numbers"),
    f"pagefuzz-trace 1\nmachine pages={'9' * 5000} top=3 era=6.1\n": (2, "expected whole numbers"),
    "pagefuzz-trace 1\nmachine pages=0 top=3 era=6.1\n": (2, "pages=0: a zone has 1 to"),
    "pagefuzz-trace 1\nmachine pages=8 top=16 era=6.1\n": (2, "top=16: the top order is 0 to 15"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=7.7\n": (2, "no era is called '7.7'"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4\n": (2, "expected whole numbers"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4+9\n": (2, "hole 4..13: holes are"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4+1,5+1\n": (2, "hole 5..6: holes are"),
    # Requests.
    HEAD + "malloc 8\n": (3, "expected `a = alloc order=1`"),
    HEAD + "alloc\n": (3, "expected `a = alloc order=1`"),
    HEAD + "A = alloc order=1\n": (3, "expected `a = alloc order=1`"),
    HEAD + "a = alloc order=-1\n": (3, "expected `a = alloc order=1`"),
    HEAD + "a = alloc order=²\n": (3, "expected `a = alloc order=1`"),
    HEAD + f"a = alloc order={'9' * 5000}\n": (3, "expected `a = alloc order=1`"),
    HEAD + "a = alloc order=0 compound=2\n": (3, "expected `a = alloc order=1`"),
    HEAD + "a = alloc order=0\na = alloc order=0\n": (4, "expected a new name, got 'a' again"),
    HEAD + "free a\n": (3, "expected the name of an earlier alloc, got 'a'"),
    HEAD + "free pfn=3\n": (3, "expected `a = alloc order=1`"),
    HEAD + "a = free pfn=3 order=0\n": (3, "expected `a = alloc order=1`"),
    HEAD + "get pfn=3 order=0\n": (3, "expected `a = alloc order=1`"),
    HEAD + "get pfn=3 -> refused WHY\n": (3, "expected one of BAD_ORDER, OUTSIDE"),
    HEAD + "get pfn=3 -> pfn 3\n": (3, "expected `done` as the answer to get, got 'pfn 3'"),
    HEAD + "alloc order=0 -> done\n": (3, "expected `pfn N` or `none` as the answer to alloc"),
    HEAD + "expect\n": (3, "expected `a = alloc order=1`"),
    HEAD + "expect BUD-tag\nalloc order=0\n": (4, "expected nothing after `expect`"),
}


@st.composite
def traces(draw: DrawFn) -> Trace:
    """Any trace: its answers and its laws need not be true, only writable."""
    requests: list[Request] = []
    names: list[str] = []
    for _ in range(draw(st.integers(0, 8))):
        requests.append(draw(requests_after(names)))
    line = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")).map(str.strip)
    expect = draw(st.none() | line.filter(bool))
    comments = tuple(draw(st.lists(line, max_size=2)))
    return Trace(draw(machines()), tuple(requests), expect, comments)


@st.composite
def requests_after(draw: DrawFn, names: list[str]) -> Request:
    """A request that may use the names so far, and may add one."""
    refused = st.sampled_from(Refusal).map(int)
    verb = draw(st.sampled_from(Verb))
    if verb is Verb.ALLOC:
        answer = draw(st.none() | st.just(NO_MEMORY) | st.integers(0, 2**40) | refused)
        name = draw(st.none() | st.just(name_of(len(names))))
        names += [name] if name else []
        return Request(verb, draw(st.integers(0, 99)), name, None, draw(st.booleans()), answer)
    of = draw(st.none() | st.sampled_from(names) if names else st.none())
    order = draw(st.integers(0, 99)) if verb is Verb.FREE else None
    if of is not None and draw(st.booleans()):
        order = None
    answer = draw(st.none() | st.just(0) | refused)
    return Request(verb, order, None, Operand(of, draw(st.integers(0, 2**40))), False, answer)


@given(traces())
def test_what_is_written_reads_back_the_same(trace: Trace) -> None:
    """The reader is the writer's inverse, and the same trace is always the same bytes."""
    text = text_of(trace)

    assert parse(text) == trace
    assert text_of(parse(text)) == text


def test_the_example_reads_as_it_says() -> None:
    """A name is a block, name+1 a frame inside it, pfn=9 a frame by number."""
    trace = parse(GOOD)

    assert trace.machine == Machine(pages=8, top=3, era=ERAS["2.6.11"])
    assert trace.requests == (
        Request(Verb.ALLOC, 0, "a", answer=0),
        Request(Verb.ALLOC, 1, "b", compound=True),
        Request(Verb.GET, operand=Operand("a", 0), answer=0),
        Request(Verb.FREE, 0, operand=Operand("a", 1), answer=Refusal.NEVER_GIVEN),
        Request(Verb.FREE, 0, operand=Operand(None, 9)),
        Request(Verb.PUT, operand=Operand("b", 0)),
    )
    assert (trace.expect, trace.comments) == ("BUD-maximal", ("one page out of eight",))
    assert text_of(trace) == GOOD


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_what_is_no_trace_is_refused_with_its_line(text: str) -> None:
    """One sentence: the line, what was expected, what stood there."""
    line, sentence = BAD[text]

    with pytest.raises(TraceError, match=re.escape(sentence)) as caught:
        parse(text)

    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {line}: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@given(st.text(st.sampled_from(" \n#=+->,0179abcx²\u2028") | st.characters()), st.integers(0, 200))
def test_any_text_is_a_trace_or_is_refused(noise: str, at: int) -> None:
    """A good trace with anything put into it is refused properly, or reads, and writes back."""
    for text in (noise, HEAD + noise, GOOD[:at] + noise + GOOD[at:], GOOD[:at] + noise):
        with suppress(TraceError):
            assert parse(text_of(parse(text))) == parse(text)


@given(st.data())
def test_names_follow_the_allocator(data: DataObject) -> None:
    """A trace means the same to an allocator that gives out other frames."""
    names = Names()
    order, pfn = data.draw(st.integers(0, 9)), data.draw(st.integers(0, 2**30))
    names.learn(Request(Verb.ALLOC, order, "a"), pfn)

    assert names.blocks == {"a": Block(pfn, order)}
    assert names.op_of(Request(Verb.FREE, operand=Operand("a", 0))) == Op(Verb.FREE, order, pfn)
    assert names.op_of(Request(Verb.PUT, operand=Operand("a", 1))) == Op(Verb.PUT, 0, pfn + 1)
    assert names.op_of(Request(Verb.GET, operand=Operand("b", 0))) is None


def test_the_answers_of_the_example_are_the_specs() -> None:
    """What follows -> is what the spec says."""
    trace = parse(GOOD)
    zone, names = boot(trace.machine), Names()
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        outcome = perform(zone, op)
        names.learn(request, outcome)

        assert request.answer in (None, outcome)
