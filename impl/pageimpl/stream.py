"""A random stream of requests, drawn and served in compiled code.

The stream knows which blocks it holds, draws orders by weight, and moves through phases that fill
the zone to the last block or empty it again. Now and then it asks for something illegal. What it
asked and what came of it goes into rows that a spec can replay.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from pageimpl.dice import (
    COUNT,
    LAST_FREED,
    LIVE,
    ODDS_ATOMIC,
    ODDS_COMPOUND,
    ODDS_EMERGENCY,
    ODDS_ILLEGAL,
    ODDS_LISTED,
    ODDS_NOFRAGMENT,
    ODDS_REFERENCE,
    ODDS_SPLIT,
    ODDS_TYPED,
    ORDER,
    PAGES,
    PFN,
    PHASE_LEFT,
    PHASE_TARGET,
    PLACE,
    TABLE,
    VERB,
    WANT,
    ask,
    draw,
    draw_below,
    draw_order,
    remember,
    remember_pages,
    review,
)
from pageimpl.jitcache import kernel
from pageimpl.listed import choose_bulk, choose_listed, draw_where, follow_listed
from pageimpl.memory import (
    HELD,
    NEVER,
    ORDER_BITS,
    Memory,
    Words,
    cpus_of,
    end_of,
    first_of,
    free_pages_of,
    isolation_order_of,
    marked_of,
    owner_of,
    set_word,
    shift_of,
    top_of,
    word_at,
)
from pageimpl.migratetype import MOVABLE, RECLAIMABLE, RESERVE, TYPES, UNMOVABLE
from pageimpl.ops import perform
from pageimpl.pageblock import has_pageblocks
from pageimpl.ranges import choose_typed, follow_place, track_place
from pageimpl.verbs import (
    ALLOC,
    ATOMIC,
    BULK,
    COLD,
    COMPOUND_WANTED,
    CONTENDED,
    CONTIG,
    CPU_BITS,
    CPU_SHIFT,
    DRAIN,
    EMERGENCY,
    FORCE,
    FREE,
    GET,
    HEAL,
    IRQ,
    NOFRAGMENT,
    POISON,
    PUT,
    REFRESH,
    RESTORE_RANGE,
    SPLIT,
    UNRESERVE,
    VERBS,
    WANTED_SHIFT,
)
from pagespec.machine import MAX_SLOTS
from pagespec.migratetype import MigrateType
from pagespec.types import NO_MEMORY
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

DRAWN_TYPES = (MOVABLE, MOVABLE, UNMOVABLE, RECLAIMABLE)


@kernel
def next_phase(state: Words) -> None:
    """Choose how many frames shall be free, from none to all, and for how many requests.

    None is chosen twice as often as any other number: most happens when memory is short.
    """
    pages = word_at(state, PAGES)
    set_word(state, PHASE_TARGET, pages * max(0, draw(state) % 6 - 1) >> 2)
    set_word(state, PHASE_LEFT, 16 + draw_below(state, 2 * pages))


@kernel
def draw_want(mem: Memory, state: Words) -> int:
    """What an allocation asks for besides its order, and where it comes from.

    Only with pageblocks, lists or marks is there much to ask.
    """
    bits = draw(state)
    want = COMPOUND_WANTED if bits & 1023 < word_at(state, ODDS_COMPOUND) else 0
    grouped, marked = has_pageblocks(mem), marked_of(mem) != 0
    if (grouped or marked) and bits >> 10 & 1023 < word_at(state, ODDS_ATOMIC):
        want |= ATOMIC
    if grouped:
        if bits >> 20 & 1023 < word_at(state, ODDS_NOFRAGMENT):
            want |= NOFRAGMENT
        want |= DRAWN_TYPES[bits >> 30] << WANTED_SHIFT
    if marked and draw(state) & 1023 < word_at(state, ODDS_EMERGENCY):
        want |= EMERGENCY
    return want | draw_where(mem, state)


@kernel
def choose_alloc(mem: Memory, state: Words) -> int:
    """A legal allocation; see `choose`."""
    want = draw_want(mem, state)
    ask(state, ALLOC, draw_order(state), 0, want, 0)
    return -1


@kernel
def draw_stranger(mem: Memory, state: Words) -> int:
    """The number of a frame in the zone or two beside it."""
    first = first_of(mem)
    return first - shift_of(mem) - 2 + draw_below(state, end_of(mem) - first + 4)


@kernel
def choose_any(mem: Memory, state: Words) -> int:
    """A request of any verb, that makes sense by chance only; see `choose`."""
    verb = draw_below(state, REFRESH + 1)
    order = pfn = want = pages = 0
    unit = 1 << isolation_order_of(mem)
    if verb in (ALLOC, FREE, SPLIT):
        order = draw_below(state, top_of(mem) + 3) - 1
    if verb not in (ALLOC, UNRESERVE) and verb < DRAIN:
        pfn = draw_stranger(mem, state)
    if UNRESERVE < verb < DRAIN and verb not in (POISON, HEAL):
        pages = draw_below(state, 2 * unit + 1)
        if draw(state) & 1:
            pfn, pages = pfn & -unit, (pages + unit - 1) & -unit
    if verb in (ALLOC, UNRESERVE, RESTORE_RANGE, CONTIG, BULK):
        want = draw_below(state, RESERVE + 1) << WANTED_SHIFT
    if verb in (ALLOC, FREE, PUT) or verb >= DRAIN:
        want |= draw_below(state, cpus_of(mem) + 2) << CPU_SHIFT
    if verb == BULK:
        pages = draw_below(state, 4)
        choose_bulk(mem, state, want, pages if pages < 3 else MAX_SLOTS + 1)
        return -1
    ask(state, verb, order, pfn, want, pages)
    track_place(state)
    return -1


@kernel
def choose_illegal(mem: Memory, state: Words) -> int:
    """A request that must be refused, about a stranger or a block we know well; see `choose`."""
    first, end = first_of(mem), end_of(mem)
    kind = draw(state) & 3
    live = word_at(state, LIVE)
    if kind == 0 or (kind != 3 and live == 0):
        pfn = draw_stranger(mem, state)
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
    ask(state, verb, order, pfn, 0, 0)
    return -1


@kernel
def choose_rare(mem: Memory, state: Words, dice: int) -> int:
    """A split for a die below its odds, else what only some machines have.

    That is pageblocks for a die below their odds too, and CPUs with lists or marks above.
    """
    live = word_at(state, LIVE)
    dice -= word_at(state, ODDS_SPLIT)
    if dice >= 0:
        if dice < word_at(state, ODDS_TYPED):
            chosen = choose_typed(mem, state)
        else:
            chosen = choose_listed(mem, state, draw_want(mem, state) & ~COMPOUND_WANTED)
        return -1 if chosen else choose_alloc(mem, state)
    if live == 0:
        return choose_alloc(mem, state)
    entry = draw_below(state, live)
    block = word_at(state, TABLE + entry)
    ask(state, SPLIT, block & ORDER_BITS, block >> 4, 0, 0)
    return entry


@kernel
def choose(mem: Memory, state: Words) -> int:
    """Choose the next request; return the entry of the block that it is about, or -1.

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
        if dice & 1 and (has_pageblocks(mem) or cpus_of(mem) or marked_of(mem)):
            return choose_any(mem, state)
        return choose_illegal(mem, state)
    rare = word_at(state, ODDS_SPLIT) + word_at(state, ODDS_TYPED) + word_at(state, ODDS_LISTED)
    if dice < rare:
        return choose_rare(mem, state, dice)
    dice -= rare + word_at(state, ODDS_REFERENCE)
    live = word_at(state, LIVE)
    fill = free_pages_of(mem) > word_at(state, PHASE_TARGET)
    if draw(state) & 7 == 0:
        fill = not fill
    if live == 0 or (fill and dice >= 0):
        return choose_alloc(mem, state)
    entry = draw_below(state, live)
    block = word_at(state, TABLE + entry)
    if dice >= 0:
        ask(state, FREE, block & ORDER_BITS, block >> 4, draw_where(mem, state), 0)
    elif dice & 1:
        ask(state, PUT, 0, block >> 4, draw_where(mem, state), 0)
    else:
        ask(state, GET, 0, block >> 4, 0, 0)
    return entry


