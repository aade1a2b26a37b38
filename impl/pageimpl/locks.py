"""The zone's lock, and the locks of the CPUs' lists: words that are exchanged and released.

Who has a zone to himself takes none of them. Threads that share one set its word `shared`, and
then each works for a CPU of its own: what belongs to a CPU, its lists and its cells, nobody else
touches. In the eras whose guard is a lock that may be lost (6.1 and 6.12), others may drain a CPU's
lists, and take that lock first; a CPU's own request that loses it goes to the buddy. Earlier eras
ask the CPU itself, so in a zone that is shared nobody can drain the lists of others.

Which CPUs run and how large their lists are is changed while no other thread is at work.

Order: a lists' lock before the zone's, and one of each at most.
"""

from pageimpl.atomics import pause
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    Memory,
    barring_of,
    cpus_of,
    exchange_zone_lock,
    release_zone_lock,
    set_on_cpu,
    shared_of,
    zone_lock_of,
)
from pageimpl.pcp.state import exchange_lists_lock, lists_lock_of, release_lists_lock
from pageimpl.verbs import CONTENDED


@inlined
def lock_zone(mem: Memory, cpu: int) -> None:
    """Take the zone's lock, for what is done on that CPU."""
    if shared_of(mem):
        wait_for_zone(mem, cpu)


@kernel
def wait_for_zone(mem: Memory, cpu: int) -> None:
    """Take the lock of a zone that is shared, and say who is at work."""
    while exchange_zone_lock(mem, 1):
        while zone_lock_of(mem):
            pause()
    set_on_cpu(mem, cpu)


@inlined
def unlock_zone(mem: Memory) -> None:
    """Release the zone's lock."""
    if shared_of(mem):
        release_zone_lock(mem, 0)


@kernel
def lists_have_lock(mem: Memory) -> bool:
    """Whether the era's guard of the lists is a lock, and anybody shares the zone."""
    return shared_of(mem) != 0 and barring_of(mem) & CONTENDED != 0


@kernel
def may_drain_others(mem: Memory) -> bool:
    """Whether one CPU may drain the lists of all."""
    return shared_of(mem) == 0 or lists_have_lock(mem) or cpus_of(mem) < 2


@inlined
def try_lists(mem: Memory, q: int) -> bool:
    """Take the lock of a CPU's lists for its own request, unless somebody else has it."""
    return shared_of(mem) == 0 or try_shared_lists(mem, q)


@kernel
def try_shared_lists(mem: Memory, q: int) -> bool:
    """The same in a zone that is shared; without such a lock nobody else is ever there."""
    return not lists_have_lock(mem) or exchange_lists_lock(mem, q, 1) == 0


@kernel
def lock_lists(mem: Memory, q: int) -> None:
    """Wait for the lock of a CPU's lists: whoever drains does."""
    if lists_have_lock(mem):
        while exchange_lists_lock(mem, q, 1):
            while lists_lock_of(mem, q):
                pause()


@inlined
def unlock_lists(mem: Memory, q: int) -> None:
    """Release the lock of a CPU's lists."""
    if shared_of(mem):
        release_shared_lists(mem, q)


@kernel
def release_shared_lists(mem: Memory, q: int) -> None:
    """The same in a zone that is shared."""
    if lists_have_lock(mem):
        release_lists_lock(mem, q, 0)
