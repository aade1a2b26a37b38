"""States and requests on machines with pageblocks that break one law each, beside unbroken ones."""

from collections.abc import Callable
from typing import Any

from tests.spec.laid import laid
from tests.spec.rows import answer, lose, put, row, state, step, transition

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.laws.law import Transition
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import swept
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.machine import Machine
from pagespec.migratetype import (
    CMA,
    HIGHATOMIC,
    ISOLATE,
    LETTERS,
    MOVABLE,
    RECLAIMABLE,
    UNMOVABLE,
    MigrateType,
)
from pagespec.ops import perform
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import Held, Zone, account, copy_of, list_of


def grouped(era: str, types: str, *ops: Op, **machine: Any) -> Zone:
    """A zone of pageblocks of 4 frames, TOP 3, after some requests."""
    zone = boot(
        Machine(
            **{
                "pages": 4 * len(types),
                "top": 3,
                "era": ERAS[era],
                "pageblock": 2,
                "types": tuple(LETTERS[letter] for letter in types),
                **machine,
            }
        )
    )
    for op in ops:
        assert perform(zone, op) >= 0
    zone.log.clear()
    return zone


def relist(zone: Zone, pfn: int, order: int, mt: MigrateType) -> None:
    """Move a free block to another list, with the counts that follow the list."""
    was = list_of(zone, pfn, order)
    lose(zone, pfn, order, was)
    put(zone, pfn, order, mt)
    account(zone, -(2**order), was)
    account(zone, 2**order, mt)


def to_list(pfn: int, order: int, mt: MigrateType) -> Callable[[Zone], None]:
    return lambda zone: relist(zone, pfn, order, mt)


def retype(number: int, mt: MigrateType) -> Callable[[Zone], None]:
    return lambda zone: zone.pageblocks.__setitem__(number, mt)


def all_isolated(zone: Zone) -> None:
    zone.pageblocks = [ISOLATE] * len(zone.pageblocks)


def forged(law_id: str, what: str, before: Zone, done: Op, said: Op) -> None:
    """A row of a request that was served as if it had been another; the sound one is the other."""
    as_said = transition(before, done)._replace(op=said)
    row(STEP_LAWS, law_id, what, as_said, transition(before, done), before.machine.era)


M0, U0, E0 = (Op(Verb.ALLOC, mt=mt) for mt in (MOVABLE, UNMOVABLE, RECLAIMABLE))
ATOMIC = Op(Verb.ALLOC, 1, mt=MOVABLE, atomic=True)
ISOLATION, RESTORE = Op(Verb.ISOLATE, 0, 8, pages=8), Op(Verb.RESTORE, 0, 8, pages=8, mt=MOVABLE)

# --- the state between requests ----------------------------------------------------------------

GUARDED = grouped("6.1", "MM", M0, guard=1)  # 0 is held, 1 is a guard
FAILED = grouped("6.1", "MM", Op(Verb.POISON, 0, 5))
AWAY = grouped("6.1", "MMMM", ISOLATION, Op(Verb.OFFLINE, 0, 8, pages=8))
KEPT = grouped("6.12", "MMCC")
RESERVED = grouped("6.12", "MMHU")
APART = grouped("6.1", "MMMM", ISOLATION)

state("BUD-partition", "a guard is lost", lambda z: z.guards.clear(), GUARDED)
state("BUD-partition", "a guard is held", lambda z: z.held.update({1: z.held[0]}), GUARDED)
state("BUD-partition", "a failed frame is free", lambda z: put(z, 5, 0, MOVABLE), FAILED)
state("BUD-partition", "a failed frame is forgotten", lambda z: z.poisoned.clear(), FAILED)
state("BUD-partition", "offline memory is free", lambda z: put(z, 8, 3, MOVABLE), AWAY)
state("BUD-partition", "offline memory is lost", lambda z: z.offline.discard(12), AWAY)


def beside_a_guard(zone: Zone) -> None:
    """The held frame beside the guard is free, and they are not one."""
    zone.held.clear()
    put(zone, 0, 0, MOVABLE)
    account(zone, 1, MOVABLE)
    zone.tag[0] = 0


state("BUD-maximal", "a guard and its buddy stay apart", beside_a_guard, GUARDED)
state("BUD-count", "free_cma is off", lambda z: setattr(z, "free_cma", 9), KEPT)
state("BUD-count", "free_highatomic is off", lambda z: setattr(z, "free_highatomic", 0), RESERVED)
state("BUD-count", "isolated frames count", lambda z: setattr(z, "free_pages", 16), APART)
state("MT-list", "another type's list, in 6.12", to_list(12, 2, MOVABLE), RESERVED)
state("MT-list", "CMA memory on a list", to_list(8, 3, MOVABLE), grouped("5.15", "MMCC"))
state("MT-list", "isolated memory on a list", to_list(8, 3, MOVABLE), APART)
state("MT-list", "others on the isolated list", to_list(0, 3, ISOLATE), APART)

