"""From requests in addresses to requests by name, so that a run can be written as a trace."""

from collections.abc import Iterable, Mapping, Sequence

from pagefuzz.record import complaint_of
from pagespec.laws.holdings import REFUSALS
from pagespec.laws.law import LawBroken
from pagespec.slab.machine import SlabMachine
from pagespec.slab.sizes import PAGE
from pagespec.slab.trace import NAMING, SLAB_SHAPES, Place, SlabRequest, SlabTrace
from pagespec.slab.verbs import MAX_BULK, Address, SlabOp, SlabVerb
from pagespec.trace import name_of
from pagespec.types import NO_MEMORY
from pagespec.verbs import Outcome

Filled = Mapping[int, Sequence[Address]]
"""The objects that each bulk request gave, by its place among all requests."""

MOST_ADDRESS = 10**14
"""Beyond it no trace has words for an address; a faulty allocator may answer anything."""


def slab_trace_of(
    machine: SlabMachine,
    done: Iterable[tuple[SlabOp, Outcome]],
    filled: Filled,
    broken: LawBroken,
) -> SlabTrace:
    """A run that broke a law, by name, with the complaint as its comment."""
    recorder = Recorder()
    requests = tuple(
        recorder.request_of(op, outcome, filled.get(at, ()))
        for at, (op, outcome) in enumerate(done)
    )
    return SlabTrace(machine, requests, broken.law_id, (complaint_of(broken),))


class Recorder:
    """Names for the objects of one run, as its requests go by.

    An address that some request gave out is written by the name of the latest object there, one
    that lies close behind it by that name and an offset, any other as a number.
    """

    def __init__(self) -> None:
        self.named = 0
        self.latest: dict[Address, str] = {}

    def request_of(
        self, op: SlabOp, outcome: Outcome, slots: Sequence[Address] = ()
    ) -> SlabRequest:
        """The request by name, with the answer that it got. slots: what a bulk request gave."""
        places = tuple(map(self._place, op.addresses))
        withheld = tuple(map(self._place, op.withheld))
        names: tuple[str, ...] = ()
        if op.verb in NAMING:
            count = op.objects if op.verb is SlabVerb.ALLOC_BULK else 1
            names = tuple(self._new_name() for _ in range(count if count <= MAX_BULK else 0))
            if outcome > 0:
                given = slots if op.verb is SlabVerb.ALLOC_BULK else (outcome,)
                self.latest.update(zip(given, names, strict=False))
        return SlabRequest(_plain(op), names, places, withheld, _answer(op.verb, outcome))

    def _new_name(self) -> str:
        self.named += 1
        return name_of(self.named - 1)

    def _place(self, address: Address) -> Place:
        if address in self.latest:
            return Place(self.latest[address])
        below = [each for each in self.latest if 0 < address - each < PAGE]
        if below:
            return Place(self.latest[max(below)], address - max(below))
        return Place(None, address)


def _plain(op: SlabOp) -> SlabOp:
    """The request as a trace says it: without addresses, and without words that it has not."""
    shape, plain = SLAB_SHAPES[op.verb], SlabOp(op.verb)
    known = (shape.needs | shape.may_have | {"cpu"}) - {"withheld"}
    unsaid = {
        word: getattr(plain, word)
        for word in SlabOp._fields[1:]
        if word.removeprefix("objects_") not in known
    }
    return op._replace(**unsaid)


def _answer(verb: SlabVerb, outcome: Outcome) -> Outcome | None:
    """The outcome, if a trace has words for it."""
    if outcome in REFUSALS or outcome == 0:
        return outcome
    if verb not in NAMING or outcome >= MOST_ADDRESS:
        return None
    return outcome if outcome > 0 or outcome == NO_MEMORY else None
