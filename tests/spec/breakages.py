"""States and requests that break one law each, on machines without pageblocks."""

from tests.spec.rows import TAG, answer, lose, move, put, row, state, step, transition, zone_after

from pagespec.era import ERAS
from pagespec.laws.exact import (
    EXACT_LAWS,
    KEPT_LAWS,
    ORACLE_LAWS,
    TWIN_LAWS,
    Foretold,
    Kept,
    Placed,
    Twins,
)
from pagespec.laws.holdings import Book, settle
from pagespec.laws.outside import OUTSIDE_LAWS, Promises, Sight
from pagespec.laws.state import READING_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import swept
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.machine import Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.types import FAULT, NO_MEMORY, Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import Held, Lists, Zone, copy_of

HELD = Held(0, 1, compound=False)
BITMAP = ERAS["2.6.8"]


# --- the state between requests ----------------------------------------------------------------

ONE_OUT = zone_after(Op(Verb.ALLOC, 0))  # 0 is held; free are 1, 2-3, 4-7, 8-15
OLD_OUT = zone_after(Op(Verb.ALLOC, 0), era=BITMAP)
PAIR_OUT = zone_after(Op(Verb.ALLOC, 1))
SHIFTED = zone_after(era=ERAS["2.6.11"], pages=6, start=3, top=1)  # pairs are 3-4, 5-6, 7-8
HOLED = zone_after(holes=((9, 12),))
HIGH = zone_after(start=8)
EIGHT = zone_after(pages=8, start=8)
KEPT = zone_after(era=ERAS["2004-v2"], pages=5, top=2)  # frame 4 is the victim

row(READING_LAWS, "BUD-links", "a reader stumbled", "block 4 of order 2 points nowhere", None)
state("BUD-align", "a pair starts at an odd frame", lambda z: move(z, 1, 2, 3), ONE_OUT)
state("BUD-align", "a pair of frame 0, where frame 3 counts", lambda z: move(z, 1, 3, 4), SHIFTED)
state("BUD-inside", "a frame past the end", lambda z: put(z, 16, 0), ONE_OUT)
state("BUD-inside", "a frame below the start", lambda z: put(z, 7, 0), HIGH)
state("BUD-inside", "a frame in a hole", lambda z: put(z, 10, 0), HOLED)
state("BUD-disjoint", "a frame of a free pair", lambda z: put(z, 3, 0), ONE_OUT)
state("BUD-partition", "a free block is lost", lambda z: lose(z, 4, 2), ONE_OUT)
state("BUD-partition", "a held frame is free", lambda z: put(z, 0, 0), ONE_OUT)
state("BUD-partition", "two hold one frame", lambda z: z.held.update({1: HELD}), PAIR_OUT)
state("BUD-partition", "a hole is held", lambda z: z.held.update({9: HELD}), HOLED)
state("BUD-partition", "below the zone is held", lambda z: z.held.update({7: HELD}), HIGH)
state("BUD-partition", "a victim is free", lambda z: put(z, 4, 0), KEPT)


def halve(zone: Zone) -> None:
    """Split a free block for nobody."""
    lose(zone, 4, 2)
    put(zone, 4, 1)
    put(zone, 6, 1)


def halve_all(zone: Zone) -> None:
    """Split the block that is the whole zone for nobody."""
    lose(zone, 8, 3)
    put(zone, 8, 2)
    put(zone, 12, 2)


state("BUD-maximal", "two free buddies stay apart", halve, ONE_OUT)
state("BUD-maximal", "and so do the two that are the zone", halve_all, EIGHT)
state("BUD-tag", "a tag inside a free block", lambda z: z.tag.update({5: 0}), ONE_OUT)
state("BUD-tag", "a tag on a held frame", lambda z: z.tag.update({0: 0}), ONE_OUT)
state("BUD-tag", "a head without a tag", lambda z: z.tag.pop(2), ONE_OUT)
state("BUD-tag", "a tag of another order", lambda z: z.tag.update({2: 0}), ONE_OUT)
state("BUD-bitmap", "a bit too many", lambda z: z.pair_bits[1].add(3), OLD_OUT)
state("BUD-bitmap", "a bit too few", lambda z: z.pair_bits[0].clear(), OLD_OUT)
state("BUD-bitmap", "a bit at the top", lambda z: z.pair_bits[3].add(0), OLD_OUT)
state("BUD-count", "nr_free is off by one", lambda z: z.nr_free.__setitem__(1, 2), ONE_OUT)
state("BUD-count", "free_pages is off", lambda z: setattr(z, "free_pages", 16), ONE_OUT)

# --- one request -------------------------------------------------------------------------------


ALLOC, FREE = Op(Verb.ALLOC, 0), Op(Verb.FREE, 0, 0)
WHOLE = zone_after(pages=8)
SHARED = zone_after(Op(Verb.ALLOC, 2), Op(Verb.GET, pfn=0))
EXHAUSTED = zone_after(Op(Verb.ALLOC, 3), pages=8)

