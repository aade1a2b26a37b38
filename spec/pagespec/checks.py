"""Which requests are refused: the caller's side of the contract, checked before anything changes.

The most outward reason is named first: the order or type, then bounds, alignment, holes, and last
who owns the frames.
Source: derived; mm/page_alloc.c (free_pages_check, split_page), mm/page_isolation.c.
"""

from pagespec.bounds import frame_exists
from pagespec.events import Event, Kind
from pagespec.frames import SIZES, head_of
from pagespec.machine import MAX_SLOTS
from pagespec.migratetype import LETTER_OF, REQUESTED, MigrateType
from pagespec.types import (
    BadCpu,
    BadOrder,
    BadRange,
    BadType,
    Block,
    DoubleFree,
    FrameInHole,
    InteriorFrame,
    MisalignedBlock,
    NeverGiven,
    Order,
    OutsideZone,
    Pfn,
    Refused,
    UnsupportedRequest,
    WrongOrder,
)
from pagespec.zone import Held, Zone


def refused(zone: Zone, error: type[Refused], pfn: Pfn, order: Order, subject: str = "") -> Refused:
    """The error to raise, once it is in the log."""
    zone.log.append(Event(Kind.REFUSE, pfn, error.refusal))
    return error(Block(pfn, order), subject)


def check_order(zone: Zone, pfn: Pfn, order: Order) -> None:
    """Refuse an order that the zone does not have."""
    if not 0 <= order <= zone.machine.top:
        raise refused(zone, BadOrder, pfn, order)


def check_type(zone: Zone, mt: MigrateType, allowed: tuple[MigrateType, ...]) -> None:
    """Refuse a type that such a request may not have, or that the era does not have."""
    if mt not in allowed or (mt not in REQUESTED and mt not in zone.machine.era.types):
        raise refused(zone, BadType, 0, 0, f"type {LETTER_OF[mt]}")


def check_cpu(zone: Zone, cpu: int) -> None:
    """Refuse a CPU that the machine does not have, or that is unplugged."""
    if not 0 <= cpu < (zone.machine.cpus or 1) or cpu in zone.unplugged:
        raise refused(zone, BadCpu, 0, 0, f"cpu {cpu}")


def check_slots(zone: Zone, pages: int) -> None:
    """Refuse a bulk request for no slot, or for more than its array has."""
    if not 1 <= pages <= MAX_SLOTS:
        raise refused(zone, BadRange, 0, 0, f"slots {pages}")


def check_supported(zone: Zone, supported: bool) -> None:
    """Refuse an operation that the era or the machine does not have."""
    if not supported:
        raise refused(zone, UnsupportedRequest, 0, 0, f"era {zone.machine.era.name}")


def check_range(zone: Zone, pfn: Pfn, count: int) -> None:
    """Refuse a range that is not made of whole blocks, as large as the era asks, of frames."""
    machine = zone.machine
    check_supported(zone, machine.pageblock is not None)
    size = SIZES[machine.isolation_order]
    end = pfn + count
    if count <= 0 or pfn % size or end % size or pfn < machine.start or end > machine.end:
        raise refused(zone, BadRange, pfn, 0)
    if any(first < end and pfn < beyond for first, beyond in machine.holes):
        raise refused(zone, BadRange, pfn, 0)


def check_frame(zone: Zone, pfn: Pfn, order: Order) -> None:
    """Refuse what cannot be a block of that order: bounds, alignment, holes."""
    machine = zone.machine
    if not machine.start <= pfn <= machine.end - SIZES[order]:
        raise refused(zone, OutsideZone, pfn, order)
    if (pfn - machine.base) % SIZES[order] != 0:
        raise refused(zone, MisalignedBlock, pfn, order)
    if not frame_exists(machine, pfn):
        raise refused(zone, FrameInHole, pfn, order)


def held_block(zone: Zone, pfn: Pfn, order: Order) -> Held:
    """The holding of the block that the frame heads, or the reason why there is none."""
    check_frame(zone, pfn, order)
    held = zone.held.get(pfn)
    if held is not None:
        return held
    if covered_by_held(zone, pfn):
        raise refused(zone, InteriorFrame, pfn, order)
    raise refused(zone, DoubleFree if pfn in zone.given else NeverGiven, pfn, order)


def held_block_of_order(zone: Zone, pfn: Pfn, order: Order) -> Held:
    """The same for a request that must name the order with which the block was given out."""
    held = zone.held.get(pfn)
    if held is None or held.order != order:
        check_order(zone, pfn, order)
        held_block(zone, pfn, order)
        raise refused(zone, WrongOrder, pfn, order)
    return held


def covered_by_held(zone: Zone, pfn: Pfn) -> bool:
    """Whether the frame lies behind the head of a held block: at some order, its head is held."""
    base = zone.machine.base
    for order in range(1, zone.machine.top + 1):
        held = zone.held.get(base + head_of(pfn - base, order))
        if held is not None and held.order >= order:
            return True
    return False
