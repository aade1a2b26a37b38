"""The events that requests for objects are, worked out by hand."""

import pytest

from pagefuzz.slabs.events import SlabEvent, name_of_slab_event
from pagefuzz.slabs.floor import slab_floor
from pagefuzz.slabs.watch import events_of_step
from pagespec.era import ERAS
from pagespec.slab.ops import perform, start
from pagespec.slab.state import copy_of_slabs
from pagespec.slab.trace import SlabNames
from pagespec.slab.trace_reader import parse_slabs
from pagespec.slab.verbs import SlabVerb

SLUB = "slabs era=5.15 pages=16 top=3 start=1 cpus=2 design=slub"
SLAB = "slabs era=5.15 pages=16 top=3 start=1 cpus=2 design=slab"
PAIRS = "create cache=1 size=2048 order=0 kept=2 partials=1"
"""Two objects a slab."""
ARRAYS = "create cache=1 size=1024 order=0 kept=2 batch=1 shared=1 partials=1"
"""Four objects a slab; arrays of two, of which one at a time moves, and a shared one of one."""


def met(machine: str, *requests: str) -> set[str]:
    """The events of the last request, by their names."""
    trace = parse_slabs("\n".join(("pagefuzz-trace 1", machine, *requests)) + "\n")
    slabs, names = start(trace.machine), SlabNames()
    events: set[str] = set()
    for request in trace.requests:
        op, before = names.op_of(request), copy_of_slabs(slabs)
        assert op is not None
        outcome = perform(slabs, op)
        names.learn(request, outcome, slabs.slots)
        events = {
            kind.name if kind is not SlabEvent.REFUSED else f"REFUSED {number}"
            for kind, number in events_of_step(before, op, outcome, slabs)
            if isinstance(kind, SlabEvent)
        }
    return events


TWO = "a,b = allocbulk cache=1 objects=2"
"""All of one slab."""
C = "c = alloc cache=1"


@pytest.mark.parametrize(
    ("requests", "events"),
    [
        ([], set()),
        ([C], {"GROWN"}),
        ([C, "d = alloc cache=1"], {"FAST"}),
        ([C, "free c"], {"OWN"}),
        ([C, "free c cpu=1"], {"REMOTE"}),
        # Both are taken, and one came back on the slab's own chain.
        ([TWO, "free a cpu=1", C], {"TAKEN_OVER"}),
        ([TWO, C, "free a"], {"TO_CPU"}),
        ([TWO, C, "free a", "d = alloc cache=1", "e = alloc cache=1"], {"FROM_CPU"}),
        ([C, "flush cpu=0"], {"FLUSHED"}),
        ([C, "flush cpu=0", "d = alloc cache=1 cpu=1"], {"FROM_NODE"}),
        (["flush cpu=0"], set()),
        ([TWO], {"BULK", "GROWN"}),
        (["allocbulk cache=1 objects=0"], {"NOTHING"}),
        # 16 frames hold 32 objects; slabs are there before the last one is lacking.
        (["allocbulk cache=1 objects=33"], {"BULK_FAILED", "UNDONE", "GROWN"}),
        ([C, "allocbulk cache=1 objects=33"], {"BULK_FAILED", "UNDONE", "GROWN"}),
        (["a = large order=3", "b = large order=2", "c = large order=3"], {"FAILED"}),
        (["a = large order=3", "free a"], {"LARGE_BACK"}),
        ([C, "free c withheld=c"], {"WITHHELD"}),
        ([C, "free c withheld=c", "release"], {"RELEASED"}),
        (["release"], set()),
        ([C, "free c", "destroy cache=1"], {"DESTROYED", "DISCARDED"}),
        (["destroy cache=1"], set()),
    ],
)
def test_what_a_request_meets_in_slub(requests: list[str], events: set[str]) -> None:
    """A cache with two objects a slab, one empty slab kept, on 16 frames."""
    assert met(SLUB, PAIRS, *requests) == events


@pytest.mark.parametrize(
    ("requests", "events"),
    [
        ([C], {"GROWN"}),
        ([C, "free c"], {"TO_ARRAY"}),
        ([C, "free c", "d = alloc cache=1"], {"AT_HAND"}),
        ([C, "d = alloc cache=1"], {"FROM_SLABS"}),
    ],
)
def test_what_a_request_meets_in_slab(requests: list[str], events: set[str]) -> None:
    """A cache with four objects a slab and small arrays."""
    assert met(SLAB, ARRAYS, *requests) == events


def test_every_event_has_words_of_its_own() -> None:
    """A table of what is missing tells them apart."""
    floor = [event for event in slab_floor(ERAS["5.15"]) if not isinstance(event[0], SlabVerb)]
    names = {
        name_of_slab_event(kind, number) for kind, number in floor if isinstance(kind, SlabEvent)
    }

    assert len(names) == len(floor)
    assert "request for objects refused: NOT_OBJECT" in names


def test_each_era_has_a_floor_of_its_own() -> None:
    """Arrays are no more in 6.12, which forgets nothing; before 5.8 nothing is asked for."""
    floors = {name: {event for event, _ in slab_floor(ERAS[name])} for name in ("6.1", "6.12")}

    assert slab_floor(ERAS["4.10"]) == set()
    assert floors["6.12"] < floors["6.1"]
    assert SlabEvent.LOST in floors["6.1"] - floors["6.12"]
    assert SlabEvent.TO_SHARED in floors["6.1"] - floors["6.12"]
