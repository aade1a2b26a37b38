"""Which requests about ranges and places deserve a refusal, as a zone's own facts say.

Declarative: it asks what lies where, never how the allocator would find out. The most outward
reason comes first: what the era and the machine have, the shape of the request, and then what is
there.
Source: derived; mm/page_isolation.c and mm/page_alloc.c (alloc_contig_range), 2.6.37 to 6.12.
"""

from collections.abc import Callable, Collection

from pagespec.frames import SIZES, head_of
from pagespec.laws.masks import frames_that_exist
from pagespec.machine import MAX_SLOTS, Machine
from pagespec.migratetype import CMA, ISOLATE, MOVABLE, REQUESTED
from pagespec.types import Pfn, Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone, free_blocks

Due = Refusal | None


def place_refusal(zone: Zone, op: Op) -> Due:
    """The refusal that a request about a range, a place or the reserve deserves, if any."""
    return DUE[op.verb](zone, op)


def _due_unreserve(zone: Zone, op: Op) -> Due:
    if zone.machine.pageblock is None or zone.machine.era.reserve == "none":
        return Refusal.UNSUPPORTED
    return None if op.mt in REQUESTED else Refusal.BAD_TYPE


def _due_isolate(zone: Zone, op: Op) -> Due:
    shape = _range_refusal(zone.machine, op.pfn, op.pages)
    return shape if shape is not None else _isolated_refusal(zone, op.pfn, op.pfn + op.pages)


def _due_restore(zone: Zone, op: Op) -> Due:
    shape = _range_refusal(zone.machine, op.pfn, op.pages)
    if shape is not None:
        return shape
    if not _may_give(zone.machine, op):
        return Refusal.BAD_TYPE
    if not all(_is_isolated(zone, head) for head in _heads(zone, op.pfn, op.pfn + op.pages)):
        return Refusal.NOT_ISOLATED
    return Refusal.BAD_RANGE if _beside_isolated(zone, op.pfn, op.pfn + op.pages) else None


def _due_contig(zone: Zone, op: Op) -> Due:
    machine = zone.machine
    if machine.pageblock is None or machine.era.isolation == "move":
        return Refusal.UNSUPPORTED
    if not _may_give(machine, op):
        return Refusal.BAD_TYPE
    if not runs(machine, zone.unplugged, op.cpu):
        return Refusal.BAD_CPU
    if op.pages <= 0:
        return Refusal.BAD_RANGE
    first, end = range_around(machine, op)
    shape = _range_refusal(machine, first, end - first)
    return shape if shape is not None else _isolated_refusal(zone, first, end)


def _due_poison(zone: Zone, op: Op) -> Due:
    if not zone.machine.era.takes_poisoned:
        return Refusal.UNSUPPORTED
    absent = _frame_refusal(zone.machine, op.pfn)
    if absent is not None:
        return absent
    free = any(pfn <= op.pfn < pfn + SIZES[order] for pfn, order in free_blocks(zone))
    return None if free else Refusal.NOT_FREE


def _due_heal(zone: Zone, op: Op) -> Due:
    if not zone.machine.era.returns_poisoned:
        return Refusal.UNSUPPORTED
    absent = _frame_refusal(zone.machine, op.pfn)
    if absent is not None:
        return absent
    return None if op.pfn in zone.poisoned else Refusal.NOT_POISONED


def _due_offline(zone: Zone, op: Op) -> Due:
    shape = _range_refusal(zone.machine, op.pfn, op.pages)
    if shape is not None:
        return shape
    end = op.pfn + op.pages
    if not all(_is_isolated(zone, head) for head in _heads(zone, op.pfn, end)):
        return Refusal.NOT_ISOLATED
    # Whole free blocks must make up the range: one that reaches over an end cannot be taken.
    inside = [b for b in free_blocks(zone) if op.pfn <= b.pfn and b.pfn + SIZES[b.order] <= end]
    free = sum(SIZES[block.order] for block in inside)
    return None if free == op.pages else Refusal.NOT_FREE


def _due_online(zone: Zone, op: Op) -> Due:
    shape = _range_refusal(zone.machine, op.pfn, op.pages)
    if shape is not None:
        return shape
    offline = all(head in zone.offline for head in _heads(zone, op.pfn, op.pfn + op.pages))
    return None if offline else Refusal.NOT_OFFLINE


def _due_cpu(zone: Zone, op: Op, supported: bool) -> Due:
    """Of a request about a CPU: the machine must have such requests, and the CPU must run."""
    if not supported:
        return Refusal.UNSUPPORTED
    return None if runs(zone.machine, zone.unplugged, op.cpu) else Refusal.BAD_CPU


def _due_unplug(zone: Zone, op: Op) -> Due:
    last = len(zone.unplugged) == zone.machine.cpus - 1
    due = _due_cpu(zone, op, zone.machine.cpus > 1)
    return Refusal.BAD_CPU if due is None and last else due


def _due_plug(zone: Zone, op: Op) -> Due:
    if zone.machine.cpus < 2:
        return Refusal.UNSUPPORTED
    return None if op.cpu in zone.unplugged else Refusal.BAD_CPU


def _due_switch(zone: Zone, op: Op) -> Due:
    """Disabling or enabling the lists, which no era before 5.12 had."""
    switches = zone.machine.cpus > 0 and zone.disabled is (op.verb is Verb.ENABLE)
    return None if switches and zone.machine.era.can_disable else Refusal.UNSUPPORTED