# --- one request -------------------------------------------------------------------------------

PLAIN = grouped("6.1", "MMMM")
TWO = grouped("6.1", "MMUU")
SPARE = grouped("6.1", "MMHH")
TWICE = grouped("6.1", "MHMH")
OVER = Op(Verb.UNRESERVE, mt=MOVABLE)
RANGE = Op(Verb.CONTIG, 0, 9, pages=2, mt=MOVABLE)
CMA_LEFT = grouped("6.1", "MMCC", Op(Verb.ALLOC, 3, mt=MOVABLE))
CMA_MOST = grouped("5.15", "CCMM", Op(Verb.ALLOC, 2, mt=MOVABLE))

answer("BUD-refuse", "isolating twice is served", 0, APART, ISOLATION)
answer("BUD-refuse", "the wrong reason", Refusal.BAD_RANGE, APART, ISOLATION)
answer("BUD-refuse", "a range becomes unmovable", 0, APART, RESTORE._replace(mt=UNMOVABLE))
answer("BUD-refuse", "a legal range is refused", Refusal.ISOLATED, PLAIN, ISOLATION)
answer("BUD-success", "another type has a block", NO_MEMORY, PLAIN, U0)
answer("BUD-success", "a range is free and not given", NO_MEMORY, PLAIN, RANGE)
answer("BUD-success", "the reserve is there and not given up", NO_MEMORY, TWICE, OVER)
answer(
    "BUD-success",
    "the reserve does not serve last",
    NO_MEMORY,
    grouped("6.12", "HH"),
    Op(Verb.ALLOC, atomic=True),
)


def before_that(zone: Zone, change: Callable[[Zone], object], step: Transition) -> Transition:
    """The same request and end, from another beginning."""
    other = copy_of(zone)
    change(other)
    return step._replace(before=swept(other))


sound = transition(PLAIN, M0)
broken = before_that(PLAIN, all_isolated, sound)
row(STEP_LAWS, "ISO-held", "isolated memory is given out", broken, sound)
forged("CMA-only-movable", "unmovable memory in CMA", CMA_LEFT, M0, U0)

forged("HA-reserve", "no atomic request", SPARE, ATOMIC, ATOMIC._replace(atomic=False))
forged("HA-reserve", "a single frame, in 6.1", SPARE, ATOMIC, ATOMIC._replace(order=0))
forged("HA-reserve", "it grows by any request", PLAIN, ATOMIC, ATOMIC._replace(atomic=False))
step("HA-reserve", "it does not grow", lambda z: setattr(z, "nr_reserved", 0), PLAIN, ATOMIC)
sound = transition(PLAIN, ATOMIC)
broken = transition(PLAIN, ATOMIC, change=lambda z: setattr(z, "nr_reserved", 8))
row(STEP_LAWS, "HA-reserve", "it grows by two pageblocks", broken, sound)
broken = before_that(PLAIN, lambda z: setattr(z, "nr_reserved", 4), broken)
row(STEP_LAWS, "HA-reserve", "it grows over its limit", broken, sound)
step("HA-reserve", "CMA memory joins it", lambda z: setattr(z, "nr_reserved", 4), CMA_LEFT, ATOMIC)
step("HA-reserve", "any request shrinks it", lambda z: setattr(z, "nr_reserved", 0), TWICE, M0)
step("HA-reserve", "isolation adds to it", lambda z: setattr(z, "nr_reserved", 4), PLAIN, ISOLATION)


def both(zone: Zone) -> None:
    """The second pageblock of the reserve is given up as well."""
    relist(zone, 12, 2, MOVABLE)
    zone.pageblocks[3] = MOVABLE


LAST = grouped("6.1", "MMHM")
forged("HA-return", "the last goes unforced", LAST, OVER._replace(force=True), OVER)
step("HA-return", "two are given", both, TWICE, OVER)
step("HA-return", "as another type", retype(1, UNMOVABLE), TWICE, OVER)
step("HA-return", "one that was none", retype(0, UNMOVABLE), TWICE, OVER)

forged("MT-own", "another type's block though there was one", TWO, U0, M0)
forged("MT-own", "the reserve is passed over", SPARE, Op(Verb.ALLOC, 1, mt=MOVABLE), ATOMIC)
forged("MT-own", "CMA memory is passed over", CMA_MOST, U0, M0)


def unguarded(zone: Zone) -> None:
    zone.guards.clear()
    put(zone, 1, 0, MOVABLE)