@kernel
def follow(mem: Memory, state: Words, entry: int, result: int) -> None:
    """Keep the stream's tables in step with what came of the request."""
    if entry >= 0:
        review(mem, state, entry)
    verb = word_at(state, VERB)
    if verb == ALLOC:
        if result >= 0:
            remember(state, result, word_at(state, ORDER))
        elif result == NO_MEMORY and marked_of(mem) and draw(state) & 3:
            # Below its mark a zone fails again and again: now what is held has its turn.
            set_word(state, PHASE_TARGET, max(word_at(state, PHASE_TARGET), free_pages_of(mem)))
    elif verb >= DRAIN:
        follow_listed(mem, state, result)
    elif verb >= SPLIT:
        if verb == SPLIT and result == 0:
            remember_pages(state, word_at(state, PFN) + 1, (1 << word_at(state, ORDER)) - 1)
        elif verb == CONTIG and result >= 0:
            remember_pages(state, result, word_at(state, COUNT))
        elif word_at(state, PLACE) >= 0:
            follow_place(state, result)


@kernel
def run_stream(mem: Memory, state: Words, count: int, out: Words) -> None:
    """Draw and serve that many requests, and write a row for each."""
    for at in range(0, count * COLUMNS, COLUMNS):
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
        follow(mem, state, entry, result)


class Wanted(NamedTuple):
    """What a want says, in the words of a request."""

    compound: bool
    mt: MigrateType
    atomic: bool
    nofragment: bool
    force: bool
    emergency: bool
    cpu: int
    irq: bool
    contended: bool
    cold: bool


@cache
def wanted_of(want: int) -> Wanted:
    """The words of a want; a stream has a few hundred wants, over and over."""
    return Wanted(
        compound=want & COMPOUND_WANTED != 0,
        mt=TYPES[want >> WANTED_SHIFT],
        atomic=want & ATOMIC != 0,
        nofragment=want & NOFRAGMENT != 0,
        force=want & FORCE != 0,
        emergency=want & EMERGENCY != 0,
        cpu=want >> CPU_SHIFT & CPU_BITS,
        irq=want & IRQ != 0,
        contended=want & CONTENDED != 0,
        cold=want & COLD != 0,
    )


def op_of(row: Sequence[int]) -> tuple[Op, Outcome]:
    """The request of a row, and what the twin answered."""
    verb, order, pfn, want, pages, result = row
    compound, mt, atomic, nofragment, force, emergency, cpu, irq, contended, cold = wanted_of(want)
    op = Op(
        VERBS[verb],
        order,
        pfn,
        compound,
        mt,
        atomic,
        nofragment,
        pages,
        force,
        emergency,
        cpu,
        irq,
        contended,
        cold,
    )
    return op, result
