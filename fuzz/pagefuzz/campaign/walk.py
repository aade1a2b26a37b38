"""Random requests for any allocator, on machines of every shape, in mixes that vary by walk.

Each walk draws a mix of its own and switches whole kinds of requests off (swarm testing), since an
even mix hides what needs many of one kind. Phases fill the zone to its last block and empty it
again. A walk is a pure function of its random generator and of what the allocator answers.
"""

from dataclasses import dataclass, field, replace
from random import Random

from pagefuzz.lockstep import Lockstep
from pagespec.era import ERAS, Era
from pagespec.frames import SIZES
from pagespec.laws.holdings import Book
from pagespec.machine import Machine
from pagespec.types import Block, Order, Pfn
from pagespec.verbs import Op, Verb

FUZZED_ERAS = tuple(era for era in ERAS.values() if era.bounds == "zone")
"""The eras that an allocator other than the spec can stand for: those that were released."""

BEHAVIOURS = tuple(
    tuple(era for era in FUZZED_ERAS if replace(era, name="") == behaviour)
    for behaviour in dict.fromkeys(replace(era, name="") for era in FUZZED_ERAS)
)
"""The same, with those that differ by name alone together: each behaviour is drawn as often."""


WALK_REQUESTS = 100
"""Requests of one walk: enough to fill and empty a small zone, few enough to shrink fast."""


@dataclass(slots=True)
class Mix:
    """How often each kind of request is drawn in one walk, and what the walk remembers.

    orders: weight per order. compound, references, illegal: chances of one request. filling: the
    chance that a request allocates, redrawn each phase of `phase` requests. stale: blocks that were
    freed, for requests that come too late.
    """

    orders: list[int]
    compound: float
    references: float
    illegal: float
    phase: int
    filling: float = 0.7
    drawn: int = 0
    stale: list[Block] = field(default_factory=list)


def random_machine(rng: Random, era: Era | None = None) -> Machine:
    """A machine of any shape: odd lengths, unaligned starts, holes, every top order up to 12."""
    era = era or rng.choice(rng.choice(BEHAVIOURS))
    top = rng.choice((0, 1, 2, 3, 3, 4, 4, 5, 6, 8, 10, 12))
    lengths = (rng.randint(1, 12), rng.randint(8, 40), rng.choice((16, 32, 64, 128)))
    # Now and then a zone that holds the largest block of any top, or so many that lists get long.
    pages = SIZES[max(top, 7)] + rng.randint(0, 12) if rng.random() < 0.2 else rng.choice(lengths)
    start = rng.choice((0, 0, rng.randint(1, 70), SIZES[top] * rng.randint(1, 3)))
    holes: list[tuple[Pfn, Pfn]] = []
    beyond = start
    for _ in range(rng.choice((0, 0, 1, 2)) if pages > 4 else 0):
        first = beyond + rng.randint(0, max(1, pages // 2))
        end = first + rng.choice((1, 1, 2, 3, 8))
        if end < start + pages:
            holes.append((first, end))
            beyond = end + 1
    return Machine(pages, top, era, start, tuple(holes))


def large_machine(rng: Random, era: Era) -> Machine:
    """A machine with a few blocks of order 10, so that every order is met, and a large hole."""
    start = rng.choice((0, 1, 1 << 20))
    hole = start + rng.randrange(1024)
    return Machine(3072 + rng.randrange(1024), 10, era, start, ((hole, hole + 512),))


def random_mix(rng: Random, machine: Machine, *, references: bool) -> Mix:
    """A mix for one walk, some of whose kinds are switched off."""
    top = machine.top
    shapes = (
        [1 << (top - order) for order in range(top + 1)],
        [1] * (top + 1),
        [1] + [0] * top,
        [4, 2, 1, 1][: top + 1] + [0] * (top - 3),
    )
    return Mix(
        orders=rng.choice(shapes),
        compound=rng.choice((0.0, 0.3, 1.0)) if references else 0.0,
        references=rng.choice((0.0, 0.1, 0.3)) if references else 0.0,
        illegal=rng.choice((0.0, 0.05, 0.2)),
        phase=rng.choice((8, 32, 2 * machine.pages)),
    )


def random_op(rng: Random, book: Book, mix: Mix) -> Op:
    """The next request of a walk: mostly legal, now and then not."""
    if mix.drawn % mix.phase == 0:
        mix.filling = rng.choice((0.2, 0.4, 0.6, 0.9))
    mix.drawn += 1
    dice = rng.random()
    if dice < mix.illegal:
        return _illegal_op(rng, book, mix)
    if not book.held or rng.random() < mix.filling:
        order = rng.choices(range(len(mix.orders)), mix.orders)[0]
        return Op(Verb.ALLOC, order, compound=rng.random() < mix.compound)
    pfn = rng.choice(list(book.held))
    if dice < mix.illegal + mix.references:
        return Op(rng.choice((Verb.GET, Verb.PUT)), 0, pfn)
    mix.stale.append(Block(pfn, book.held[pfn].order))
    return Op(Verb.FREE, book.held[pfn].order, pfn)


def _illegal_op(rng: Random, book: Book, mix: Mix) -> Op:
    """A request that is probably illegal: about a stranger, or about a block we know too well."""
    machine = book.machine
    kind = rng.randrange(5)
    order: Order = rng.randint(0, machine.top)
    pfn: Pfn = rng.randint(max(0, machine.start - 2), machine.end + 2)
    if kind == 0 and mix.stale:
        pfn, order = rng.choice(mix.stale)
    elif kind in (1, 2) and book.held:
        pfn = rng.choice(list(book.held))
        order = book.held[pfn].order
        if kind == 1:
            pfn += rng.randrange(SIZES[order])
            order = rng.choice((0, max(0, order - 1)))
        else:
            order += rng.choice((1, -1))
    elif kind == 3:
        return Op(Verb.ALLOC, machine.top + rng.choice((1, 2, 40)))
    order = max(order, 0)
    references = mix.references > 0 and rng.random() < 0.3
    return Op(rng.choice((Verb.GET, Verb.PUT)), 0, pfn) if references else Op(Verb.FREE, order, pfn)


def walk(lockstep: Lockstep, rng: Random, count: int) -> None:
    """Put so many random requests to an allocator in lockstep, then give everything back.

    Raises LawBroken.
    """
    mix = random_mix(rng, lockstep.machine, references=Verb.GET in lockstep.target.verbs)
    for _ in range(count):
        lockstep.step(random_op(rng, lockstep.book, mix))
    lockstep.finish()