answer("BUD-refuse", "a free of a free frame is served", 0, ONE_OUT, Op(Verb.FREE, 0, 1))
answer("BUD-refuse", "the wrong reason", Refusal.DOUBLE, ONE_OUT, Op(Verb.FREE, 0, 1))
answer("BUD-refuse", "a legal free is refused", Refusal.DOUBLE, ONE_OUT, FREE)
answer("BUD-refuse", "an order that is not there fails", NO_MEMORY, ONE_OUT, Op(Verb.ALLOC, 4))
answer("BUD-success", "out of memory with memory left", NO_MEMORY, ONE_OUT, Op(Verb.ALLOC, 3))


def upper_half(zone: Zone) -> None:
    """The other page of the last split, as if it had been the one to keep."""
    move(zone, 0, 1, 0)
    zone.held[1] = zone.held.pop(0)


wrong_half = transition(WHOLE, ALLOC, outcome=1, change=upper_half)
row(STEP_LAWS, "BUD-expand", "the wrong half", wrong_half, transition(WHOLE, ALLOC))


def cut_from_the_top(zone: Zone) -> None:
    """The request is served from the largest block although a smaller one would do."""
    lose(zone, 8, 3)
    for order, pfn in ((2, 12), (1, 10), (0, 9)):
        put(zone, pfn, order)
    zone.held[8] = HELD


cut = copy_of(ONE_OUT)
cut_from_the_top(cut)
too_large = transition(ONE_OUT, ALLOC, outcome=8)._replace(after=swept(cut))
row(STEP_LAWS, "BUD-expand", "a larger block is cut", too_large, transition(ONE_OUT, ALLOC))
step("BUD-expand", "an upper half is lost", lambda z: lose(z, 2, 1), WHOLE, ALLOC)
step("BUD-expand", "an upper half is split too", halve, WHOLE, ALLOC)
step(
    "SPLIT-pieces",
    "a piece is lost",
    lambda z: lose(z, 1, 0),
    SHARED,
    Op(Verb.FREE, 2, 0),
)
step(
    "SPLIT-pieces",
    "the first frame goes too",
    lambda z: z.held.clear(),
    SHARED,
    Op(Verb.FREE, 2, 0),
)
step(
    "ZONE-frame", "a failure takes a count", lambda z: setattr(z, "free_pages", 3), EXHAUSTED, ALLOC
)
step(
    "ZONE-frame",
    "a refusal drops a holding",
    lambda z: z.held.clear(),
    ONE_OUT,
    Op(Verb.FREE, 0, 1),
)
step(
    "ZONE-frame",
    "a free frees the neighbour's",
    lambda z: z.held.clear(),
    zone_after(ALLOC, ALLOC),
    FREE,
)
step("ZONE-frame", "a free takes more", lambda z: lose(z, 8, 3), ONE_OUT, FREE)
step(
    "ZONE-frame",
    "two references for one get",
    lambda z: z.held.update({0: Held(0, 3, compound=False)}),
    ONE_OUT,
    Op(Verb.GET, pfn=0),
)
step(
    "ZONE-frame",
    "a compound block is not one",
    lambda z: z.held.update({1: HELD}),
    ONE_OUT,
    Op(Verb.ALLOC, compound=True),
)
endless = transition(ONE_OUT, ALLOC, visited=11)
row(
    STEP_LAWS,
    "LIVE-ends",
    "a search that goes round",
    endless,
    transition(ONE_OUT, ALLOC, visited=10),
)

# --- from outside ------------------------------------------------------------------------------

EAGER, LAZY = Promises(), Promises(merges_eagerly=False)
MACHINE = Machine(pages=16, top=3, era=TAG, holes=((8, 10),))


def book(*requests: tuple[Op, int]) -> Book:
    """What a caller knows after some requests and their outcomes."""
    got = Book(MACHINE)
    for op, outcome in requests:
        settle(got, op, outcome)
    return got


def sight(
    law_id: str,
    what: str,
    broken: int,
    sound: int,
    request: Op,
    known: Book,
    promises: Promises = EAGER,
) -> None:
    """A row of a request that was answered wrongly, and the same with a right answer."""
    seen = Sight(known, promises, request, broken)
    row(OUTSIDE_LAWS, law_id, what, seen, seen._replace(outcome=sound))


NEW, FIRST = book(), book((Op(Verb.ALLOC, 1), 0))
ISOLATED = book((Op(Verb.ISOLATE, pfn=0, pages=4), 0))
OFFLINE = book(
    (Op(Verb.ISOLATE, pfn=0, pages=4), 0),
    (Op(Verb.RESTORE, pfn=0, pages=4), 0),
    (Op(Verb.OFFLINE, pfn=12, pages=4), 0),
)
FAULTY = book((Op(Verb.POISON, pfn=5), 0))
FAILED = book(*[(Op(Verb.ALLOC, 2), pfn) for pfn in (0, 4)], (Op(Verb.ALLOC, 2), NO_MEMORY))

