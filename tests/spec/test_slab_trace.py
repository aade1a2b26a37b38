"""The trace of slabs is text: it reads back as it was written, and means what it says."""

from collections.abc import Set
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from tests.spec.slab_text import HEAD, TEXT

from pagefuzz.slabs.draw import random_slabs
from pagefuzz.slabs.record import Recorder
from pagefuzz.slabs.requests import random_mix, random_request
from pagespec.era import ERAS
from pagespec.laws.books import LAWS_OF
from pagespec.machine import Machine
from pagespec.slab.machine import SCHEMES, SlabMachine
from pagespec.slab.ops import perform, start
from pagespec.slab.trace import (
    NAMING,
    Place,
    SlabNames,
    SlabRequest,
    SlabTrace,
    slab_text_of,
)
from pagespec.slab.trace_reader import parse_slabs
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.trace import name_of
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Outcome

BULK, FREE_BULK = SlabVerb.ALLOC_BULK, SlabVerb.FREE_BULK
REQUESTS = (
    SlabRequest(
        SlabOp(
            SlabVerb.CREATE,
            cache=1,
            size=1024,
            order=0,
            objects_kept=4,
            partials=0,
            batch=2,
            shared=1,
        )
    ),
    SlabRequest(SlabOp(SlabVerb.CREATE, 1, cache=2, size=256)),
    SlabRequest(SlabOp(SlabVerb.GROUP, group=1)),
    SlabRequest(SlabOp(SlabVerb.ALLOC, 1, cache=1, group=1), ("a",), answer=4096),
    SlabRequest(SlabOp(BULK, cache=1, objects=3), ("b", "c", "d"), answer=3),
    SlabRequest(
        SlabOp(FREE_BULK, 1, cache=1),
        places=(Place("c"), Place(None, 0), Place("b")),
        withheld=(Place("c"), Place("b")),
        answer=0,
    ),
    SlabRequest(SlabOp(FREE_BULK), places=(Place(None, 8192), Place("a", 8))),
    SlabRequest(SlabOp(FREE_BULK)),
    SlabRequest(SlabOp(SlabVerb.FREE), places=(Place("d", 8),), answer=Refusal.NOT_OBJECT),
    SlabRequest(SlabOp(SlabVerb.FREE), places=(Place("a"),), withheld=(Place("a"),)),
    SlabRequest(SlabOp(SlabVerb.LARGE, order=1), ("e",), answer=NO_MEMORY),
    SlabRequest(SlabOp(BULK, cache=2, group=2), answer=0),
    SlabRequest(SlabOp(SlabVerb.RELEASE, 1)),
    SlabRequest(SlabOp(SlabVerb.FLUSH, 1)),
    SlabRequest(SlabOp(SlabVerb.REAP)),
    SlabRequest(SlabOp(SlabVerb.SHRINK, cache=1)),
    SlabRequest(SlabOp(SlabVerb.OFFLINE, group=1)),
    SlabRequest(SlabOp(SlabVerb.DESTROY, cache=1)),
)


def test_it_reads_back_as_it_was_written() -> None:
    """Word for word: this is how it is written, and what it means."""
    trace = parse_slabs(TEXT)

    assert slab_text_of(trace) == TEXT
    zone = Machine(64, 3, ERAS["5.15"], start=1, cpus=2, min_free=8)
    assert trace.machine == SlabMachine(zone, 2, 8, "slab", "objects", 2, 0)
    assert trace.requests == REQUESTS
    assert (trace.expect, trace.comments) == ("OUT-fault", ("seed 1",))
    assert {request.op.verb for request in REQUESTS} == set(SlabVerb)


# --- any trace ---------------------------------------------------------------------------------

NUMBERS = st.integers(0, 10) | st.integers(0, 10**15 - 1)
"""Numbers up to the largest that a trace can say."""

SAID: dict[SlabVerb, Set[str]] = {
    SlabVerb.CREATE: {
        *("cache", "size", "order", "objects_kept", "partials", "batch", "shared"),
    },
    SlabVerb.DESTROY: {"cache"},
    SlabVerb.SHRINK: {"cache"},
    SlabVerb.ALLOC: {"cache", "group"},
    SlabVerb.FREE: set(),
    SlabVerb.ALLOC_BULK: {"cache", "group"},
    SlabVerb.FREE_BULK: {"cache"},
    SlabVerb.LARGE: {"order"},
    SlabVerb.RELEASE: set(),
    SlabVerb.FLUSH: set(),
    SlabVerb.REAP: set(),
    SlabVerb.GROUP: {"group"},
    SlabVerb.OFFLINE: {"group"},
}
"""What a request of each verb depends on, by the field that says it, besides CPU and objects."""


@st.composite
def machines(draw: DrawFn) -> SlabMachine:
    """Any machine, each of its words said or not."""
    era = draw(st.sampled_from([era for era in ERAS.values() if era.slab_designs]))
    cpus = draw(st.integers(1, 9))
    listed = draw(st.booleans())
    top = draw(st.integers(3, 10))
    zone = Machine(
        pages=draw(st.integers(1, 100)),
        top=top,
        era=era,
        start=draw(st.integers(1, 2000)),
        pageblock=draw(st.none() | st.integers(top - 1, top)),
        cpus=cpus if listed else 0,
        batch=draw(st.integers(0, 9)) if listed and draw(st.booleans()) else None,
        min_free=draw(st.none() | st.integers(0, 9)),
    )
    scheme = draw(st.sampled_from(SCHEMES))
    groups = 0 if scheme == "none" else draw(st.integers(0, 1024))
    return SlabMachine(
        zone,
        cpus,
        present=draw(st.none() | st.integers(1, 100)),
        design=draw(st.sampled_from(era.slab_designs)),
        scheme=scheme,
        groups=groups,
        limit=draw(st.none() | st.integers(0, zone.pages)) if groups else None,
    )


