"""Traces: what is written reads back the same."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject, DrawFn
from tests.strategies import machines

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.laws.books import LAWS_OF
from pagespec.machine import Machine
from pagespec.migratetype import HIGHATOMIC, MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.ops import perform
from pagespec.trace import Names, Operand, Request, Trace, name_of, text_of
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


@st.composite
def traces(draw: DrawFn) -> Trace:
    """Any trace: its answers and its laws need not be true, only writable."""
    requests: list[Request] = []
    names: list[str] = []
    for _ in range(draw(st.integers(0, 8))):
        requests.append(draw(requests_after(names)))
    line = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")).map(str.strip)
    expect = draw(st.none() | st.sampled_from(sorted(LAWS_OF["zone"])))
    comments = tuple(draw(st.lists(line, max_size=2)))
    machine = draw(machines() | typed_machines() | listed_machines())
    return Trace(machine, tuple(requests), expect, comments)


FRAMES = st.integers(0, 2**40)
TYPES = st.sampled_from(MigrateType)


CPUS = frozenset({Verb.ALLOC, Verb.FREE, Verb.PUT, Verb.BULK, Verb.DRAIN, Verb.AGE, Verb.EXPIRE})
CPUS |= {Verb.UNPLUG, Verb.PLUG}
FLAGGED: dict[Verb, tuple[str, ...]] = {
    Verb.ALLOC: ("compound", "atomic", "nofragment", "emergency", "irq", "contended", "cold"),
    Verb.FREE: ("irq", "contended", "cold"),
    Verb.PUT: ("irq", "contended", "cold"),
    Verb.BULK: ("atomic", "nofragment", "irq", "contended"),
    Verb.UNRESERVE: ("force",),
}
TYPED_VERBS = (Verb.ALLOC, Verb.BULK, Verb.UNRESERVE, Verb.RESTORE, Verb.CONTIG)
OF_FRAMES = (Verb.FREE, Verb.GET, Verb.PUT, Verb.SPLIT, Verb.POISON, Verb.HEAL)
OF_RANGES = (Verb.ISOLATE, Verb.RESTORE, Verb.CONTIG, Verb.OFFLINE, Verb.ONLINE)


@st.composite
def requests_after(draw: DrawFn, names: list[str]) -> Request:
    """A request that may use the names so far, and may add one."""
    verb = draw(st.sampled_from(Verb))

    def flag(word: str) -> bool:
        return word in FLAGGED.get(verb, ()) and draw(st.booleans())

    request = Request(
        verb,
        answer=draw(answers(verb)),
        compound=flag("compound"),
        atomic=flag("atomic"),
        nofragment=flag("nofragment"),
        force=flag("force"),
        emergency=flag("emergency"),
        irq=flag("irq"),
        contended=flag("contended"),
        cold=flag("cold"),
    )
    if verb in CPUS:
        request = request._replace(cpu=draw(st.integers(0, 9)))
    if verb in TYPED_VERBS:
        request = request._replace(mt=draw(TYPES))
    if verb in (Verb.ALLOC, Verb.CONTIG) and draw(st.booleans()):
        request = request._replace(name=name_of(len(names)))
    if verb is Verb.ALLOC:
        request = request._replace(order=draw(st.integers(0, 99)))
    elif verb in OF_FRAMES:
        slot = draw(st.none() | st.integers(0, 300))
        of = draw(st.none() | st.sampled_from(names) if names else st.none())
        operand = Operand(of, draw(FRAMES)) if slot is None else None
        request = request._replace(operand=operand, slot=slot)
        by_number = slot is None and of is None
        if verb in (Verb.FREE, Verb.SPLIT) and (by_number or draw(st.booleans())):
            request = request._replace(order=draw(st.integers(0, 99)))
    elif verb in OF_RANGES:
        request = request._replace(operand=Operand(None, draw(FRAMES)), pages=draw(FRAMES))
    elif verb is Verb.BULK:
        request = request._replace(pages=draw(FRAMES))
    names += [request.name] if request.name else []
    return request


def answers(verb: Verb) -> st.SearchStrategy[int | None]:
    """What such a request may be answered, or nothing."""
    answer = st.none() | st.sampled_from(Refusal).map(int)
    if verb in (Verb.ALLOC, Verb.CONTIG, Verb.UNRESERVE):
        answer |= st.just(NO_MEMORY)
    return answer | (FRAMES if verb in (Verb.ALLOC, Verb.CONTIG, Verb.BULK) else st.just(0))


@st.composite
def typed_machines(draw: DrawFn) -> Machine:
    """A machine with pageblocks of types that the era has, and perhaps with guards."""
    era = ERAS[draw(st.sampled_from(["2.6.37", "2.6.39", "4.10", "5.15", "6.1", "6.12"]))]
    machine = Machine(draw(st.integers(1, 60)), 3, era, draw(st.integers(0, 40)), pageblock=3)
    guard = draw(st.integers(0, 3)) if era.guards else 0
    types = [draw(st.sampled_from(era.types[:3])) for _ in range(machine.pageblocks)]
    return replace(machine, types=draw(st.sampled_from([(), tuple(types)])), guard=guard)


@st.composite
def listed_machines(draw: DrawFn) -> Machine:
    """A machine whose CPUs keep lists, or whose zone has watermarks, in any era."""
    era = draw(st.sampled_from(list(ERAS.values())))
    sizes = st.none() | st.integers(0, 40)
    cpus = draw(st.integers(0, 5))
    return Machine(
        pages=draw(st.integers(1, 60)),
        top=3,
        era=era,
        cpus=cpus,
        batch=draw(sizes) if cpus else None,
        high=draw(sizes) if cpus and era.tuning != "pair" else None,
        min_free=draw(sizes),
    )


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


LISTED = """pagefuzz-trace 1
# what only machines with CPUs and watermarks have
machine pages=64 top=3 era=6.12 cpus=2 batch=3 high=9 min_free=16
a = alloc order=0 cpu=1 cold=1 -> pfn 0
b = alloc order=2 emergency=1 irq=1
free a irq=1 contended=1 -> done
bulk pages=3 cpu=1 atomic=1 -> count 3
get slot=2 -> done
put slot=2 cpu=1 -> done
free slot=1 cpu=9 -> refused BAD_CPU
free slot=1 order=1 -> refused WRONG_ORDER
free slot=1 -> done
free slot=1 -> refused DOUBLE
bulk pages=0 -> refused BAD_RANGE
drain cpu=1 -> done
drainall -> done
unplug cpu=1 -> done
plug cpu=1 -> done
disable -> done
enable -> done
age -> done
expire cpu=1 -> done
rest -> done
"""


def test_the_listed_example_reads_as_it_says() -> None:
    """Every word that CPUs, watermarks and arrays bring, read and written back."""
    trace = parse(LISTED)
    machine = trace.machine

    assert (machine.cpus, machine.batch, machine.high, machine.min_free) == (2, 3, 9, 16)
    assert trace.requests[:2] == (
        Request(Verb.ALLOC, 0, "a", cpu=1, cold=True, answer=0),
        Request(Verb.ALLOC, 2, "b", irq=True, emergency=True),
    )
    assert trace.requests[3:7] == (
        Request(Verb.BULK, pages=3, cpu=1, atomic=True, answer=3),
        Request(Verb.GET, slot=2, answer=0),
        Request(Verb.PUT, slot=2, cpu=1, answer=0),
        Request(Verb.FREE, slot=1, cpu=9, answer=Refusal.BAD_CPU),
    )
    assert text_of(trace) == LISTED


def test_a_slot_is_the_frame_that_was_seen_there() -> None:
    """Until the next bulk request is served, also after the frame has been given back."""
    names = Names()
    bulk, free = Request(Verb.BULK, pages=2), Request(Verb.FREE, slot=1)
    assert names.op_of(free) is None

    names.learn(bulk, 2, {8: 0, 9: 1})
    names.learn(free, 0, {8: 0})
    names.learn(bulk, Refusal.BAD_CPU, {8: 0})
    assert names.op_of(free) == Op(Verb.FREE, 0, 9)

    names.learn(bulk, 1, {8: 0})
    assert names.op_of(free) is None


@pytest.mark.parametrize("text", [GOOD, TYPED, LISTED])
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
