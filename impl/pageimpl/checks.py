"""Which requests are refused: the codes of Refusal, found before anything changes.

The twin of the spec's `checks`. One owner byte a frame is enough to tell legal frees from all
others, so the check is always on. The most outward reason is named first: the order or type, then
bounds, alignment, holes, and last who owns the frames. 0 means that there is no reason.
"""

from pageimpl.frames import head_of, is_aligned
from pageimpl.jitcache import inlined, kernel
from pageimpl.memory import (
    GIVEN,
    HELD,
    HOLE,
    ORDER_BITS,
    Memory,
    cpus_of,
    end_of,
    first_of,
    isolation_order_of,
    listed_of,
    owner_of,
    shift_of,
    top_of,
)
from pageimpl.migratetype import CMA, MOVABLE
from pageimpl.pageblock import has_pageblocks
from pageimpl.pcp.index import area_of
from pageimpl.pcp.state import unplugged_of
from pagespec.types import Refusal

BAD_ORDER = Refusal.BAD_ORDER.value
OUTSIDE = Refusal.OUTSIDE.value
MISALIGNED = Refusal.MISALIGNED.value
IN_HOLE = Refusal.HOLE.value
WRONG_ORDER = Refusal.WRONG_ORDER.value
INTERIOR = Refusal.INTERIOR.value
DOUBLE = Refusal.DOUBLE.value
NEVER_GIVEN = Refusal.NEVER_GIVEN.value
UNSUPPORTED = Refusal.UNSUPPORTED.value
BAD_TYPE = Refusal.BAD_TYPE.value
BAD_RANGE = Refusal.BAD_RANGE.value
ISOLATED = Refusal.ISOLATED.value
NOT_ISOLATED = Refusal.NOT_ISOLATED.value
NOT_FREE = Refusal.NOT_FREE.value
NOT_POISONED = Refusal.NOT_POISONED.value
IS_COMPOUND = Refusal.COMPOUND.value
NOT_OFFLINE = Refusal.NOT_OFFLINE.value
BAD_CPU = Refusal.BAD_CPU.value


@inlined
def is_no_cpu(mem: Memory, cpu: int) -> bool:
    """Whether the machine has no such CPU, or it is unplugged; without lists all have number 0."""
    if cpus_of(mem) == 0:
        return cpu != 0
    return cpu >= cpus_of(mem) or unplugged_of(mem, area_of(mem, cpu, 0)) != 0


@kernel
def is_range_type(mem: Memory, mt: int) -> bool:
    """Whether a range may be given that type: MOVABLE, or CMA if the era has it."""
    return mt == MOVABLE or (mt == CMA and listed_of(mem) >> CMA & 1 != 0)


@kernel
def check_range(mem: Memory, p: int, pages: int) -> int:
    """Refuse a range that is not made of whole blocks, as large as the era asks, of frames."""
    if not has_pageblocks(mem):
        return UNSUPPORTED
    end = p + pages
    whole = isolation_order_of(mem)
    if pages <= 0 or not is_aligned(p, whole) or not is_aligned(end, whole):
        return BAD_RANGE
    if p < first_of(mem) or end > end_of(mem):
        return BAD_RANGE
    for page in range(p, end):
        if owner_of(mem, page) == HOLE:
            return BAD_RANGE
    return 0


@kernel
def check_frame(mem: Memory, p: int, order: int) -> int:
    """Refuse what cannot be a block of that order: bounds, alignment, holes."""
    if p < first_of(mem) or p + (1 << order) > end_of(mem):
        return OUTSIDE
    if not is_aligned(p, order):
        return MISALIGNED
    return IN_HOLE if owner_of(mem, p) == HOLE else 0


@kernel
def covered_by_held(mem: Memory, p: int) -> bool:
    """Whether a held block that starts below the frame covers it."""
    for order in range(1, top_of(mem) + 1):
        head = head_of(p, order)
        if head < first_of(mem):
            return False
        owner = owner_of(mem, head)
        if owner >= HELD and owner & ORDER_BITS >= order:
            return True
    return False


@kernel
def held_block(mem: Memory, pfn: int, order: int) -> int:
    """The slot of the held block that the frame heads, or the code of why there is none."""
    p = pfn + shift_of(mem)
    if p < first_of(mem) or p + (1 << order) > end_of(mem):
        return OUTSIDE
    if not is_aligned(p, order):
        return MISALIGNED
    owner = owner_of(mem, p)
    if owner >= HELD:
        return p
    if owner == HOLE:
        return IN_HOLE
    if covered_by_held(mem, p):
        return INTERIOR
    return DOUBLE if owner & GIVEN else NEVER_GIVEN
