"""The trace of slabs: in place of the machine a line for its zone, its CPUs and who is charged.

    pagefuzz-trace 1
    slabs era=5.15 pages=64 top=3 start=1 cpus=2 design=slub scheme=objects groups=2 limit=8
    create cache=1 size=1024 order=0
    group group=1
    a = alloc cache=1 group=1 -> address 4096
    b,c,d = allocbulk cache=1 objects=3 -> objects 3
    freebulk c,0,b cpu=1 cache=1
    free d+8 -> refused NOT_OBJECT
    free a withheld=a
    e = large order=1
    release
    expect SLB-place

A name stands for the address of an object that a request gave out, so that a trace means the same
to an allocator that picks others. `a+8` is so many bytes behind it, and a number is an address
itself, with 0 for none. A bulk request names all of its objects or none. With lists=1 the zone's
CPUs keep page lists. What a request needs is always written, what it may have only where it differs
from what goes without saying.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pagespec.slab.machine import SlabMachine
from pagespec.slab.verbs import Address, SlabOp, SlabVerb
from pagespec.trace import FORMAT, machine_line
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Outcome


class Place(NamedTuple):
    """An address: so many bytes behind the object called `name`, or behind 0 without a name."""

    name: str | None
    offset: int = 0


class SlabRequest(NamedTuple):
    """One request of a trace.

    op: all of it but its addresses, which places and withheld say. names: what the objects that it
    gives out will be called. answer: what the spec answered, if the trace says.
    """

    op: SlabOp
    names: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    withheld: tuple[Place, ...] = ()
    answer: Outcome | None = None


@dataclass(frozen=True, slots=True)
class SlabTrace:
    """Where objects are kept, the requests put to it, and the law that they break, if any."""

    machine: SlabMachine
    requests: tuple[SlabRequest, ...]
    expect: str | None = None
    comments: tuple[str, ...] = ()


NAMING = frozenset({SlabVerb.ALLOC, SlabVerb.ALLOC_BULK, SlabVerb.LARGE})
"""The verbs that give out objects, which then have names."""


class SlabNames:
    """The objects behind a trace's names, for one allocator."""

    def __init__(self) -> None:
        self.addresses: dict[str, Address] = {}

    def op_of(self, request: SlabRequest) -> SlabOp | None:
        """The request with this allocator's addresses; None if one of them was never given out."""
        names = {place.name for place in (*request.places, *request.withheld)} - {None}
        if not names <= self.addresses.keys():
            return None
        return request.op._replace(
            addresses=tuple(map(self._address, request.places)),
            withheld=tuple(map(self._address, request.withheld)),
        )

    def _address(self, place: Place) -> Address:
        return place.offset + (0 if place.name is None else self.addresses[place.name])

    def learn(self, request: SlabRequest, outcome: Outcome, slots: Sequence[Address]) -> None:
        """Remember the objects that a request gave out; slots: those of a bulk request."""
        if outcome > 0:
            given = slots if request.op.verb is SlabVerb.ALLOC_BULK else (outcome,)
            self.addresses.update(zip(request.names, given, strict=False))


# --- the words of each verb --------------------------------------------------------------------


class Shape(NamedTuple):
    """The words that a verb takes, besides the CPU. places: whether addresses come first."""

    example: str
    needs: frozenset[str] = frozenset()
    may_have: frozenset[str] = frozenset()
    places: bool = False


