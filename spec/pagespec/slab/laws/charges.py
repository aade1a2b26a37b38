"""Laws about what groups are charged for objects."""

from collections.abc import Iterable

from pagespec.frames import SIZES
from pagespec.laws.law import Complaint, LawBook
from pagespec.slab.laws.eras import has_slabs
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, Group, HeldObject, Slabs

CHARGE_LAWS: LawBook[Slabs] = LawBook()

POINTER = 8
"""Bytes that are charged for an object beside its own: who pays for it is kept there."""


def full_size(slabs: Slabs, cache: int) -> int:
    """Bytes that an object of a cache is charged with."""
    return slabs.caches[cache, 0].shape.size + POINTER


def owed_for(slabs: Slabs, held: Iterable[HeldObject]) -> dict[int, int]:
    """Bytes that each group pays for objects, by group."""
    owed: dict[int, int] = {}
    for kind in held:
        if kind.charged and (kind.cache, 0) in slabs.caches:
            owed[kind.charged] = owed.get(kind.charged, 0) + full_size(slabs, kind.cache)
    return owed


def frames_of(slabs: Slabs, group: int) -> int:
    """Frames of the slabs of a group's own caches."""
    own: list[Cache] = [cache for (_, owner), cache in slabs.caches.items() if owner == group]
    return sum(len(cache.slabs) * SIZES[cache.shape.order] for cache in own)


@CHARGE_LAWS.law(
    "SLB-charge",
    eras=has_slabs,
    source="mm/memcontrol.c, obj_cgroup_charge and drain_obj_stock, 5.9 to 6.12",
)
def conserved(slabs: Slabs) -> Complaint:
    """What a group is charged is what it has: objects, stocks of CPUs, its rest, and what was lost.

    Where groups have caches of their own, it is the frames of these caches' slabs. No group is
    charged for more frames than its limit, and one that is offline is gone when it owes nothing
    and no CPU has a stock for it.
    Bytes that are charged twice or never paid back keep a
    group from being used up, and from going away.
    """
    owed = owed_for(slabs, slabs.held.values())
    stocks: dict[int, int] = {}
    for cpu, stock in enumerate(slabs.stocks):
        stocks[stock.group] = stocks.get(stock.group, 0) + stock.bytes
        if stock.bytes < 0 or (stock.bytes and not stock.group):
            return f"CPU {cpu} has {stock.bytes} bytes of group {stock.group} in stock"
    unknown = (owed.keys() | stocks.keys()) - slabs.groups.keys() - {0}
    if unknown:
        return f"group {min(unknown)} is charged and there is none"
    for number, group in slabs.groups.items():
        if group.rest < 0 or group.lost < 0:
            return f"group {number} has a rest of {group.rest} and lost {group.lost} bytes"
        if not (group.online or group.pages or number in stocks):
            return f"group {number} is offline and owes nothing, expected it to be gone"
        wrong = _by_slab(slabs, number, group) if slabs.machine.scheme == "caches" else None
        if slabs.machine.scheme == "objects":
            parts = (owed.get(number, 0), stocks.get(number, 0), group.rest, group.lost)
            if group.pages * PAGE != sum(parts):
                wrong = (
                    f"group {number} is charged {group.pages} frames, has {parts[0]} bytes of "
                    f"objects, {parts[1]} in stock, {parts[2]} of rest, and lost {parts[3]}"
                )
        if wrong is not None:
            return wrong
        limit = slabs.machine.limit
        if limit is not None and group.pages > limit:
            return f"group {number} is charged {group.pages} frames, its limit is {limit}"
    return None


def _by_slab(slabs: Slabs, number: int, group: Group) -> Complaint:
    """How a group is charged otherwise than for the slabs of its caches."""
    due = (frames_of(slabs, number), 0, 0)
    got = (group.pages, group.rest, group.lost)
    if got == due:
        return None
    return f"group {number} is charged {got} frames, bytes of rest and lost, expected {due}"