step("BUD-expand", "a half is no guard", unguarded, grouped("6.1", "MM", guard=1), M0)


def by_hand(before: Zone, op: Op, pfn: int, order: int, rest: MigrateType) -> Transition:
    """The request is served from that block, whose upper halves go to the lists of `rest`."""
    after = copy_of(before)
    lose(after, pfn, order, list_of(after, pfn, order))
    for half in range(op.order, order):
        put(after, pfn + 2**half, half, rest)
    after.held[pfn] = Held(op.order, 1, op.compound, op.mt)
    return Transition(swept(before), op, pfn, swept(after))


def found(what: str, before: Zone, op: Op, pfn: int, order: int) -> None:
    """A row of a request that another type's block serves, and not the right one."""
    broken = by_hand(before, op, pfn, order, op.mt)
    row(STEP_LAWS, "MT-fallback", what, broken, transition(before, op), before.machine.era)


found("the smallest, not the largest", laid("6.1", "UU", [(12, 2, "U"), (19, 0, "U")]), M0, 19, 0)
found("the largest, not the smallest", laid("6.1", "UU", [(4, 1, "U"), (19, 0, "U")]), M0, 4, 1)
found("the second of the table", laid("6.1", "ME", [(8, 3, "M"), (24, 3, "E")]), U0, 8, 3)
found("a type before its order", laid("4.10", "ME", [(8, 3, "M"), (24, 2, "E")]), U0, 24, 2)
found("CMA memory for another", laid("5.15", "UE", [(8, 3, "C")]), M0._replace(mt=UNMOVABLE), 8, 3)

OTHERS = {range(16): MOVABLE}
QUARTER = laid("6.1", "MU", [(12, 2, "M")], held=OTHERS)
HALF = laid("6.1", "MU", [(8, 3, "M"), (20, 1, "M")], held=OTHERS)
SINGLE = laid("6.12", "MU", [(12, 2, "M")], held=OTHERS)


def halves_change_lists(zone: Zone) -> None:
    relist(zone, 13, 0, UNMOVABLE)
    relist(zone, 14, 1, UNMOVABLE)


step("MT-claim", "for a quarter", retype(0, UNMOVABLE), QUARTER, U0)
step("MT-claim", "half is not enough", retype(0, MOVABLE), HALF, U0)
step(
    "MT-claim",
    "another pageblock's block goes too",
    to_list(20, 1, UNMOVABLE),
    HALF,
    U0,
)
step("MT-claim", "in 6.12 the rest is mixed", halves_change_lists, SINGLE, U0)
step("MT-claim", "no fallback, and a block moves", to_list(8, 3, MOVABLE), TWO, M0)

HELD_QUARTER = grouped("6.1", "MMHM", Op(Verb.ALLOC, 2, mt=MOVABLE))  # 12-15 are held
HELD_PAIR = grouped("6.1", "MM", Op(Verb.ALLOC, 2, mt=MOVABLE))  # 0-3 are held


def over_the_barrier(zone: Zone) -> None:
    lose(zone, 8, 2, HIGHATOMIC)
    lose(zone, 12, 2, MOVABLE)
    put(zone, 8, 3, MOVABLE)


def unmerged(zone: Zone) -> None:
    lose(zone, 0, 3, MOVABLE)
    put(zone, 0, 2, MOVABLE)
    put(zone, 4, 2, MOVABLE)


LOWER = grouped("6.1", "MM", Op(Verb.ISOLATE, 0, 0, pages=4))
GIVE_BACK = Op(Verb.RESTORE, 0, 0, pages=4, mt=MOVABLE)


step("MT-barrier", "reserve is merged", over_the_barrier, HELD_QUARTER, Op(Verb.FREE, 2, 12))
step("MT-merge", "whole pageblocks stay apart", unmerged, HELD_PAIR, Op(Verb.FREE, 2, 0))
step("MT-merge", "what is restored stays apart", unmerged, LOWER, GIVE_BACK)


def frame(what: str, change: Callable[[Zone], object], before: Zone, op: Op) -> None:
    step("ZONE-frame", what, change, before, op)


ONE = grouped("6.1", "MMMM", M0)
PAIR = grouped("6.1", "MMMM", Op(Verb.ALLOC, 1, mt=MOVABLE))
POISON, FREE = Op(Verb.POISON, 0, 6), Op(Verb.FREE, 0, 0)
ONLINE, PIECES = Op(Verb.ONLINE, 0, 8, pages=8), Op(Verb.SPLIT, 1, 0)
BUSY = RANGE._replace(pfn=0)