_CACHE = frozenset({"cache"})
_GROUP = frozenset({"group"})
SLAB_SHAPES: dict[SlabVerb, Shape] = {
    SlabVerb.CREATE: Shape(
        "create cache=1 size=256",
        _CACHE | {"size"},
        frozenset({"order", "kept", "partials", "batch", "shared"}),
    ),
    SlabVerb.DESTROY: Shape("destroy cache=1", _CACHE),
    SlabVerb.SHRINK: Shape("shrink cache=1", _CACHE),
    SlabVerb.ALLOC: Shape("a = alloc cache=1", _CACHE, _GROUP),
    SlabVerb.FREE: Shape("free a", may_have=frozenset({"withheld"}), places=True),
    SlabVerb.ALLOC_BULK: Shape("a,b = allocbulk cache=1 objects=2", _CACHE | {"objects"}, _GROUP),
    SlabVerb.FREE_BULK: Shape("freebulk a,b cache=1", may_have=_CACHE | {"withheld"}, places=True),
    SlabVerb.LARGE: Shape("a = large order=1", frozenset({"order"})),
    SlabVerb.RELEASE: Shape("release"),
    SlabVerb.FLUSH: Shape("flush cpu=1"),
    SlabVerb.REAP: Shape("reap cpu=1"),
    SlabVerb.GROUP: Shape("group group=1", _GROUP),
    SlabVerb.OFFLINE: Shape("offline group=1", _GROUP),
}
"""How each request is written."""

FIELDS = {
    **{word: word for word in ("cpu", "cache", "size", "objects", "order")},
    "kept": "objects_kept",
    **{word: word for word in ("partials", "batch", "shared", "group")},
}
"""In the order of writing, each word with the field of a request that it says."""

SAID = ("present", "groups", "limit")
"""Numbers that a machine may say; those that go without saying are left out."""


# --- writing -----------------------------------------------------------------------------------


def slab_text_of(trace: SlabTrace) -> str:
    """The trace as text; parsing it gives the trace back."""
    lines = [FORMAT, *(f"# {comment}" for comment in trace.comments), slabs_line(trace.machine)]
    lines += [slab_line_of(request) for request in trace.requests]
    if trace.expect is not None:
        lines.append(f"expect {trace.expect}")
    return "\n".join(lines) + "\n"


def slabs_line(machine: SlabMachine) -> str:
    """Where objects are kept as a line of a trace."""
    zone = [word for word in machine_line(machine.zone).split()[1:] if word[:5] != "cpus="]
    words = ["slabs", *sorted(zone, key=lambda word: word[:4] != "era="), f"cpus={machine.cpus}"]
    if machine.zone.cpus:
        words.append("lists=1")
    words.append(f"design={machine.design}")
    if machine.scheme != "none":
        words.append(f"scheme={machine.scheme}")
    for word in SAID:
        number = getattr(machine, word)
        if number != SlabMachine.__dataclass_fields__[word].default:
            words.append(f"{word}={number}")
    return " ".join(words)


def slab_line_of(request: SlabRequest) -> str:
    """One request as a line of a trace."""
    op = request.op
    shape, plain = SLAB_SHAPES[op.verb], SlabOp(op.verb)
    words = [",".join(request.names), "="] if request.names else []
    words.append(op.verb.value)
    if request.places:
        words.append(places_text(request.places))
    for word, field in FIELDS.items():
        value = getattr(op, field)
        may_have = word == "cpu" or word in shape.may_have
        if word in shape.needs or (may_have and value != getattr(plain, field)):
            words.append(f"{word}={value}")
    if request.withheld:
        words.append(f"withheld={places_text(request.withheld)}")
    if request.answer is not None:
        words.append(f"-> {slab_answer_text(op.verb, request.answer)}")
    return " ".join(words)


def places_text(places: Sequence[Place]) -> str:
    """Addresses in words.

    >>> places_text([Place("a"), Place(None), Place("b", 8)])
    'a,0,b+8'
    """
    return ",".join(
        str(offset) if name is None else name if offset == 0 else f"{name}+{offset}"
        for name, offset in places
    )


def slab_answer_text(verb: SlabVerb, outcome: Outcome) -> str:
    """An outcome in words, as it follows `->`."""
    if outcome <= max(Refusal):
        return f"refused {Refusal(outcome).name}"
    if verb is SlabVerb.ALLOC_BULK:
        return f"objects {outcome}"
    if verb in NAMING:
        return "none" if outcome == NO_MEMORY else f"address {outcome}"
    return "done"
