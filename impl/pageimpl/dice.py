"""The state of a random stream: its generator, its odds, and the blocks that it holds.

The state is one buffer of words, so that batches chain and the same seed gives the same rows in
both forms of the kernels.
"""

from pageimpl.jitcache import kernel
from pageimpl.memory import HELD, ORDER_BITS, Memory, Words, owner_of, set_word, shift_of, word_at
from pagespec.types import MAX_TOP

# The generator, the phase, and the odds in 1024ths: of requests, and of allocations.
LOW = 0
HIGH = 1
PHASE_LEFT = 2
PHASE_TARGET = 3
ODDS_ILLEGAL = 4
ODDS_REFERENCE = 5
ODDS_SPLIT = 6
ODDS_TYPED = 7
ODDS_COMPOUND = 8
ODDS_ATOMIC = 9
ODDS_NOFRAGMENT = 10
ODDS_EMERGENCY = 11
ODDS_LISTED = 12
ODDS_IRQ = 13
ODDS_CONTENDED = 14
ODDS_COLD = 15

# The zone's frames, how many blocks are held, and the one that was freed last.
PAGES = 16
LIVE = 17
LAST_FREED = 18

# The request that is being served: see the columns of `stream`. The place is the entry of the table
# of ranges or of frames that it is about, or -1.
VERB = 19
ORDER = 20
PFN = 21
WANT = 22
COUNT = 23
PLACE = 24

# A bit for each CPU that is unplugged, whether the lists keep nothing, and a bit for each slot that
# was filled before the last bulk request.
UNPLUGGED = 25
DISABLED = 26
FILLED = 27

# Ranges that are isolated or offline, each as its place, pfn and count of frames, and frames that
# are poisoned, each as its place and pfn. A place of 0 is an empty entry.
RANGES = 28
RANGE_WORDS = 3
RANGE_ENTRIES = 4
FRAMES = 40
FRAME_WORDS = 2
FRAME_ENTRIES = 4

# Running sums of the orders' weights, and the table of live blocks, each as its pfn above four bits
# of order.
WEIGHTS = 48
TABLE = WEIGHTS + MAX_TOP + 1

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
def ask(state: Words, verb: int, order: int, pfn: int, want: int, count: int) -> None:
    """Make this the request to be served, about nothing that the tables of places have."""
    set_word(state, VERB, verb)
    set_word(state, ORDER, order)
    set_word(state, PFN, pfn)
    set_word(state, WANT, want)
    set_word(state, COUNT, count)
    set_word(state, PLACE, -1)


@kernel
def remember(state: Words, pfn: int, order: int) -> None:
    """Add a block to the table; a faulty allocator that gives out too many is not followed."""
    live = word_at(state, LIVE)
    if live < word_at(state, PAGES):
        set_word(state, TABLE + live, pfn << 4 | order)
        set_word(state, LIVE, live + 1)


@kernel
def remember_pages(state: Words, pfn: int, count: int) -> None:
    """Add each frame of a run to the table, as a block of its own."""
    for page in range(pfn, pfn + count):
        remember(state, page, 0)


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
