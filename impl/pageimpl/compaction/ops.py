"""Serving requests of compaction, of whatever verb: the twin of the spec's `compaction.ops`."""

from pageimpl.alloc import get_page, hold_page
from pageimpl.checks import (
    BAD_CPU,
    BAD_ORDER,
    BAD_RANGE,
    BAD_TYPE,
    UNSUPPORTED,
    held_block,
    is_no_cpu,
)
from pageimpl.compaction.capture import free_held
from pageimpl.compaction.freescan import isolate_range
from pageimpl.compaction.holders import forget, put_on_lru
from pageimpl.compaction.lists import push_back, sort_targets
from pageimpl.compaction.run import (
    allocate,
    begin,
    compact_for,
    compact_zone,
    release_targets,
    work_in_background,
)
from pageimpl.compaction.skips import forget_positions, forget_skips
from pageimpl.compaction.state import (
    NONE,
    CompactionMemory,
    background_of,
    drain_zone,
    first_fresh_of,
    flush_of,
    heeds_skips_of,
    next_target_of,
    put_block,
    remembers_of,
    set_async,
    set_cpu,
    set_direct,
    set_first_fresh,
    set_flush,
    set_heeds,
    set_killed,
    set_last_fresh,
    set_nr_moves,
    set_order,
    set_stray,
    set_told,
    set_type,
    set_visited,
    set_whole,
    target_order_of,
    waits_apart_of,
    zone_of,
)
from pageimpl.compaction.verbs import (
    ALLOC,
    ASYNC,
    BACKGROUND,
    CLAIM,
    COLUMN_CPU,
    COLUMN_FLAGS,
    COLUMN_ORDER,
    COLUMN_PAGES,
    COLUMN_PFN,
    COLUMN_RESULT,
    COLUMN_TYPE,
    COLUMN_VERB,
    COLUMNS,
    COMPACT,
    DIRECT,
    DRAIN_ALL,
    FOR_ALL,
    FREE,
    KILLED,
    LRU,
    MAX_STRAY,
    PIN,
    STRAY,
    UNPIN,
    WHOLE,
)
from pageimpl.compaction.verbs import IRQ as FROM_IRQ
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    COUNTS_IN_CELLS,
    HELD,
    ORDER_BITS,
    Words,
    counting_of,
    end_of,
    first_of,
    owner_of,
    set_word,
    shift_of,
    top_of,
    word_at,
)
from pageimpl.migratetype import MOST_REQUESTED, MOVABLE, UNMOVABLE
from pageimpl.pcp.cpus import one_that_runs, work_on
from pageimpl.verbs import CPU_SHIFT, IRQ
from pagespec.types import NO_MEMORY


@kernel
def check_run(mem: CompactionMemory, verb: int, cpu: int, order: int, mt: int, flags: int) -> int:
    """Refuse a compaction that the era does not know, or that is for no block."""
    zone = zone_of(mem)
    if flags & ASYNC and not waits_apart_of(mem):
        return UNSUPPORTED
    if verb == BACKGROUND and not background_of(mem):
        return UNSUPPORTED
    whole = verb == COMPACT and flags & FOR_ALL != 0
    if not whole and not 1 <= order <= top_of(zone):
        return BAD_ORDER
    if mt > MOST_REQUESTED:
        return BAD_TYPE
    return BAD_CPU if is_no_cpu(zone, cpu) else 0


@kernel
def declare(mem: CompactionMemory, got: int, order: int, mt: int, flags: int) -> int:
    """Enter a block that was allocated as on the LRU, if its holder says so and it is movable."""
    if got >= 0 and flags & LRU and mt == MOVABLE:
        put_on_lru(mem, got + shift_of(zone_of(mem)), order)
    return got


@kernel
def prepare(mem: CompactionMemory, cpu: int, order: int, mt: int, flags: int) -> None:
    """Write what the request wants of a run."""
    set_order(mem, order)
    set_type(mem, mt)
    set_cpu(mem, cpu)
    set_async(mem, flags & ASYNC != 0)
    set_killed(mem, flags & KILLED != 0)
    set_whole(mem, flags & FOR_ALL != 0)
    set_heeds(mem, flags & FOR_ALL == 0)
    set_direct(mem, 0)
    set_told(mem, 0)


@kernel
def compact(mem: CompactionMemory, cpu: int, order: int, mt: int, flags: int) -> int:
    """Compact for an order, or the whole zone: a result, or a refusal's code."""
    code = check_run(mem, COMPACT, cpu, order, mt, flags)
    if code:
        return code
    if flags & FOR_ALL:
        order, mt = WHOLE, UNMOVABLE
    prepare(mem, cpu, order, mt, flags)
    return compact_zone(mem)


@kernel
def direct(mem: CompactionMemory, cpu: int, order: int, mt: int, flags: int) -> int:
    """Allocate, and where that fails compact and try again: a first frame, or NO_MEMORY."""
    if not 0 <= order <= top_of(zone_of(mem)):
        return BAD_ORDER
    if order > 0:
        code = check_run(mem, DIRECT, cpu, order, mt, flags)
        if code:
            return code
    got = allocate(mem, order, mt, cpu)
    if got == NO_MEMORY and order > 0:
        prepare(mem, cpu, order, mt, flags)
        set_direct(mem, 1)
        set_told(mem, flags & FOR_ALL != 0)
        got = compact_for(mem)
    return declare(mem, got, order, mt, flags)


