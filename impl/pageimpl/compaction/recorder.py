"""A recorder of the stretches during which interrupts are off: what they visit, and how long.

It is switched on by a word; while that is 0 a stretch costs one load at either end. Nothing else
runs here, so a stretch is what its own work takes.
"""

from pageimpl.compaction.clock import cycles
from pageimpl.compaction.state import (
    BUCKETS,
    LONGEST,
    CompactionMemory,
    began_at_of,
    began_of,
    bucket_of,
    cycles_of,
    kind_of,
    least_of,
    longest_of,
    most_visited_of,
    records_of,
    set_began,
    set_began_at,
    set_bucket,
    set_cycles,
    set_kind,
    set_least,
    set_longest,
    set_longest_visited,
    set_most_visited,
    set_stretches,
    set_visited,
    stretches_of,
    visited_of,
)
from pageimpl.jitcache import inlined, kernel

# The kinds. Of an allocation and a free all is one stretch: the zone's kernels do not say where
# they take the lock, and with page lists interrupts are off for nearly all of it.
FREE_SCAN = 0
SEEK = 1
AROUND = 2
MIGRATE_SCAN = 3
CLAIM = 4
ALLOC = 5
FREE = 6
DRAIN = 7


@inlined
def visit(mem: CompactionMemory, nodes: int) -> None:
    """Count frames or list nodes that were looked at."""
    set_visited(mem, visited_of(mem) + nodes)


@inlined
def irqs_off(mem: CompactionMemory, kind: int) -> None:
    """Interrupts are off from here on, for work of that kind."""
    if records_of(mem):
        set_kind(mem, kind)
        set_began_at(mem, visited_of(mem))
        set_began(mem, cycles())


@inlined
def irqs_on(mem: CompactionMemory) -> None:
    """Interrupts may come again."""
    if records_of(mem):
        note(mem, cycles() - began_of(mem))


@kernel
def note(mem: CompactionMemory, spent: int) -> None:
    """Enter the stretch that has ended."""
    kind, visited = kind_of(mem), visited_of(mem) - began_at_of(mem)
    number = stretches_of(mem, kind)
    set_stretches(mem, kind, number + 1)
    set_cycles(mem, kind, cycles_of(mem, kind) + spent)
    set_most_visited(mem, kind, max(most_visited_of(mem, kind), visited))
    bucket = 0
    while bucket < BUCKETS - 1 and spent >> bucket + 1:
        bucket += 1
    bucket += kind * BUCKETS
    set_bucket(mem, bucket, bucket_of(mem, bucket) + 1)
    if number < LONGEST:
        keep(mem, kind, number, spent, visited)
    elif spent > least_of(mem, kind):
        keep(mem, kind, shortest(mem, kind, LONGEST), spent, visited)


@kernel
def shortest(mem: CompactionMemory, kind: int, count: int) -> int:
    """The number of the shortest of the first longest ones of a kind."""
    found = 0
    for number in range(1, count):
        if longest_of(mem, kind * LONGEST + number) < longest_of(mem, kind * LONGEST + found):
            found = number
    return found


@kernel
def keep(mem: CompactionMemory, kind: int, number: int, spent: int, visited: int) -> None:
    """Keep a stretch as one of the longest, in the place of that number."""
    set_longest(mem, kind * LONGEST + number, spent)
    set_longest_visited(mem, kind * LONGEST + number, visited)
    count = min(stretches_of(mem, kind), LONGEST)
    set_least(mem, kind, longest_of(mem, kind * LONGEST + shortest(mem, kind, count)))
