"""A random stream of requests, drawn and served in compiled code.

The stream knows which blocks it holds, draws orders by weight, and moves through phases that fill
the zone to the last block or empty it again. Now and then it asks for something illegal. What it
asked and what came of it goes into rows that a spec can replay. Its state is one buffer: batches
chain, and the same seed gives the same rows in both forms of the kernels.
"""

from collections.abc import Sequence

from pageimpl.jitcache import kernel
from pageimpl.memory import (
    HELD,
    NEVER,
    ORDER_BITS,
    Memory,
    Words,
    end_of,
    first_of,
    free_pages_of,
    owner_of,
    set_word,
    shift_of,
    top_of,
    word_at,
)
from pageimpl.migratetype import TYPES
from pageimpl.ops import perform
from pageimpl.verbs import (
    ALLOC,
    ATOMIC,
    COMPOUND_WANTED,
    FORCE,
    FREE,
    GET,
    NOFRAGMENT,
    VERBS,
    WANTED_SHIFT,
)
from pagespec.types import MAX_TOP
from pagespec.verbs import Op, Outcome

# The columns of a row: what was asked, in the numbers of `verbs`, and the result. Where a verb
# takes no order, pfn, want or count of frames, it is 0.
COLUMN_VERB = 0
COLUMN_ORDER = 1
COLUMN_PFN = 2
COLUMN_WANT = 3
COLUMN_PAGES = 4
COLUMN_RESULT = 5
COLUMNS = 6

# Words of the state: the generator, the phase, the odds in 1024ths, the request being served, and
# the table of live blocks, each as its pfn above four bits of order.
LOW = 0
HIGH = 1
PHASE_LEFT = 2
PHASE_TARGET = 3
ODDS_ILLEGAL = 4
ODDS_REFERENCE = 5
ODDS_COMPOUND = 6
LAST_FREED = 7
PAGES = 8
LIVE = 9
CAPACITY = 10
VERB = 11
ORDER = 12
PFN = 13
WANT = 14
COUNT = 15
WEIGHTS = 16
TABLE = 32

MASK32 = 0xFFFFFFFF


@kernel
def draw(state: Words) -> int:
    """The next 32 random bits (xoroshiro64*). Every intermediate value fits 64 bits."""
    low = word_at(state, LOW)
    high = word_at(state, HIGH) ^ low
    set_word(state, LOW, ((low << 26 | low >> 6) ^ high ^ high << 9) & MASK32)
    set_word(state, HIGH, (high << 13 | high >> 19) & MASK32)
    return low * 0x9E3779BB & MASK32


@kernel
def draw_below(state: Words, bound: int) -> int:
    """A random number from 0 to bound - 1, for bounds up to 2**31."""
    return draw(state) * bound >> 32


@kernel
def draw_order(state: Words) -> int:
    """An order by weight. The state holds running sums of weights; the last is the total."""
    drawn = draw_below(state, word_at(state, WEIGHTS + MAX_TOP))
    order = 0
    while word_at(state, WEIGHTS + order) <= drawn:
        order += 1
    return order


@kernel
def remember(state: Words, pfn: int, order: int) -> None:
    """Add a block to the table; a faulty allocator that gives out too many is not followed."""
    live = word_at(state, LIVE)
    if live < word_at(state, CAPACITY):
        set_word(state, TABLE + live, pfn << 4 | order)
        set_word(state, LIVE, live + 1)


@kernel
def review(mem: Memory, state: Words, entry: int) -> None:
    """Bring a table entry in step with its frame's owner byte after a request."""
    block = word_at(state, TABLE + entry)
    owner = owner_of(mem, (block >> 4) + shift_of(mem))
    if owner >= HELD:
        set_word(state, TABLE + entry, block & ~ORDER_BITS | owner & ORDER_BITS)
        return
    set_word(state, LAST_FREED, block)
    last = word_at(state, LIVE) - 1
    set_word(state, TABLE + entry, word_at(state, TABLE + last))
    set_word(state, LIVE, last)


@kernel
def next_phase(state: Words) -> None:
    """Choose how many frames shall be free, from none to all, and for how many requests."""
    pages = word_at(state, PAGES)
    set_word(state, PHASE_TARGET, pages * (draw(state) % 5) >> 2)
    set_word(state, PHASE_LEFT, 16 + draw_below(state, 2 * pages))