@st.composite
def traces(draw: DrawFn) -> SlabTrace:
    """Any machine and any requests, whose places are those of objects named before."""
    names: list[str] = []
    requests = tuple(draw(a_request(names)) for _ in range(draw(st.integers(0, 8))))
    expect = draw(st.none() | st.sampled_from(sorted(LAWS_OF["slab"])))
    return SlabTrace(draw(machines()), requests, expect, tuple(draw(COMMENTS)))


@st.composite
def a_request(draw: DrawFn, names: list[str]) -> SlabRequest:
    """Any request, and any answer that its verb may have."""
    verb = draw(st.sampled_from(SlabVerb))
    said = {field: draw(NUMBERS) for field in sorted(SAID[verb])}
    needs = {"order"} if verb is SlabVerb.LARGE else set()
    optional = {
        field: said.get(field) if field in needs or draw(st.booleans()) else None
        for field in ("order", "objects_kept", "partials", "batch", "shared")
    }
    objects = draw(st.integers(0, 4)) if verb is BULK else 1
    places: SearchStrategy[Place] = st.builds(Place, st.none(), NUMBERS)
    if names:
        places |= st.builds(Place, st.sampled_from(names), NUMBERS)
    count = {SlabVerb.FREE: (1, 1), FREE_BULK: (0, 4)}.get(verb, (0, 0))
    some = st.lists(places, min_size=count[0], max_size=count[1]).map(tuple)
    given_out: tuple[str, ...] = ()
    if verb in NAMING and draw(st.booleans()):
        given_out = tuple(name_of(len(names) + number) for number in range(objects))
        names += given_out
    served: SearchStrategy[Outcome] = st.just(0)
    if verb in NAMING:
        served = NUMBERS if verb is BULK else NUMBERS | st.just(NO_MEMORY)
    return SlabRequest(
        SlabOp(
            verb,
            cpu=draw(NUMBERS),
            cache=said.get("cache", 0),
            size=said.get("size", 0),
            group=said.get("group", 0),
            objects=objects if verb is BULK else 0,
            order=optional["order"],
            objects_kept=optional["objects_kept"],
            partials=optional["partials"],
            batch=optional["batch"],
            shared=optional["shared"],
        ),
        given_out,
        places=draw(some),
        withheld=draw(some) if draw(st.booleans()) else (),
        answer=draw(st.none() | served | st.sampled_from(tuple(map(int, Refusal)))),
    )


COMMENTS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")).map(str.strip),
    max_size=2,
)


@given(traces())
def test_any_trace_reads_back(trace: SlabTrace) -> None:
    """What a line may but need not say is left out where it would be so anyway."""
    text = slab_text_of(trace)
    words = {word for line in text.splitlines() if line[:1] != "#" for word in line.split()}

    assert parse_slabs(text) == trace
    assert not words & {"cpu=0", "lists=0", "scheme=none", "groups=0", "start=0"}


@pytest.mark.parametrize("seed", range(8))
def test_any_walk_reads_back(seed: int) -> None:
    """A trace can say all that walks ask for, and asks for the same objects again."""
    rng = Random(f"text {seed}")
    eras = [era for era in ERAS.values() if era.slab_designs]
    machine = random_slabs(rng, rng.choice(eras))
    slabs, mix, recorder = start(machine), random_mix(rng, machine), Recorder()
    done, ops = [], []
    for _ in range(60):
        op = random_request(rng, slabs, mix)
        outcome = perform(slabs, op)
        ops.append(op)
        done.append(recorder.request_of(op, outcome, tuple(slabs.slots)))
    trace = SlabTrace(machine, tuple(done))
    assert parse_slabs(slab_text_of(trace)) == trace

    again, names = start(machine), SlabNames()
    for request, op in zip(done, ops, strict=True):
        asked = names.op_of(request)
        assert asked is not None
        assert asked.addresses == op.addresses
        assert perform(again, asked) == request.answer
        names.learn(request, request.answer or 0, again.slots)
    assert again == slabs


# --- what the words mean -----------------------------------------------------------------------


def test_names_stand_for_what_was_given_out() -> None:
    """In the order of a bulk request's array; a name that was never given out has no address."""
    text = f"{HEAD}a = alloc cache=1\nb,c = allocbulk cache=1 objects=2\nfreebulk c,0,a+8,9\nfree b"
    a, bulk, many, one = parse_slabs(f"{text}\n").requests
    names = SlabNames()
    names.learn(a, 4096, ())
    names.learn(bulk, 0, ())
    assert names.op_of(many) is None

    names.learn(bulk, 2, (5120, 6144))
    assert names.op_of(many) == SlabOp(FREE_BULK, addresses=(6144, 0, 4104, 9))
    assert names.op_of(one) == SlabOp(SlabVerb.FREE, addresses=(5120,))