@kernel
def background(mem: CompactionMemory, cpu: int, order: int, mt: int, flags: int) -> int:
    """Let the worker compact for an order: a result, or a refusal's code."""
    code = check_run(mem, BACKGROUND, cpu, order, mt, flags)
    if code:
        return code
    prepare(mem, cpu, order, UNMOVABLE, 0)
    set_heeds(mem, heeds_skips_of(mem))
    return work_in_background(mem)


@kernel
def unpin(mem: CompactionMemory, cpu: int, pfn: int) -> int:
    """Drop a reference to a block; if it was the last, what its holder said is forgotten."""
    zone = zone_of(mem)
    p = held_block(zone, pfn, 0)
    if p < 0:
        return p
    order = owner_of(zone, p) & ORDER_BITS
    code = put_block(mem, pfn, cpu << CPU_SHIFT)
    if code == 0 and owner_of(zone, p) < HELD:
        forget(mem, p, order)
    return code


@kernel
def stray(mem: CompactionMemory, pfn: int, number: int) -> int:
    """Let others take that number for the order of a held block: 0, or a refusal's code."""
    p = held_block(zone_of(mem), pfn, 0)
    if p < 0:
        return p
    if not 0 <= number <= MAX_STRAY:
        return BAD_ORDER
    set_stray(mem, p, number + 1)
    return 0


@kernel
def claim(mem: CompactionMemory, cpu: int, pfn: int, pages: int) -> int:
    """Every frame of the range as a block of its own: the first frame, NO_MEMORY, or a code."""
    zone, end = zone_of(mem), pfn + pages
    shift = shift_of(zone)
    if not remembers_of(mem):
        return UNSUPPORTED
    if is_no_cpu(zone, cpu):
        return BAD_CPU
    if pages < 1 or pfn + shift < first_of(zone) or end + shift > end_of(zone):
        return BAD_RANGE
    prepare(mem, cpu, WHOLE, MOVABLE, 0)
    begin(mem)
    got = isolate_range(mem, pfn, end)
    if got:
        hold_range(mem, pfn + shift, end + shift)
    else:
        sort_targets(mem)
    release_targets(mem)
    return pfn if got else NO_MEMORY


@kernel
def hold_range(mem: CompactionMemory, first: int, end: int) -> None:
    """Let each isolated frame of the range be held; what lies beyond it is to be given back."""
    zone = zone_of(mem)
    block = first_fresh_of(mem)
    while block != NONE:
        after, order = next_target_of(mem, block), target_order_of(mem, block)
        for p in range(block, block + (1 << order)):
            if first <= p < end:
                hold_page(zone, p, UNMOVABLE)
            else:
                push_back(mem, p, 0)
        block = after
    set_first_fresh(mem, NONE)
    set_last_fresh(mem, NONE)


@kernel
def rest(mem: CompactionMemory) -> int:
    """Kswapd falls asleep: what was passed over is looked at again, once a run has met its end."""
    if not remembers_of(mem):
        return UNSUPPORTED
    if flush_of(mem):
        set_flush(mem, 0)
        forget_skips(mem)
        forget_positions(mem)
    return 0


@kernel
def perform_on_blocks(mem: CompactionMemory, rows: Words, at: int) -> int:
    """Serve a request that is about one block."""
    verb, cpu = word_at(rows, at + COLUMN_VERB), word_at(rows, at + COLUMN_CPU)
    order, pfn = word_at(rows, at + COLUMN_ORDER), word_at(rows, at + COLUMN_PFN)
    if verb == FREE:
        irq = IRQ if word_at(rows, at + COLUMN_FLAGS) & FROM_IRQ else 0
        return free_held(mem, pfn, order, cpu << CPU_SHIFT | irq)
    if verb == PIN:
        return get_page(zone_of(mem), pfn)
    if verb == UNPIN:
        return unpin(mem, cpu, pfn)
    return stray(mem, pfn, order)


@kernel
def perform_row(mem: CompactionMemory, rows: Words, at: int) -> int:
    """Serve the request of the row that begins at a word: its outcome."""
    verb, cpu = word_at(rows, at + COLUMN_VERB), word_at(rows, at + COLUMN_CPU)
    order, mt = word_at(rows, at + COLUMN_ORDER), word_at(rows, at + COLUMN_TYPE)
    flags = word_at(rows, at + COLUMN_FLAGS)
    zone = zone_of(mem)
    set_nr_moves(mem, 0)
    set_visited(mem, 0)
    by = cpu
    if counting_of(zone) & COUNTS_IN_CELLS:
        by = one_that_runs(zone, cpu)
        work_on(zone, by)
    if verb == ALLOC:
        return declare(mem, allocate(mem, order, mt, cpu), order, mt, flags)
    if verb <= STRAY:
        return perform_on_blocks(mem, rows, at)
    if verb == COMPACT:
        return compact(mem, cpu, order, mt, flags)
    if verb == DIRECT:
        return direct(mem, cpu, order, mt, flags)
    if verb == BACKGROUND:
        return background(mem, cpu, order, mt, flags)
    if verb == CLAIM:
        return claim(mem, cpu, word_at(rows, at + COLUMN_PFN), word_at(rows, at + COLUMN_PAGES))
    if verb == DRAIN_ALL:
        return drain_zone(mem, by)
    return rest(mem)


@kernel
def perform_rows(mem: CompactionMemory, rows: Words, count: int) -> None:
    """Serve the requests of the first rows in their order, and write their results."""
    for number in range(count):
        at = number * COLUMNS
        set_word(rows, at + COLUMN_RESULT, perform_row(mem, rows, at))