@kernel
def choose_illegal(mem: Memory, state: Words) -> int:
    """A request that must be refused, about a stranger or a block we know well; see `choose`."""
    first, end = first_of(mem), end_of(mem)
    kind = draw(state) & 3
    live = word_at(state, LIVE)
    if kind == 0 or (kind != 3 and live == 0):
        pfn = first - shift_of(mem) - 2 + draw_below(state, end - first + 4)
        order = draw_below(state, top_of(mem) + 3) - 1
    else:
        block = word_at(state, LAST_FREED)
        if kind != 3:
            block = word_at(state, TABLE + draw_below(state, live))
        pfn = block >> 4
        order = block & ORDER_BITS
        if kind == 2 and order > 0:
            pfn += 1 + draw_below(state, (1 << order) - 1)
            order = 0
    p = pfn + shift_of(mem)
    owner = owner_of(mem, p) if first <= p < end else NEVER
    verb = FREE
    if owner < HELD:
        verb += draw(state) % 3
        if verb != FREE:
            order = 0
    elif owner & ORDER_BITS == order:
        order += 1
    set_word(state, VERB, verb)
    set_word(state, ORDER, order)
    set_word(state, PFN, pfn)
    return -1


@kernel
def choose(mem: Memory, state: Words) -> int:
    """Choose the next verb, order and pfn; return the table entry that they are about, or -1.

    While more frames are free than the phase wants, seven of eight requests allocate; else seven
    of eight free.
    """
    left = word_at(state, PHASE_LEFT)
    if left == 0:
        next_phase(state)
    else:
        set_word(state, PHASE_LEFT, left - 1)
    dice = (draw(state) & 1023) - word_at(state, ODDS_ILLEGAL)
    if dice < 0:
        return choose_illegal(mem, state)
    dice -= word_at(state, ODDS_REFERENCE)
    live = word_at(state, LIVE)
    fill = free_pages_of(mem) > word_at(state, PHASE_TARGET)
    if draw(state) & 7 == 0:
        fill = not fill
    if live == 0 or (fill and dice >= 0):
        compound = (draw(state) & 1023) < word_at(state, ODDS_COMPOUND)
        set_word(state, VERB, ALLOC)
        set_word(state, WANT, COMPOUND_WANTED if compound else 0)
        set_word(state, ORDER, draw_order(state))
        set_word(state, PFN, 0)
        return -1
    entry = draw_below(state, live)
    block = word_at(state, TABLE + entry)
    set_word(state, VERB, FREE if dice >= 0 else GET + (dice & 1))
    set_word(state, ORDER, block & ORDER_BITS if dice >= 0 else 0)
    set_word(state, PFN, block >> 4)
    return entry


@kernel
def run_stream(mem: Memory, state: Words, count: int, out: Words) -> None:
    """Draw and serve that many requests, and write a row for each."""
    for at in range(0, count * COLUMNS, COLUMNS):
        set_word(state, WANT, 0)
        set_word(state, COUNT, 0)
        entry = choose(mem, state)
        verb, order, pfn = word_at(state, VERB), word_at(state, ORDER), word_at(state, PFN)
        want, pages = word_at(state, WANT), word_at(state, COUNT)
        result = perform(mem, verb, order, pfn, want, pages)
        set_word(out, at + COLUMN_VERB, verb)
        set_word(out, at + COLUMN_ORDER, order)
        set_word(out, at + COLUMN_PFN, pfn)
        set_word(out, at + COLUMN_WANT, want)
        set_word(out, at + COLUMN_PAGES, pages)
        set_word(out, at + COLUMN_RESULT, result)
        if entry >= 0:
            review(mem, state, entry)
        elif verb == ALLOC and result >= 0:
            remember(state, result, order)


def op_of(row: Sequence[int]) -> tuple[Op, Outcome]:
    """The request of a row, and what the twin answered."""
    verb, order, pfn, want, pages, result = row
    op = Op(
        verb=VERBS[verb],
        order=order,
        pfn=pfn,
        compound=want & COMPOUND_WANTED != 0,
        mt=TYPES[want >> WANTED_SHIFT],
        atomic=want & ATOMIC != 0,
        nofragment=want & NOFRAGMENT != 0,
        pages=pages,
        force=want & FORCE != 0,
    )
    return op, result