frame("isolation drops a holding", lambda z: z.held.clear(), ONE, ISOLATION)
frame("half is isolated", retype(3, MOVABLE), PLAIN, ISOLATION)
frame("too much is isolated", retype(0, ISOLATE), PLAIN, ISOLATION)
frame("a range of one too many", lambda z: z.held.update({13: HELD_PAIR.held[0]}), PLAIN, RANGE)
frame("a failed range keeps a frame", lambda z: z.held.update({1: z.held[0]}), ONE, BUSY)
frame("a failed range stays isolated", retype(0, ISOLATE), ONE, BUSY)
frame("two frames fail", lambda z: z.poisoned.add(7), PLAIN, POISON)
frame("a healed frame is free and failed", lambda z: z.poisoned.add(5), FAILED, Op(Verb.HEAL, 0, 5))
frame(
    "half goes offline",
    lambda z: z.offline.discard(12),
    APART,
    ISOLATION._replace(verb=Verb.OFFLINE),
)
frame("online again as another type", retype(2, UNMOVABLE), AWAY, ONLINE)
frame("a free changes a type", retype(2, UNMOVABLE), ONE, FREE)
frame("a free moves another's block", to_list(8, 3, UNMOVABLE), ONE, FREE)
frame("a split loses a page", lambda z: z.held.pop(1), PAIR, PIECES)

row(
    STEP_LAWS,
    "LIVE-ends",
    "more than its pageblock has",
    transition(PLAIN, U0, visited=61),
    transition(PLAIN, U0, visited=60),
)


def printed(what: str, before: Zone, op: Op, change: Callable[[list[Any]], object]) -> None:
    """A row of a request whose tracepoints are changed; the others among its events go."""
    sound = transition(before, op)
    kinds = (Kind.EXTFRAG, Kind.ZONE_LOCKED, Kind.ALLOC, Kind.FREE)
    log = [event for event in sound.log if event.kind in kinds]
    change(log)
    broken = sound._replace(log=tuple(log))
    row(STEP_LAWS, "EVT-order", what, broken, sound, before.machine.era)


def retyped(mt: MigrateType) -> Callable[[list[Any]], object]:
    """The first of the events prints another type."""
    return lambda log: log.__setitem__(0, log[0]._replace(mt=mt))


def swapped(log: list[Any]) -> None:
    log.insert(0, log.pop(1))


def removed(log: list[Any]) -> None:
    log.insert(1, log[-1]._replace(kind=Kind.ZONE_LOCKED))


CLAIMED = laid("6.12", "MU", [(8, 3, "M")], held=OTHERS)
printed(
    "the block leaves before the fallback, in 6.1", HALF, U0, lambda log: log.insert(0, log.pop(1))
)
printed("the fallback comes first, in 6.12", CLAIMED, U0, swapped)
printed(
    "a single block is printed as removed",
    SINGLE,
    U0,
    lambda log: log.insert(1, log[-1]._replace(kind=Kind.ZONE_LOCKED)),
)
printed("a fallback is silent", HALF, U0, lambda log: log.pop(0))
printed("the allocation is silent", PLAIN, M0, lambda log: log.pop())
printed("the list's type, in 5.15", CMA_MOST, M0, retyped(CMA))
printed(
    "CMA memory that came first is printed, in 5.8",
    grouped("5.8", "CCMM", Op(Verb.ALLOC, 2, mt=MOVABLE)),
    M0,
    lambda log: log.insert(1, log[-1]._replace(kind=Kind.ZONE_LOCKED)),
)
printed("the request's type, in 6.1", CMA_LEFT, M0, retyped(MOVABLE))
printed("a free is silent", ONE, FREE, lambda log: log.__setitem__(0, log[0]._replace(pfn=1)))

# --- whole zones -------------------------------------------------------------------------------


def booted(what: str, change: Callable[[Zone], object], zone: Zone) -> None:
    """A row of a zone after boot."""
    broken = copy_of(zone)
    change(broken)
    row(BOOT_LAWS, "INIT", what, swept(broken), swept(zone), zone.machine.era)


def returned(what: str, change: Callable[[Zone], object], zone: Zone) -> None:
    """A row of a zone that got everything back."""
    broken = copy_of(zone)
    change(broken)
    row(RETURN_LAWS, "BUD-order-free", what, swept(broken), swept(zone), zone.machine.era)


booted("a pageblock of another type", retype(0, UNMOVABLE), PLAIN)
booted("reserve is merged with its neighbour", over_the_barrier, LAST)
booted("isolated memory counts", lambda z: setattr(z, "free_pages", 16), grouped("6.1", "MMII"))
returned("a frame is lost", lambda z: lose(z, 8, 3, MOVABLE), PLAIN)
returned("more than what failed is away", lambda z: lose(z, 4, 0, MOVABLE), FAILED)
returned("halves stay apart", unmerged, grouped("2.6.37", "MM"))
