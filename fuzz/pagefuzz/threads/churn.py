"""What a thread does to a shared zone, as a kernel: random requests, or a few that are stamped.

All of it stands in one file: numba looks at one file's text to know whether what it has compiled is
stale. `drivers` makes the same for kernels that are not the installed ones.
"""

from pagefuzz.threads.yielding import give_way
from pageimpl.alloc import alloc_pages, free_pages, get_page, put_page, split_page
from pageimpl.atomics import pause
from pageimpl.bulk import alloc_pages_bulk
from pageimpl.dice import draw, draw_below
from pageimpl.jitcache import kernel
from pageimpl.memory import (
    Memory,
    Words,
    add_word,
    frame_in_array_of,
    set_word,
    shift_of,
    word_at,
)
from pageimpl.pcp.cpus import age, drain_cpu, drain_every_cpu, expire, refresh
from pageimpl.verbs import (
    AGE,
    ALLOC,
    ATOMIC,
    BULK,
    COLD,
    COMPOUND_WANTED,
    CONTENDED,
    CPU_BITS,
    CPU_SHIFT,
    DRAIN,
    DRAIN_ALL,
    EXPIRE,
    FREE,
    GET,
    IRQ,
    PUT,
    REFRESH,
    REST,
    SPLIT,
    WANTED_SHIFT,
)
from pageimpl.zonelist import rest
from pagespec.types import NO_MEMORY

# A thread's words: the generator's two, who it is, and what of the zone it needs to know.
ME = 2
CPU = 3
START = 4
PAGES = 5

# Its odds, in 1024ths, and what it draws from: the largest order, how many types, how many blocks
# it may hold, the slots of its bulk requests (0 for none), and the blocks that all share.
TOP = 6
TYPES_ASKED = 7
ENTRIES = 8
MOST_SLOTS = 9
SHARED_BLOCKS = 10
ODDS_REFERENCE = 11
ODDS_SPLIT = 12
ODDS_RARE = 13
ODDS_COMPOUND = 14
ODDS_ATOMIC = 15
ODDS_IRQ = 16
ODDS_CONTENDED = 17
ODDS_COLD = 18

# What it has done: requests served, frames given to it and back, requests that failed. The frame
# that it was given although somebody has it, plus one; the verb whose outcome no legal request has,
# plus one, and that outcome. Then the slots that its last bulk request filled, how many threads
# there are, and how often they have begun together.
SERVED = 19
GIVEN = 20
RETURNED = 21
FAILED = 22
CLASH = 23
ODD_VERB = 24
ODD_OUTCOME = 25
FILLED = 26
TEAM = 27
TURN = 28

# The latest requests, the heads of shared blocks, and the blocks that are held: each as its frame
# plus one, above five bits: four of order, and whether it is compound.
RING = 32
RING_ENTRIES = 64
RING_WORDS = 5
SHARED = RING + RING_ENTRIES * RING_WORDS
MOST_SHARED = 4
TABLE = SHARED + MOST_SHARED
MOST_HELD = 512
WORDS = TABLE + MOST_HELD

# Stamped requests, a row each: the request, whose block it is about (the number of the same
# thread's allocation, or NOBODYS and down for those that all share), and then what came of it.
VERB = 0
ORDER = 1
BLOCK = 2
WANT = 3
OUTCOME = 4
INVOKED = 5
RETURNED_AT = 6
LIVE = 7
COLUMNS = 8
NOBODYS = -2
PASSED_OVER = -1000
"""The outcome of a request about a block whose allocation had failed: it was never put."""

PATIENCE = 4096
"""Looks after which a thread that waits for others gives way."""

CLOCK = 0
ARRIVED = 8
CLOCK_WORDS = 16


