"""The bytes that a CPU has charged in advance: groups owe frames, and pay for objects by the byte.

A CPU has a stock for one group at a time. What it cannot serve is charged in whole frames, of
which the rest goes into the stock; what another group's stock held becomes that group's rest, which
the next CPU with a stock for it takes over. The stock of whole frames that CPUs keep besides is not
modelled: a limit empties it before it fails a request.

Source: mm/memcontrol.c (obj_cgroup_charge, consume_obj_stock, refill_obj_stock, drain_obj_stock,
obj_cgroup_uncharge), 5.9 to 6.12.
"""

from pagespec.slab.groups import charge_frames, settle, uncharge_frames
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Slabs
from pagespec.steps import Step, Steps


def charge_bytes(slabs: Slabs, cpu: int, group: int, size: int) -> Steps[bool]:
    """Charge a group for so many bytes; False, with nothing changed, if its limit forbids it.

    The group's rest is not looked at, though it might do: all CPUs would contend for it.
    """
    yield Step.IRQS_OFF
    in_stock = slabs.stocks[cpu].group == group and slabs.stocks[cpu].bytes >= size
    if in_stock:
        slabs.stocks[cpu].bytes -= size
    yield Step.IRQS_ON
    if in_stock:
        return True
    frames = -(-size // PAGE)
    yield Step.EDIT
    if not charge_frames(slabs, group, frames):
        return False
    if frames * PAGE > size:
        yield from _refill(slabs, cpu, group, frames * PAGE - size, charging=True)
    return True


def uncharge_bytes(slabs: Slabs, cpu: int, group: int, size: int) -> Steps[None]:
    """Give back bytes that a group has paid for, into the CPU's stock."""
    yield from _refill(slabs, cpu, group, size, charging=False)


def _refill(slabs: Slabs, cpu: int, group: int, size: int, *, charging: bool) -> Steps[None]:
    yield Step.IRQS_OFF
    _add(slabs, cpu, group, size, charging=charging)
    yield Step.IRQS_ON


def _add(slabs: Slabs, cpu: int, group: int, size: int, *, charging: bool) -> None:
    """Add to a stock, and if it has more than a frame then, return frames.

    In the releases that charged objects first that empties the stock. Later ones return the whole
    frames alone, and none right after they were charged, unless the stock was another group's.
    """
    stock = slabs.stocks[cpu]
    returns = not charging or stock.group != group
    if stock.group != group:
        drain_stock(slabs, cpu)
        stock.group, stock.bytes = group, slabs.groups[group].rest
        slabs.groups[group].rest = 0
    stock.bytes += size
    if stock.bytes <= PAGE:
        return
    if slabs.machine.era.slab_charge == "slabs":
        drain_stock(slabs, cpu)
    elif returns:
        uncharge_frames(slabs, group, stock.bytes // PAGE)
        stock.bytes %= PAGE


def drain_stock(slabs: Slabs, cpu: int) -> None:
    """Empty a CPU's stock: whole frames are uncharged, what is left is the group's rest."""
    stock = slabs.stocks[cpu]
    group = stock.group
    if group == 0:
        return
    uncharge_frames(slabs, group, stock.bytes // PAGE)
    slabs.groups[group].rest += stock.bytes % PAGE
    stock.group, stock.bytes = 0, 0
    settle(slabs, group)
