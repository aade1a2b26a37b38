"""Which list serves a request: its own type's, CMA memory, the reserve, or another type's.

The twin of the spec's `rmqueue`, in slots. What a request asks for besides its order is one number,
its *want*: flags, and the migratetype above them.
"""

from pageimpl.buddy import rmqueue_smallest
from pageimpl.era import (
    CMA_BALANCED,
    NO_CMA,
    NO_RESERVE,
    RESERVE_ONE_PERCENT,
    TAKE_LARGEST,
)
from pageimpl.fallback import fall_back
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    Memory,
    cma_rule_of,
    fallback_of,
    nofragment_of,
    reserve_of,
    reserve_order_of,
)
from pageimpl.migratetype import CMA, HIGHATOMIC, MOVABLE, RESERVE, UNMOVABLE
from pageimpl.pageblock import has_pageblocks
from pageimpl.verbs import ATOMIC, NOFRAGMENT, WANTED_SHIFT
from pageimpl.vmstat.kept import told_cma, told_free


@inlined
def rmqueue(mem: Memory, order: int, want: int) -> int:
    """Take a block for the request off the free lists: its slot, or 0 if none may serve it."""
    if not has_pageblocks(mem):
        return rmqueue_smallest(mem, order, UNMOVABLE)
    return rmqueue_by_type(mem, order, want)


@kernel
def rmqueue_by_type(mem: Memory, order: int, want: int) -> int:
    """Take a block for the request where there are pageblocks: its slot, or 0."""
    p = 0
    if want & ATOMIC and order >= reserve_order_of(mem) and reserve_of(mem) != NO_RESERVE:
        p = rmqueue_smallest(mem, order, HIGHATOMIC)
    if p == 0:
        p = rmqueue_one(mem, order, want)
    if p == 0 and want & ATOMIC and reserve_of(mem) == RESERVE_ONE_PERCENT:
        p = rmqueue_smallest(mem, order, HIGHATOMIC)
    return p


@kernel
def rmqueue_one(mem: Memory, order: int, want: int) -> int:
    """The same without the reserve for atomic requests: what refills a CPU's list, too."""
    if not has_pageblocks(mem):
        return rmqueue_smallest(mem, order, UNMOVABLE)
    p = from_lists(mem, order, want)
    if p == 0 and fallback_of(mem) == TAKE_LARGEST:
        p = rmqueue_smallest(mem, order, RESERVE)
    return p


@kernel
def from_lists(mem: Memory, order: int, want: int) -> int:
    """From the request's own type, CMA memory where it may be used, or another type."""
    mt = want >> WANTED_SHIFT
    rule = cma_rule_of(mem) if mt == MOVABLE else NO_CMA
    p = 0
    if rule == CMA_BALANCED and told_cma(mem) > told_free(mem) >> 1:
        p = rmqueue_smallest(mem, order, CMA)
    if p == 0:
        p = rmqueue_smallest(mem, order, mt)
    if p == 0 and rule != NO_CMA:
        p = rmqueue_smallest(mem, order, CMA)
    if p == 0:
        nofragment = want & NOFRAGMENT != 0 and nofragment_of(mem) != 0
        p = fall_back(mem, order, mt, nofragment)
    return p