@kernel
def serve(mem: Memory, verb: int, order: int, pfn: int, want: int, pages: int) -> int:
    """Serve one of the requests that threads put.

    Not by `ops.perform`, which says who is at work before the zone's lock is had.
    """
    cpu = want >> CPU_SHIFT & CPU_BITS
    if verb == ALLOC:
        return alloc_pages(mem, order, want)
    if verb == FREE:
        return free_pages(mem, pfn, order, want)
    if verb == GET:
        return get_page(mem, pfn)
    if verb == PUT:
        return put_page(mem, pfn, want)
    if verb == SPLIT:
        return split_page(mem, pfn, order)
    if verb == BULK:
        return alloc_pages_bulk(mem, pages, want)
    if verb == DRAIN:
        return drain_cpu(mem, cpu)
    if verb == DRAIN_ALL:
        return drain_every_cpu(mem, cpu)
    if verb == AGE:
        return age(mem, cpu)
    if verb == EXPIRE:
        return expire(mem, cpu)
    if verb == REFRESH:
        return refresh(mem, cpu)
    return rest(mem, cpu)


@kernel
def put(mem: Memory, state: Words, verb: int, order: int, pfn: int, want: int, pages: int) -> int:
    """Put a request of this thread, and keep it among the latest."""
    at = RING + word_at(state, SERVED) % RING_ENTRIES * RING_WORDS
    set_word(state, at, verb)
    set_word(state, at + 1, order)
    set_word(state, at + 2, pfn)
    set_word(state, at + 3, want)
    outcome = serve(mem, verb, order, pfn, want, pages)
    set_word(state, at + 4, outcome)
    set_word(state, SERVED, word_at(state, SERVED) + 1)
    return outcome


@kernel
def claim(state: Words, owners: Words, pfn: int, pages: int) -> None:
    """Enter frames as this thread's, that must be nobody's."""
    first = pfn - word_at(state, START)
    if first < 0 or first + pages > word_at(state, PAGES):
        set_word(state, CLASH, pfn + 1)
        return
    for frame in range(first, first + pages):
        if word_at(owners, frame) != 0:
            set_word(state, CLASH, frame + word_at(state, START) + 1)
        set_word(owners, frame, word_at(state, ME))
    set_word(state, GIVEN, word_at(state, GIVEN) + pages)


@kernel
def disclaim(state: Words, owners: Words, pfn: int, pages: int) -> None:
    """Enter frames as nobody's, that must be this thread's, before they are given back."""
    first = pfn - word_at(state, START)
    for frame in range(first, first + pages):
        if word_at(owners, frame) != word_at(state, ME):
            set_word(state, CLASH, frame + word_at(state, START) + 1)
        set_word(owners, frame, 0)
    set_word(state, RETURNED, word_at(state, RETURNED) + pages)


@kernel
def expect(state: Words, verb: int, outcome: int, due: int) -> None:
    """Note the first outcome that is not the only one which the request may have."""
    if outcome != due and word_at(state, ODD_VERB) == 0:
        set_word(state, ODD_VERB, verb + 1)
        set_word(state, ODD_OUTCOME, outcome)


@kernel
def allocate(mem: Memory, state: Words, owners: Words, at: int, want: int) -> None:
    """Ask for a block of a random order, each half as likely as the one below."""
    order, bits = 0, draw(state)
    while bits & 1 and order < word_at(state, TOP):
        order += 1
        bits >>= 1
    compound = 1 if draw(state) & 1023 < word_at(state, ODDS_COMPOUND) else 0
    pfn = put(mem, state, ALLOC, order, 0, want | COMPOUND_WANTED * compound, 0)
    if pfn >= 0:
        claim(state, owners, pfn, 1 << order)
        set_word(state, at, pfn + 1 << 5 | compound << 4 | order)
        return
    set_word(state, FAILED, word_at(state, FAILED) + 1)
    expect(state, ALLOC, pfn, NO_MEMORY)


