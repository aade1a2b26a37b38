"""Traces: what is written reads back the same, and what is no trace is refused in one sentence."""

import re
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, DrawFn
from tests.strategies import machines

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.laws.books import all_laws
from pagespec.machine import Machine
from pagespec.migratetype import HIGHATOMIC, MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
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

GROUPED = "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 "

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
    "pagefuzz-trace 1\nmachine pages=eight top=3 era=6.1\n": (
        2,
        "pages=eight: expected a whole number",
    ),
    "pagefuzz-trace 1\nmachine pages=1_0 top=3 era=6.1\n": (
        2,
        "pages=1_0: expected a whole number",
    ),
    f"pagefuzz-trace 1\nmachine pages={'9' * 5000} top=3 era=6.1\n": (
        *(2, f"pages={'9' * 40}...: expected at most 999999999999999"),
    ),
    GROUPED + "start=1000000000000000\n": (
        *(2, "start=1000000000000000: expected at most 999999999999999"),
    ),
    "pagefuzz-trace 1\nmachine pages=0 top=3 era=6.1\n": (2, "pages=0: a zone has 1 to"),
    "pagefuzz-trace 1\nmachine pages=8 top=16 era=6.1\n": (2, "top=16: the top order is 0 to 15"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=7.7\n": (2, "no era is called '7.7'"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4\n": (
        2,
        "holes=4: expected FIRST+COUNT",
    ),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4+9\n": (2, "hole 4..13: holes are"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.1 holes=4+1,5+1\n": (2, "hole 5..6: holes are"),
    GROUPED + "holes=1+1,2+x\n": (2, "holes=x: expected a whole number"),
    GROUPED + "pageblock=x\n": (2, "pageblock=x: expected a whole number"),
    GROUPED + "pageblock=4\n": (2, "pageblock=4: a pageblock of era 6.1 has order 1 to the top"),
    GROUPED + "pageblock=2 types=M\n": (2, "types: 1 types for 2 pageblocks"),
    GROUPED + "pageblock=2 types=M3\n": (2, "types: 3 types for 2 pageblocks"),
    GROUPED + "pageblock=2 types=MX\n": (2, "types=MX: expected letters of U, M, E, H, C, I, R"),
    GROUPED + "pageblock=2 types=2M\n": (2, "types=2M: expected letters of U, M, E, H, C, I, R"),
    GROUPED + "pageblock=2 types=mm\n": (2, "types=mm: expected letters of U, M, E, H, C, I, R"),
    GROUPED + "pageblock=2 types=MR\n": (2, "types: pageblock 1 is RESERVE; era 6.1 has none"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=4.10 pageblock=2 types=MC\n": (
        *(2, "types: the largest block at frame 0 is C in part"),
    ),
    GROUPED + "types=M2\n": (2, "types: only a machine with pageblocks has any"),
    GROUPED + "guard=9\n": (2, "guard=9: guard pages are below order 0 to 3"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=6.12 guard=1\n": (2, "and era 6.12 does not"),
    "pagefuzz-trace 1\nmachine pages=8 top=3 era=2.6.11 pageblock=2\n": (2, "has no pageblocks"),
    # Requests.
    HEAD + "malloc 8\n": (3, "expected `a = alloc order=1`"),
    HEAD + "alloc\n": (3, "expected `a = alloc order=1` or the like, got 'alloc'"),
    HEAD + "A = alloc order=1\n": (3, "expected `a = alloc order=1`"),
    HEAD + "a = alloc order=-1\n": (3, "expected `a = alloc order=1`"),
    HEAD + "a = alloc order=²\n": (3, "expected `a = alloc order=1`"),
    HEAD + f"a = alloc order={'9' * 5000}\n": (
        *(3, f"order={'9' * 40}...: expected at most 999999999999999"),
    ),
    HEAD + "a = alloc order=0 compound=2\n": (3, "compound=2: expected one of 0, 1"),
    HEAD + "a = alloc order=0\na = alloc order=0\n": (4, "expected a new name, got 'a' again"),
    HEAD + "free a\n": (3, "expected the name of an earlier alloc, got 'a'"),
    HEAD + "free pfn=3\n": (3, "expected `free a` or the like, got 'free pfn=3'"),
    HEAD + "a = free pfn=3 order=0\n": (3, "expected `free a`"),
    HEAD + "get pfn=3 order=0\n": (3, "expected `get a`"),
    HEAD + "get pfn=3 -> refused WHY\n": (3, "expected one of BAD_ORDER, OUTSIDE"),
    HEAD + "get pfn=3 -> pfn 3\n": (3, "expected `done` as the answer to get, got 'pfn 3'"),
    HEAD + "alloc order=0 -> done\n": (3, "expected `pfn N` or `none` as the answer to alloc"),
    HEAD + "alloc order=0 mt=X\n": (3, "mt=X: expected one of U, M, E, H, C, I, R"),
    HEAD + "alloc order=0 mt=MM\n": (3, "mt=MM: expected one of U, M, E, H, C, I, R"),
    HEAD + "alloc order=0 force=1\n": (3, "expected `a = alloc order=1`"),
    HEAD + "alloc order=0 atomic=yes\n": (3, "atomic=yes: expected one of 0, 1"),
    HEAD + "alloc order=0 mt=M mt=M\n": (3, "expected each key once, got 'mt' again"),
    HEAD + "split pfn=0\n": (3, "`split a`"),
    HEAD + "split a\n": (3, "expected the name of an earlier alloc, got 'a'"),
    HEAD + "unreserve pfn=0\n": (3, "`unreserve mt=M force=1`"),
    HEAD + "unreserve order=0\n": (3, "`unreserve mt=M force=1`"),
    HEAD + "isolate pfn=0\n": (3, "`isolate pfn=8 pages=4`"),
    HEAD + "isolate pages=4\n": (3, "`isolate pfn=8 pages=4`"),
    HEAD + "isolate pfn=0 pages=4 mt=M\n": (3, "`isolate pfn=8 pages=4`"),
    HEAD + "a = isolate pfn=0 pages=4\n": (3, "`isolate pfn=8 pages=4`"),
    HEAD + "a = alloc order=0\nisolate a pages=1\n": (4, "`isolate pfn=8 pages=4`"),
    HEAD + "restore pfn=0 pages=-4\n": (3, "`restore pfn=8 pages=4 mt=M`"),
    HEAD + "contig pfn=0 pages=4 order=1\n": (3, "`a = contig pfn=9 pages=2 mt=M`"),
    HEAD + "poison\n": (3, "`poison pfn=9`"),
    HEAD + "poison pfn=0 pages=1\n": (3, "`poison pfn=9`"),
    HEAD + "heal pfn=x\n": (3, "pfn=x: expected a whole number"),
    HEAD + "offline pfn=0 pages=4 force=1\n": (3, "`offline pfn=8 pages=4`"),
    HEAD + "online pfn=0\n": (3, "`online pfn=8 pages=4`"),
    HEAD + "isolate pfn=0 pages=4 -> none\n": (3, "expected `done` as the answer to isolate"),
    HEAD + "contig pfn=0 pages=4 -> done\n": (
        3,
        "expected `pfn N` or `none` as the answer to contig",
    ),
    HEAD + "unreserve -> pfn 3\n": (3, "expected `done` or `none` as the answer to unreserve"),
    HEAD + "expect\n": (3, "expected `a = alloc order=1`"),
    HEAD + "\nexpect NO-SUCH\n": (4, "the name of a law after `expect`, got 'NO-SUCH'"),
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
    expect = draw(st.none() | st.sampled_from([law.id for law in all_laws()]))
    comments = tuple(draw(st.lists(line, max_size=2)))
    return Trace(draw(machines() | typed_machines()), tuple(requests), expect, comments)


FRAMES = st.integers(0, 2**40)
TYPES = st.sampled_from(MigrateType)


@st.composite
def requests_after(draw: DrawFn, names: list[str]) -> Request:
    """A request that may use the names so far, and may add one."""
    verb = draw(st.sampled_from(Verb))
    request = Request(verb, answer=draw(answers(verb)))
    if verb in (Verb.ALLOC, Verb.CONTIG) and draw(st.booleans()):
        request = request._replace(name=name_of(len(names)))
    if verb is Verb.ALLOC:
        request = request._replace(
            order=draw(st.integers(0, 99)),
            mt=draw(TYPES),
            compound=draw(st.booleans()),
            atomic=draw(st.booleans()),
            nofragment=draw(st.booleans()),
        )
    elif verb is Verb.UNRESERVE:
        request = request._replace(mt=draw(TYPES), force=draw(st.booleans()))
    elif verb in (Verb.FREE, Verb.GET, Verb.PUT, Verb.SPLIT, Verb.POISON, Verb.HEAL):
        of = draw(st.none() | st.sampled_from(names) if names else st.none())
        request = request._replace(operand=Operand(of, draw(FRAMES)))
        if verb in (Verb.FREE, Verb.SPLIT) and (of is None or draw(st.booleans())):
            request = request._replace(order=draw(st.integers(0, 99)))
    else:
        request = request._replace(operand=Operand(None, draw(FRAMES)), pages=draw(FRAMES))
        if verb in (Verb.RESTORE, Verb.CONTIG):
            request = request._replace(mt=draw(TYPES))
    names += [request.name] if request.name else []
    return request


def answers(verb: Verb) -> st.SearchStrategy[int | None]:
    """What such a request may be answered, or nothing."""
    answer = st.none() | st.sampled_from(Refusal).map(int)
    if verb in (Verb.ALLOC, Verb.CONTIG, Verb.UNRESERVE):
        answer |= st.just(NO_MEMORY)
    return answer | (FRAMES if verb in (Verb.ALLOC, Verb.CONTIG) else st.just(0))


@st.composite
def typed_machines(draw: DrawFn) -> Machine:
    """A machine with pageblocks of types that the era has, and perhaps with guards."""
    era = ERAS[draw(st.sampled_from(["2.6.37", "2.6.39", "4.10", "5.15", "6.1", "6.12"]))]
    machine = Machine(draw(st.integers(1, 60)), 3, era, draw(st.integers(0, 40)), pageblock=3)
    guard = draw(st.integers(0, 3)) if era.guards else 0
    types = [draw(st.sampled_from(era.types[:3])) for _ in range(machine.pageblocks)]
    return replace(machine, types=draw(st.sampled_from([(), tuple(types)])), guard=guard)


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
    names.learn(Request(Verb.ALLOC, order, "a"), pfn, {})

    assert names.blocks == {"a": Block(pfn, order)}
    assert names.op_of(Request(Verb.FREE, operand=Operand("a", 0))) == Op(Verb.FREE, order, pfn)
    assert names.op_of(Request(Verb.PUT, operand=Operand("a", 1))) == Op(Verb.PUT, 0, pfn + 1)
    assert names.op_of(Request(Verb.GET, operand=Operand("b", 0))) is None


TYPED = """pagefuzz-trace 1
# what only machines with pageblocks have
machine pages=16 top=3 era=6.1 pageblock=2 types=M2H2 guard=1
a = alloc order=1 mt=M -> pfn 0
b = alloc order=1 mt=U atomic=1 -> pfn 8
alloc order=3 mt=E nofragment=1 -> none
split a -> done
isolate pfn=4 pages=4 -> done
offline pfn=4 pages=4 -> done
online pfn=4 pages=4 -> done
isolate pfn=4 pages=0 -> refused BAD_RANGE
restore pfn=4 pages=4 mt=M -> refused NOT_ISOLATED
c = contig pfn=5 pages=2 mt=M -> pfn 5
poison a+2 -> done
heal pfn=2 -> done
unreserve mt=U force=1 -> done
expect HA-return
"""


def test_the_typed_example_reads_as_it_says() -> None:
    """Every word that pageblocks bring, read and written back."""
    trace = parse(TYPED)

    assert trace.machine.types == (MOVABLE, MOVABLE, HIGHATOMIC, HIGHATOMIC)
    assert trace.requests[1:4] == (
        Request(Verb.ALLOC, 1, "b", mt=UNMOVABLE, atomic=True, answer=8),
        Request(Verb.ALLOC, 3, mt=RECLAIMABLE, nofragment=True, answer=NO_MEMORY),
        Request(Verb.SPLIT, operand=Operand("a", 0), answer=0),
    )
    assert trace.requests[-2:] == (
        Request(Verb.HEAL, operand=Operand(None, 2), answer=0),
        Request(Verb.UNRESERVE, mt=UNMOVABLE, force=True, answer=0),
    )
    assert text_of(trace) == TYPED.replace(" mt=U", "")


@pytest.mark.parametrize("text", [GOOD, TYPED])
def test_the_answers_of_the_examples_are_the_specs(text: str) -> None:
    """What follows -> is what the spec says."""
    trace = parse(text)
    zone, names = boot(trace.machine), Names()
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        outcome = perform(zone, op)
        names.learn(request, outcome, zone.slots)

        assert request.answer in (None, outcome)
