"""Which requests for objects are refused, before anything changes."""

from pagespec.frames import SIZES
from pagespec.slab.machine import MAX_CACHES
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import MAX_BULK, Address, SlabOp
from pagespec.types import (
    BadCpu,
    BadOrder,
    BadRange,
    BadSize,
    Block,
    CacheBusy,
    CacheExists,
    GroupExists,
    GroupOffline,
    NoCache,
    NoGroup,
    NotObject,
    Order,
    Refused,
    WrongCache,
)

WORD = 8
"""Bytes of the link that lies in a free object."""


def refusal(error: type[Refused], subject: str) -> Refused:
    """The error to raise: objects are no blocks to speak of."""
    return error(Block(0, 0), subject)


def check_cpu(slabs: Slabs, cpu: int) -> None:
    """Refuse a CPU that the machine does not have."""
    if not 0 <= cpu < slabs.machine.cpus:
        raise refusal(BadCpu, f"cpu {cpu}")


def check_cache(slabs: Slabs, number: int) -> None:
    """Refuse a cache that there is not."""
    if (number, 0) not in slabs.caches:
        raise refusal(NoCache, f"cache {number}")


def check_new_cache(slabs: Slabs, op: SlabOp) -> None:
    """Refuse a number that is taken, and sizes that no cache has."""
    if not 1 <= op.cache <= MAX_CACHES or (op.cache, 0) in slabs.caches:
        raise refusal(CacheExists, f"cache {op.cache}")
    order = slabs.zone.machine.top if op.order is None else op.order
    if not 0 <= order <= slabs.zone.machine.top:
        raise refusal(BadOrder, f"order {order}")
    if not WORD <= op.size <= PAGE * SIZES[order] or op.size % WORD:
        raise refusal(BadSize, f"size {op.size}")
    counts = (op.objects_kept, op.partials, op.batch, op.shared)
    if any(count is not None and count < 0 for count in counts):
        raise refusal(BadSize, f"cache {op.cache} with a negative count")


def check_idle(slabs: Slabs, number: int) -> None:
    """Refuse to let a cache go while objects of it are held."""
    if any(held.cache == number for held in slabs.held.values()):
        raise refusal(CacheBusy, f"cache {number}")


def check_order(slabs: Slabs, order: Order | None) -> Order:
    """Refuse an order that the zone does not have; none is 0."""
    order = order or 0
    if not 0 <= order <= slabs.zone.machine.top:
        raise refusal(BadOrder, f"order {order}")
    return order


def check_group(slabs: Slabs, group: int) -> None:
    """Refuse a group that cannot be charged; 0 is nobody, and can always be."""
    if group == 0:
        return
    if group not in slabs.groups:
        raise refusal(NoGroup, f"group {group}")
    if not slabs.groups[group].online:
        raise refusal(GroupOffline, f"group {group}")


def check_new_group(slabs: Slabs, group: int) -> None:
    """Refuse a group that the machine does not have, or that is there."""
    if not 1 <= group <= slabs.machine.groups:
        raise refusal(NoGroup, f"group {group}")
    if group in slabs.groups:
        raise refusal(GroupExists, f"group {group}")


def check_bulk(objects: int) -> None:
    """Refuse more objects than a bulk request may have."""
    if not 0 <= objects <= MAX_BULK:
        raise refusal(BadRange, f"objects {objects}")


def check_object(slabs: Slabs, address: Address) -> None:
    """Refuse an address that is not the first byte of an object that is held.

    It is the caller's own address that is asked for, not one that was worked out from it: an
    address within an object must not pass for the object.
    """
    if address not in slabs.held:
        raise refusal(NotObject, f"address {address}")


def check_objects(slabs: Slabs, op: SlabOp) -> None:
    """Refuse an array with anything but objects that are held, each once, of the cache if one is
    named; slots without an object are none where a bulk free does not look for them."""
    check_bulk(len(op.addresses))
    empty = slabs.machine.design == "slub" and not slabs.machine.era.detaches_by_swapping
    seen: set[Address] = set()
    for address in op.addresses:
        if address == 0 and empty:
            continue
        check_object(slabs, address)
        if address in seen:
            raise refusal(NotObject, f"address {address}, for the second time,")
        if op.cache and slabs.held[address].cache != op.cache:
            raise refusal(WrongCache, f"address {address}")
        seen.add(address)


def check_withheld(op: SlabOp) -> None:
    """Refuse to withhold what is not given back."""
    for address in op.withheld:
        if address == 0 or address not in op.addresses:
            raise refusal(NotObject, f"address {address}, to be withheld,")