@kernel
def give_back(mem: Memory, state: Words, owners: Words, at: int, want: int) -> None:
    """Free a block that is held: as it is, frame by frame, or by its references."""
    held = word_at(state, at)
    order, compound, pfn = held & 15, held >> 4 & 1, (held >> 5) - 1
    set_word(state, at, 0)
    disclaim(state, owners, pfn, 1 << order)
    dice = draw(state)
    if compound == 0 and dice & 1023 < word_at(state, ODDS_SPLIT):
        expect(state, SPLIT, put(mem, state, SPLIT, order, pfn, 0, 0), 0)
        for page in range(pfn, pfn + (1 << order)):
            expect(state, FREE, put(mem, state, FREE, 0, page, want, 0), 0)
        return
    if dice >> 10 & 1023 < word_at(state, ODDS_REFERENCE):
        expect(state, GET, put(mem, state, GET, 0, pfn, 0, 0), 0)
        expect(state, FREE, put(mem, state, FREE, order, pfn, want, 0), 0)
        expect(state, PUT, put(mem, state, PUT, 0, pfn, want, 0), 0)
        return
    expect(state, FREE, put(mem, state, FREE, order, pfn, want, 0), 0)


@kernel
def fill_or_empty(mem: Memory, state: Words, owners: Words, want: int) -> None:
    """Fill slots of the array in one request, or give back all that the last one filled."""
    slots = word_at(state, FILLED)
    if slots == 0:
        slots = 1 + draw_below(state, word_at(state, MOST_SLOTS))
        got = put(mem, state, BULK, 0, 0, want, slots)
        if got < 0 or got > slots:
            expect(state, BULK, got, 0)
        set_word(state, FILLED, slots)
        for slot in range(slots):
            p = frame_in_array_of(mem, slot)
            if p != 0:
                claim(state, owners, p - shift_of(mem), 1)
        return
    set_word(state, FILLED, 0)
    for slot in range(slots):
        p = frame_in_array_of(mem, slot)
        if p != 0:
            disclaim(state, owners, p - shift_of(mem), 1)
            expect(state, FREE, put(mem, state, FREE, 0, p - shift_of(mem), want, 0), 0)


@kernel
def draw_want(state: Words) -> int:
    """Who asks, for which type, and how."""
    want = word_at(state, CPU) << CPU_SHIFT
    want |= draw_below(state, word_at(state, TYPES_ASKED)) << WANTED_SHIFT
    dice = draw(state)
    if dice & 1023 < word_at(state, ODDS_ATOMIC):
        want |= ATOMIC
    if dice >> 10 & 1023 < word_at(state, ODDS_IRQ):
        want |= IRQ
    if dice >> 20 & 1023 < word_at(state, ODDS_CONTENDED):
        want |= CONTENDED
    if draw(state) & 1023 < word_at(state, ODDS_COLD):
        want |= COLD
    return want


@kernel
def rare(dice: int) -> int:
    """A request about the CPU, all CPUs or kswapd."""
    if dice < 4:
        return DRAIN + dice if dice < 2 else AGE + dice - 2
    return REFRESH if dice < 7 else REST


@kernel
def meet(clock: Words, threads: int, turn: int) -> None:
    """Wait until so many threads have come here so many times."""
    add_word(clock, ARRIVED, 1)
    looks = 0
    while word_at(clock, ARRIVED) < threads * turn:
        pause()
        looks += 1
        if looks > PATIENCE:
            give_way()


@kernel
def begin(state: Words, clock: Words) -> None:
    """Begin together with the others."""
    set_word(state, TURN, word_at(state, TURN) + 1)
    meet(clock, word_at(state, TEAM), word_at(state, TURN))


