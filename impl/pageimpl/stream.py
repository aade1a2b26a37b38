"""A random stream of requests, drawn and served in compiled code.

The stream knows which blocks it holds, draws orders by weight, and moves through phases that fill
the zone to the last block or empty it again. Now and then it asks for something illegal. What it
asked and what came of it goes into rows that a spec can replay. Its state is one buffer: batches
chain, and the same seed gives the same rows in both forms of the kernels.
"""

from pageimpl.alloc import alloc_pages, free_pages, get_page, put_page
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    HELD,
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

# Verbs, in the first column of a row; then order, pfn and result. GET and PUT have order 0, ALLOC
# has pfn 0.
ALLOC = 0
ALLOC_COMPOUND = 1
FREE = 2
GET = 3
PUT = 4
COLUMNS = 4

# Words of the state: the generator, the phase, the odds in 1024ths, and the table of live blocks.
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
    drawn = draw_below(state, word_at(state, WEIGHTS + 15))
    order = 0
    while word_at(state, WEIGHTS + order) <= drawn:
        order += 1
    return order


@kernel
def perform(mem: Memory, verb: int, order: int, pfn: int) -> int:
    """Serve one request."""
    if verb <= ALLOC_COMPOUND:
        return alloc_pages(mem, order, verb)
    if verb == FREE:
        return free_pages(mem, pfn, order)
    if verb == GET:
        return get_page(mem, pfn)
    return put_page(mem, pfn)


@kernel
def remember(state: Words, pfn: int, order: int) -> None:
    """Add a block to the table; a faulty allocator that gives out too many is not followed."""
    live = word_at(state, LIVE)
    if live < word_at(state, CAPACITY):
        set_word(state, TABLE + live, pfn << 4 | order)
        set_word(state, LIVE, live + 1)


@kernel
def review(mem: Memory, state: Words, entry: int, pfn: int) -> None:
    """Bring a table entry in step with its frame's owner byte after a request."""
    owner = owner_of(mem, pfn + shift_of(mem))
    if owner >= HELD:
        set_word(state, TABLE + entry, pfn << 4 | owner & ORDER_BITS)
        return
    set_word(state, LAST_FREED, word_at(state, TABLE + entry))
    last = word_at(state, LIVE) - 1
    set_word(state, TABLE + entry, word_at(state, TABLE + last))
    set_word(state, LIVE, last)


@kernel
def next_phase(state: Words) -> None:
    """Choose how many frames shall be free, from none to all, and for how many requests."""
    pages = word_at(state, PAGES)
    quarters = draw_below(state, 5)
    set_word(state, PHASE_TARGET, pages * quarters >> 2)
    set_word(state, PHASE_LEFT, 16 + draw_below(state, 2 * pages))


@kernel
def record(out: Words, row: int, verb: int, order: int, pfn: int, result: int) -> None:
    """Write a row."""
    at = row * COLUMNS
    set_word(out, at, verb)
    set_word(out, at + 1, order)
    set_word(out, at + 2, pfn)
    set_word(out, at + 3, result)


@kernel
def step_illegal(mem: Memory, state: Words, out: Words, row: int) -> None:
    """Ask for something that must be refused: about a stranger, or about a block we know well."""
    first, end = first_of(mem), end_of(mem)
    kind = draw_below(state, 4)
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
    owner = owner_of(mem, p) if first <= p < end else 0
    verb = FREE
    if owner < HELD:
        verb += draw_below(state, 3)
        if verb != FREE:
            order = 0
    elif owner & ORDER_BITS == order:
        order += 1
    record(out, row, verb, order, pfn, perform(mem, verb, order, pfn))


@kernel
def step_live(mem: Memory, state: Words, out: Words, row: int, verb: int) -> None:
    """Free a random live block, or take or drop a reference to it."""
    entry = draw_below(state, word_at(state, LIVE))
    block = word_at(state, TABLE + entry)
    pfn = block >> 4
    order = block & ORDER_BITS if verb == FREE else 0
    result = perform(mem, verb, order, pfn)
    record(out, row, verb, order, pfn, result)
    review(mem, state, entry, pfn)


@kernel
def step_alloc(mem: Memory, state: Words, out: Words, row: int) -> None:
    """Ask for a block."""
    order = draw_order(state)
    verb = ALLOC
    if draw_below(state, 1024) < word_at(state, ODDS_COMPOUND):
        verb = ALLOC_COMPOUND
    result = perform(mem, verb, order, 0)
    record(out, row, verb, order, 0, result)
    if result >= 0:
        remember(state, result, order)


@kernel
def run_stream(mem: Memory, state: Words, count: int, out: Words) -> None:
    """Draw and serve that many requests, and write a row for each.

    While more frames are free than the phase wants, seven of eight requests allocate; else seven
    of eight free.
    """
    for row in range(count):
        left = word_at(state, PHASE_LEFT)
        if left == 0:
            next_phase(state)
        else:
            set_word(state, PHASE_LEFT, left - 1)
        dice = draw_below(state, 1024) - word_at(state, ODDS_ILLEGAL)
        if dice < 0:
            step_illegal(mem, state, out, row)
            continue
        dice -= word_at(state, ODDS_REFERENCE)
        fill = free_pages_of(mem) > word_at(state, PHASE_TARGET)
        if draw_below(state, 8) == 0:
            fill = not fill
        if word_at(state, LIVE) == 0 or (fill and dice >= 0):
            step_alloc(mem, state, out, row)
        elif dice >= 0:
            step_live(mem, state, out, row, FREE)
        else:
            step_live(mem, state, out, row, GET + (dice & 1))
