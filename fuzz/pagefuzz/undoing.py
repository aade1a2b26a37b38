"""What a run has taken out of use, and the requests that bring it back.

Before everything can be given back, CPUs that were unplugged must be plugged in and their lists
enabled, ranges that were isolated restored, those that were taken offline brought online, and
poisoned frames healed. Only requests and outcomes are asked, so
it is the same for an allocator that shows nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pagespec.frames import SIZES
from pagespec.laws.holdings import UNSERVED
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE, MOVABLE
from pagespec.types import Pfn
from pagespec.verbs import Op, Outcome, Verb


@dataclass(slots=True)
class OutOfUse:
    """What can be brought back.

    isolated, offline: the first frames of such pageblocks, which are in one of the two at most.
    poisoned: frames. unplugged: CPUs. disabled: whether CPUs' lists keep nothing for now.
    """

    machine: Machine
    isolated: set[Pfn] = field(default_factory=set)
    offline: set[Pfn] = field(default_factory=set)
    poisoned: set[Pfn] = field(default_factory=set)
    unplugged: set[int] = field(default_factory=set)
    disabled: bool = False


def out_of_use(machine: Machine) -> OutOfUse:
    """What is out of use after boot: pageblocks that the machine describes as isolated."""
    size = SIZES[machine.pageblock or 0]
    first = machine.start // size * size
    types = enumerate(machine.types)
    return OutOfUse(machine, {first + number * size for number, mt in types if mt is ISOLATE})


def enter(out: OutOfUse, op: Op, outcome: Outcome) -> None:
    """Enter a request and its outcome."""
    if outcome in UNSERVED:
        return
    heads = _heads_named(out.machine, op)
    if op.verb is Verb.ISOLATE:
        out.isolated |= heads
    elif op.verb is Verb.RESTORE:
        out.isolated -= heads
    elif op.verb is Verb.OFFLINE:
        out.isolated -= heads
        out.offline |= heads
    elif op.verb is Verb.ONLINE:
        out.offline -= heads
    elif op.verb is Verb.POISON:
        out.poisoned.add(op.pfn)
    elif op.verb is Verb.HEAL:
        out.poisoned.discard(op.pfn)
    elif op.verb is Verb.UNPLUG:
        out.unplugged.add(op.cpu)
    elif op.verb is Verb.PLUG:
        out.unplugged.discard(op.cpu)
    elif op.verb in (Verb.DISABLE, Verb.ENABLE):
        out.disabled = op.verb is Verb.DISABLE


def _heads_named(machine: Machine, op: Op) -> set[Pfn]:
    """The first frames of the pageblocks of the request's range.

    An allocator may serve a range that it should refuse, of any length: what leaves the zone is
    none that could come back.
    """
    end = op.pfn + op.pages
    if not machine.start <= op.pfn < end <= machine.end:
        return set()
    return set(range(op.pfn, end, SIZES[machine.pageblock or 0]))


def ways_back(out: OutOfUse) -> Iterator[Op]:
    """The requests that bring back what can be: of pageblocks in the longest runs there are.

    A pageblock that reaches over the zone's end stays isolated for ever, and so does what is
    poisoned in eras without a way back.
    """
    yield from (Op(Verb.PLUG, cpu=cpu) for cpu in sorted(out.unplugged))
    if out.disabled:
        yield Op(Verb.ENABLE)
    for first, end in _ranges(out.machine, out.isolated):
        yield Op(Verb.RESTORE, pfn=first, pages=end - first, mt=MOVABLE)
    for first, end in _ranges(out.machine, out.offline):
        yield Op(Verb.ONLINE, pfn=first, pages=end - first)
    if out.machine.era.returns_poisoned:
        yield from (Op(Verb.HEAL, pfn=pfn) for pfn in sorted(out.poisoned))


def _ranges(machine: Machine, heads: set[Pfn]) -> Iterator[tuple[Pfn, Pfn]]:
    """The runs [first, end) of pageblocks, as far as they are ranges of this machine."""
    size, whole = SIZES[machine.pageblock or 0], SIZES[machine.isolation_order]
    for head in sorted(heads):
        if head - size not in heads:
            end = head
            while end in heads:
                end += size
            first = -(-max(head, machine.start) // whole) * whole
            end = min(end, machine.end) // whole * whole
            if first < end:
                yield first, end