@kernel
def churn(mem: Memory, state: Words, owners: Words, clock: Words, steps: int) -> None:
    """Put random requests for so many turns, or until one gets what it may not get."""
    begin(state, clock)
    for _ in range(steps):
        if word_at(state, CLASH) != 0 or word_at(state, ODD_VERB) != 0:
            return
        want = draw_want(state)
        dice = draw(state)
        at = TABLE + draw_below(state, word_at(state, ENTRIES))
        if dice & 1023 < word_at(state, ODDS_RARE):
            # What the era does not have it refuses, and that changes nothing.
            put(mem, state, rare(dice >> 10 & 7), 0, 0, want, 0)
        elif word_at(state, SHARED_BLOCKS) != 0 and dice >> 20 & 7 == 0:
            pfn = word_at(state, SHARED + draw_below(state, word_at(state, SHARED_BLOCKS)))
            expect(state, GET, put(mem, state, GET, 0, pfn, 0, 0), 0)
            expect(state, PUT, put(mem, state, PUT, 0, pfn, want, 0), 0)
        elif word_at(state, MOST_SLOTS) != 0 and dice >> 20 & 31 == 9:
            fill_or_empty(mem, state, owners, want)
        elif word_at(state, at) != 0:
            give_back(mem, state, owners, at, want)
        else:
            allocate(mem, state, owners, at, want)


@kernel
def release_all(mem: Memory, state: Words, owners: Words, clock: Words) -> None:
    """Give back all that the thread holds, and drain the lists of its CPU."""
    begin(state, clock)
    want = word_at(state, CPU) << CPU_SHIFT
    if word_at(state, FILLED) != 0:
        fill_or_empty(mem, state, owners, want)
    for at in range(TABLE, TABLE + MOST_HELD):
        if word_at(state, at) != 0:
            give_back(mem, state, owners, at, want)
    put(mem, state, DRAIN, 0, 0, want, 0)


@kernel
def trials(
    mem: Memory, rows: Words, clock: Words, threads: int, calls: int, count: int, cpu: int
) -> None:
    """Put so many requests at the same time as the other threads, stamped; again and again.

    In between everybody gives back what he holds, and drains the lists of his CPU.
    """
    for trial in range(count):
        first = trial * calls * COLUMNS
        meet(clock, threads, 2 * trial + 1)
        for at in range(first, first + calls * COLUMNS, COLUMNS):
            put_stamped(mem, rows, clock, first, at)
        meet(clock, threads, 2 * trial + 2)
        for at in range(first, first + calls * COLUMNS, COLUMNS):
            release(mem, rows, at)
        serve(mem, DRAIN, 0, 0, cpu << CPU_SHIFT, 0)


@kernel
def put_stamped(mem: Memory, rows: Words, clock: Words, first: int, at: int) -> None:
    """Put the request of a row, and write when, and what came of it."""
    verb, block = word_at(rows, at + VERB), word_at(rows, at + BLOCK)
    pfn = 0
    if block <= NOBODYS:
        pfn = NOBODYS - block
    elif block >= 0:
        pfn = word_at(rows, first + block * COLUMNS + LIVE) - 1
        if pfn < 0:
            set_word(rows, at + OUTCOME, PASSED_OVER)
            return
    order, want = word_at(rows, at + ORDER), word_at(rows, at + WANT)
    set_word(rows, at + INVOKED, add_word(clock, CLOCK, 1))
    outcome = serve(mem, verb, order, pfn, want, 0)
    set_word(rows, at + RETURNED_AT, add_word(clock, CLOCK, 1))
    set_word(rows, at + OUTCOME, outcome)
    if verb == ALLOC and outcome >= 0:
        set_word(rows, at + LIVE, outcome + 1)
    if verb == FREE:
        set_word(rows, first + block * COLUMNS + LIVE, 0)
    if verb == SPLIT:
        # Its frames are blocks of their own from now on.
        set_word(rows, first + block * COLUMNS + ORDER, ~order)


@kernel
def release(mem: Memory, rows: Words, at: int) -> None:
    """Give back the block of a row, if it is still held."""
    pfn, order, want = (
        word_at(rows, at + LIVE) - 1,
        word_at(rows, at + ORDER),
        word_at(rows, at + WANT),
    )
    if word_at(rows, at + VERB) != ALLOC or pfn < 0:
        return
    if order >= 0:
        serve(mem, FREE, order, pfn, want, 0)
        return
    for page in range(pfn, pfn + (1 << ~order)):
        serve(mem, FREE, 0, page, want, 0)