sight("OUT-fault", "a crash", FAULT, 0, Op(Verb.ALLOC, 0), NEW)
sight("OUT-inside", "past the end", 16, 15, Op(Verb.ALLOC, 0), NEW)
sight("OUT-inside", "below frame zero", -200, 0, Op(Verb.ALLOC, 0), NEW)
sight("OUT-inside", "into a hole", 8, 12, Op(Verb.ALLOC, 2), NEW)
sight("OUT-align", "off its alignment", 3, 2, Op(Verb.ALLOC, 1), NEW)
sight("OUT-disjoint", "a frame that is held", 1, 2, Op(Verb.ALLOC, 0), FIRST)
sight("OUT-disjoint", "a block around a held one", 0, 4, Op(Verb.ALLOC, 2), FIRST)
sight("OUT-inside", "a range past the end", 15, 12, Op(Verb.CONTIG, pfn=12, pages=2), NEW)
sight("OUT-disjoint", "a range over a held block", 1, 2, Op(Verb.CONTIG, pfn=2, pages=2), FIRST)
sight("OUT-disjoint", "a frame that has failed", 5, 6, Op(Verb.ALLOC, 0), FAULTY)
sight("OUT-refuse", "an illegal free is served", 0, Refusal.UNSAID, Op(Verb.FREE, 0, 4), FIRST)
sight("OUT-refuse", "a legal free is refused", Refusal.DOUBLE, 0, Op(Verb.FREE, 1, 0), FIRST)
sight("OUT-refuse", "a legal order is refused", Refusal.BAD_ORDER, 4, Op(Verb.ALLOC, 0), FIRST)
sight("OUT-return", "a free run is not found", NO_MEMORY, 12, Op(Verb.ALLOC, 2), FIRST)
sight("OUT-return", "an empty zone does not serve", NO_MEMORY, 0, Op(Verb.ALLOC, 3), NEW, LAZY)
sight("OUT-isolated", "a frame of an isolated range", 3, 4, Op(Verb.ALLOC, 0), ISOLATED)
sight("OUT-isolated", "a frame that is offline", 12, 0, Op(Verb.ALLOC, 2), OFFLINE)
sight("OUT-retry", "what failed is served", 12, NO_MEMORY, Op(Verb.ALLOC, 2), FAILED, LAZY)

# --- whole zones, and the order of lists -------------------------------------------------------

forgetful = zone_after()
lose(forgetful, 8, 3)
row(BOOT_LAWS, "INIT", "boot forgets a block", swept(forgetful), swept(zone_after()))
rich = zone_after()
rich.free_pages = 17
row(BOOT_LAWS, "INIT", "boot counts a frame too many", swept(rich), swept(zone_after()))
apart = zone_after()
lose(apart, 8, 3)
put(apart, 8, 2)
put(apart, 12, 2)
row(RETURN_LAWS, "BUD-order-free", "halves stay apart", swept(apart), swept(zone_after()))
extra = zone_after()
put(extra, 3, 0)
row(RETURN_LAWS, "BUD-order-free", "a frame too many", swept(extra), swept(zone_after()))


def typed(*lists: list[int]) -> Lists:
    """Lists of a machine without pageblocks, by order."""
    return [{UNMOVABLE: blocks} for blocks in lists]


GOT = Placed("alloc order 0", 0, 0, typed([1], [2, 4]), typed([1], [2, 4]))
row(EXACT_LAWS, "BUD-place", "not the head of the list", GOT._replace(outcome=4), GOT)
row(EXACT_LAWS, "BUD-place", "the tail for the head", GOT._replace(lists=typed([1], [4, 2])), GOT)
row(EXACT_LAWS, "BUD-place", "another block", GOT._replace(lists=typed([1], [2, 6])), GOT)

LISTED = Kept("free order 0", [[[[6, 2], [4]]]], [[[[6, 2], [4]]]], {8: 0}, {8: 0})
row(
    KEPT_LAWS,
    "ORACLE-lists",
    "the tail for the head",
    LISTED._replace(pcps=[[[[2, 6], [4]]]]),
    LISTED,
)
row(KEPT_LAWS, "ORACLE-lists", "another list", LISTED._replace(pcps=[[[[6, 2, 4], []]]]), LISTED)
row(KEPT_LAWS, "ORACLE-lists", "another slot", LISTED._replace(slots={8: 1}), LISTED)


def other(field: str, value: object) -> Twins:
    view = copy_of(ONE_OUT)
    setattr(view, field, value)
    return Twins(ONE_OUT, view)


for field, value in [
    ("free_area", [*ONE_OUT.free_area[:3], {0: None}]),
    ("tag", {}),
    ("nr_free", [0, 0, 0, 0]),
    ("free_pages", 14),
    ("pair_bits", [{1}, set(), set(), set()]),
    ("held", {}),
    ("given", set()),
]:
    row(TWIN_LAWS, "TWIN-equal", field, other(field, value), Twins(ONE_OUT, copy_of(ONE_OUT)))

for field in ("pgalloc", "pgfree"):
    row(TWIN_LAWS, "TWIN-counts", field, other(field, 7), Twins(ONE_OUT, copy_of(ONE_OUT)))

TOLD = Foretold("alloc order 0", 4, 4, [], [])
row(ORACLE_LAWS, "SPEC-stamps", "the stamps know better", TOLD._replace(foretold=0), TOLD)