def _due_bulk(zone: Zone, op: Op) -> Due:
    if zone.machine.cpus == 0 or zone.machine.era.bulk == "none":
        return Refusal.UNSUPPORTED
    if not 1 <= op.pages <= MAX_SLOTS:
        return Refusal.BAD_RANGE
    return _due_cpu(zone, op, True) if op.mt in REQUESTED else Refusal.BAD_TYPE


DUE: dict[Verb, Callable[[Zone, Op], Due]] = {
    Verb.UNRESERVE: _due_unreserve,
    Verb.ISOLATE: _due_isolate,
    Verb.RESTORE: _due_restore,
    Verb.CONTIG: _due_contig,
    Verb.POISON: _due_poison,
    Verb.HEAL: _due_heal,
    Verb.OFFLINE: _due_offline,
    Verb.ONLINE: _due_online,
    Verb.DRAIN: lambda zone, op: _due_cpu(zone, op, zone.machine.cpus > 0),
    Verb.DRAIN_ALL: lambda zone, op: None,
    Verb.DISABLE: _due_switch,
    Verb.ENABLE: _due_switch,
    Verb.AGE: lambda zone, op: _due_cpu(zone, op, _ages(zone.machine)),
    Verb.REFRESH: lambda zone, op: _due_cpu(zone, op, zone.cells is not None),
    Verb.EXPIRE: lambda zone, op: _due_cpu(zone, op, _expires(zone.machine)),
    Verb.UNPLUG: _due_unplug,
    Verb.PLUG: _due_plug,
    Verb.REST: lambda zone, op: Refusal.UNSUPPORTED if zone.levels is None else None,
    Verb.BULK: _due_bulk,
}
"""Per verb that speaks of more than a block: the refusal that a request deserves."""


def range_around(machine: Machine, op: Op) -> tuple[Pfn, Pfn]:
    """The run [first, end) of frames whose pageblocks a legal request about a range changes.

    A range to allocate may begin and end anywhere: all around it is isolated meanwhile.
    """
    if op.verb is not Verb.CONTIG:
        return op.pfn, op.pfn + op.pages
    order = machine.isolation_order
    last = head_of(op.pfn + op.pages - 1, order)
    return head_of(op.pfn, order), last + SIZES[order]


# --- what they ask -----------------------------------------------------------------------------


def runs(machine: Machine, unplugged: Collection[int], cpu: int) -> bool:
    """Whether there is such a CPU and it runs; a machine without lists has one that always does."""
    return 0 <= cpu < max(1, machine.cpus) and cpu not in unplugged


def _ages(machine: Machine) -> bool:
    """Whether the lists have a high that grows and falls."""
    return machine.cpus > 0 and machine.era.tuning == "tuned"


def _expires(machine: Machine) -> bool:
    """Whether what a CPU keeps of a remote node's zone expires."""
    return machine.cpus > 0 and machine.era.tuning != "pair"


def _frame_refusal(machine: Machine, pfn: Pfn) -> Due:
    if not machine.start <= pfn < machine.end:
        return Refusal.OUTSIDE
    exists = frames_that_exist(machine) >> pfn - machine.start & 1
    return None if exists else Refusal.HOLE


def _range_refusal(machine: Machine, pfn: Pfn, pages: int) -> Due:
    """A range is made of whole blocks of the era's isolation order, all of whose frames exist."""
    if machine.pageblock is None:
        return Refusal.UNSUPPORTED
    size = SIZES[machine.isolation_order]
    whole = pages > 0 and pfn % size == 0 and pages % size == 0
    if not whole or pfn < machine.start or pfn + pages > machine.end:
        return Refusal.BAD_RANGE
    due = ((1 << pages) - 1) << pfn - machine.start
    return None if frames_that_exist(machine) & due == due else Refusal.BAD_RANGE


def _may_give(machine: Machine, op: Op) -> bool:
    """Whether a range may have that type afterwards: MOVABLE, or CMA in the eras with any."""
    return op.mt is MOVABLE or (op.mt is CMA and CMA in machine.era.types)


def _heads(zone: Zone, pfn: Pfn, end: Pfn) -> range:
    """The first frames of the range's pageblocks."""
    return range(pfn, end, SIZES[zone.machine.pageblock or 0])


def _is_isolated(zone: Zone, head: Pfn) -> bool:
    number = zone.machine.pageblock_number(head)
    return zone.pageblocks[number] is ISOLATE and head not in zone.offline


def _isolated_refusal(zone: Zone, pfn: Pfn, end: Pfn) -> Due:
    """Of a range that is to be isolated: nothing of it may be so already.

    6.1 cuts free blocks at the ends, which needs ends that no held block covers, and a largest
    block beside each of them that nobody else has isolated.
    """
    number = zone.machine.pageblock_number
    if any(zone.pageblocks[number(head)] is ISOLATE for head in _heads(zone, pfn, end)):
        return Refusal.ISOLATED
    if _beside_isolated(zone, pfn, end):
        return Refusal.ISOLATED
    if zone.machine.era.isolation == "split-ends":
        for head, held in zone.held.items():
            if head < pfn < head + SIZES[held.order] or head < end < head + SIZES[held.order]:
                return Refusal.NOT_FREE
    return None


def _beside_isolated(zone: Zone, pfn: Pfn, end: Pfn) -> bool:
    """Whether the frame before or behind shares a largest block with the range and is isolated."""
    machine = zone.machine
    if machine.era.isolation != "split-ends":
        return False
    size = SIZES[machine.top]
    beside = [
        frame
        for frame, edge in ((pfn - 1, pfn), (end, end - 1))
        if machine.start <= frame < machine.end and frame // size == edge // size
    ]
    block = SIZES[machine.pageblock or 0]
    return any(_is_isolated(zone, frame // block * block) for frame in beside)
