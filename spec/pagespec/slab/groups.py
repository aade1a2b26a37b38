"""Groups that are charged: what they owe in frames, and when they are gone.

Source: mm/memcontrol.c (obj_cgroup_release, memcg_offline_kmem) and mm/slab_common.c, 5.9 to 6.12.
Groups with caches of their own are modelled from what the series that replaced them says of them
(Roman Gushchin, "The new cgroup slab memory controller", 2020), not from their source.
"""

from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, Group, Slabs


def open_group(slabs: Slabs, number: int) -> None:
    """Let there be a group with nothing charged."""
    slabs.groups[number] = Group()


def close_group(slabs: Slabs, number: int) -> list[Cache]:
    """Let a group go: nothing is charged anew; its own caches, which keep nothing now in SLUB.

    What is charged to it stays so until its objects are freed, since others may use them. The
    caller shrinks the caches, and settles the group's account then.
    """
    slabs.groups[number].online = False
    caches = [cache for (_, group), cache in slabs.caches.items() if group == number]
    if slabs.machine.design == "slub":
        for cache in caches:
            cache.shape = cache.shape._replace(objects_kept=0, partials=0)
    return caches


def charge_frames(slabs: Slabs, group: int, frames: int) -> bool:
    """Charge a group for frames, in one step, unless that is more than its limit."""
    limit = slabs.machine.limit
    account = slabs.groups[group]
    if limit is not None and account.pages + frames > limit:
        return False
    account.pages += frames
    return True


def uncharge_frames(slabs: Slabs, group: int, frames: int) -> None:
    """Give back frames that a group has paid for."""
    slabs.groups[group].pages -= frames


def settle(slabs: Slabs, number: int) -> None:
    """Close the account of a group that has gone, if nothing refers to it any more.

    Its rest is whole frames by then, but for bytes that were lost, for which the group stays. Its
    number is free for another group afterwards.
    """
    group = slabs.groups[number]
    if group.online or any(stock.group == number for stock in slabs.stocks):
        return
    if any(held.charged == number for held in slabs.held.values()):
        return
    group.pages -= group.rest // PAGE
    group.rest %= PAGE
    if group.pages == 0:
        del slabs.groups[number]
        for key in [key for key in slabs.caches if key[1] == number]:
            del slabs.caches[key]
