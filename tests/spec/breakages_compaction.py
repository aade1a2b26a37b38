"""Requests, steps and windows of compaction that break one law each."""

from collections.abc import Callable

from tests.spec.compactions import laid_out
from tests.spec.rows import row

from pagespec.compaction.laws.judge import COMPACTION_LAWS, TWIN_COMPACTION_LAWS
from pagespec.compaction.laws.rest import REST_LAWS
from pagespec.compaction.laws.results import most_visits
from pagespec.compaction.laws.step import CompactionStep
from pagespec.compaction.ops import perform
from pagespec.compaction.state import Capture, Compaction, Move, Run, copy_of_compaction
from pagespec.compaction.verbs import CompactionOp, CompactionVerb, Result
from pagespec.frames import SIZES
from pagespec.migratetype import ISOLATE, MOVABLE, UNMOVABLE
from pagespec.types import Refusal
from pagespec.zone import Held, account, list_add, list_del

Change = Callable[[Compaction], object]

COMPACT = CompactionOp(CompactionVerb.COMPACT, order=2)
WHOLE = CompactionOp(CompactionVerb.COMPACT, whole=True)
DIRECT = CompactionOp(CompactionVerb.DIRECT, order=2)
ALLOC, FREE = CompactionOp(CompactionVerb.ALLOC), CompactionOp(CompactionVerb.FREE)
PIN, REST = CompactionOp(CompactionVerb.PIN), CompactionOp(CompactionVerb.REST)
CLAIM = CompactionOp(CompactionVerb.CLAIM, pfn=4, pages=2)

WORK = "mm.. m... u.m. ...."
"""Two held blocks to move up, some that stay, and a pageblock free as a whole."""

SCATTERED = "mu.u .mu. u.mu .uu."
"""Nothing of the wanted order, and little room."""


def served(compaction: Compaction, op: CompactionOp) -> CompactionStep:
    """What the spec makes of a request."""
    after = copy_of_compaction(compaction)
    after.moves.clear()
    after.zone.visited = 0
    outcome = perform(after, op)
    return CompactionStep(compaction, op, outcome, after, after.zone.visited)


def broken(
    law_id: str,
    what: str,
    compaction: Compaction,
    op: CompactionOp,
    change: Change = lambda after: None,
    *,
    outcome: int | None = None,
    visited: int | None = None,
) -> None:
    """A row of a request: with the change it is broken, as the spec serves it it is sound."""
    sound = served(compaction, op)
    after = copy_of_compaction(sound.after)
    change(after)
    wrong = sound._replace(after=after)
    if outcome is not None:
        wrong = wrong._replace(outcome=outcome)
    if visited is not None:
        wrong = wrong._replace(visited=visited)
    row(COMPACTION_LAWS, law_id, what, wrong, sound, compaction.machine.era)


def at_rest(law_id: str, what: str, compaction: Compaction, change: Change) -> None:
    """A row of a zone between requests."""
    wrong = copy_of_compaction(compaction)
    change(wrong)
    row(REST_LAWS, law_id, what, wrong, compaction, compaction.machine.era)


def sets(**fields: object) -> Change:
    """The change that sets fields."""

    def change(compaction: Compaction) -> None:
        for name, value in fields.items():
            setattr(compaction, name, value)

    return change


# --- at rest -------------------------------------------------------------------------------------

AFTER = laid_out(WORK, "5.8")
at_rest("CMP-rest", "a run never ended", AFTER, lambda zone: zone.runs.append(Run(2)))
at_rest("CMP-rest", "frames still count as off the LRU", AFTER, sets(isolated_lru=1))
at_rest("CAP-slot", "a slot is left", AFTER, sets(captures=[Capture(2, MOVABLE)]))
at_rest("CMP-lru", "a free frame is on the LRU", AFTER, lambda zone: zone.lru.add(3))
at_rest("CMP-lru", "a free frame has a stray order", AFTER, sets(strays={3: 7}))
at_rest("CMP-skips", "a pageblock that is not there", AFTER, sets(skips={4}))
at_rest("CMP-skips", "who will not wait is behind", AFTER, sets(cached_migrate=[0, 4]))

# --- what is refused -----------------------------------------------------------------------------

OLD, MIDDLE, NEW = laid_out(WORK, "2.6.37"), laid_out(SCATTERED, "4.10"), laid_out(WORK, "6.12")
broken("CMP-refused", "an era without a worker has one", MIDDLE, PIN, outcome=Refusal.DOUBLE)
broken("CMP-refused", "what is legal is refused", MIDDLE, COMPACT, outcome=Refusal.BAD_ORDER)
for what, op in (
    ("there is no worker", CompactionOp(CompactionVerb.BACKGROUND, order=2)),
    ("nobody can say that he will not wait", COMPACT._replace(mode="async")),
    ("nothing is remembered", REST),
    ("no range can be claimed", CLAIM),
):
    broken("CMP-refused", f"in 2.6.37 {what}", OLD, op, outcome=0)
broken(
    "CMP-refused",
    "a block of order 0 is compacted for",
    MIDDLE,
    COMPACT._replace(order=0),
    outcome=0,
)
broken("CMP-refused", "a CPU that is none", MIDDLE, COMPACT._replace(cpu=1), outcome=0)
broken("CMP-refused", "a type that none asks for", MIDDLE, DIRECT._replace(mt=ISOLATE), outcome=0)
broken("CMP-refused", "a range beyond the zone", MIDDLE, CLAIM._replace(pages=99), outcome=4)
broken("CMP-refused", "a free block is pinned", MIDDLE, PIN._replace(pfn=2), outcome=0)
broken(
    "CMP-refused",
    "a number that no word holds",
    MIDDLE,
    CompactionOp(CompactionVerb.STRAY, order=128),
    outcome=0,
)
broken(
    "CMP-refused",
    "a refused one changes something",
    MIDDLE,
    PIN._replace(pfn=2),
    lambda zone: zone.skips.add(1),
)
broken(
    "CMP-refused",
    "a refused one moves a block",
    MIDDLE,
    PIN._replace(pfn=2),
    lambda zone: zone.moves.append(Move(0, 2, 0)),
)
broken("CMP-refused", "a run answers no result", MIDDLE, COMPACT, outcome=9)
broken("CMP-refused", "what is done answers a number", MIDDLE, PIN, outcome=2)

# --- what is given out ---------------------------------------------------------------------------

broken("CMP-given", "a held frame", NEW, ALLOC, outcome=0)
broken("CMP-given", "frames beyond the zone", NEW, DIRECT, outcome=16)
broken("CMP-given", "a misaligned block", NEW, DIRECT, outcome=13)
broken("CMP-given", "another range", laid_out("mm.. .... uu.. ....", "6.12"), CLAIM, outcome=12)

# --- what is moved -------------------------------------------------------------------------------


def moved(*moves: Move) -> Change:
    """The change that says other moves."""
    return sets(moves=list(moves))


broken("CMP-move", "an allocation moves", NEW, ALLOC, moved(Move(0, 7, 0)))
broken("CMP-move", "what nobody holds", MIDDLE, COMPACT, moved(Move(2, 15, 0)))
broken("CMP-move", "as another order", MIDDLE, COMPACT, moved(Move(0, 2, 1)))
broken("CMP-move", "an unmovable block", MIDDLE, COMPACT, moved(Move(1, 15, 0)))
broken("CMP-move", "to frames that are held", MIDDLE, COMPACT, moved(Move(0, 8, 0)))
broken("CMP-move", "to frames that are not there", MIDDLE, COMPACT, moved(Move(0, 99, 0)))
PINNED = laid_out("pu.u .mu. u.mu .uu.", "4.10")
broken("CMP-move", "a pinned block", PINNED, COMPACT, moved(Move(0, 15, 0)))
STRAYING = laid_out(SCATTERED, "4.10")
STRAYING.strays[0] = 3
broken("CMP-move", "a block with a stray order", STRAYING, COMPACT, moved(Move(0, 15, 0)))
OFF_LRU = laid_out("nu.u .mu. u.mu .uu.", "2.6.37")
broken("CMP-move", "what is not on the LRU", OFF_LRU, COMPACT, moved(Move(0, 15, 0)))


def with_pair(era: str) -> Compaction:
    """A zone with a held block of two frames at its start."""
    zone = laid_out("mm.. u.u. u... ....", era)
    for pfn in (0, 1):
        del zone.zone.held[pfn]
    zone.zone.held[0] = Held(1, 1, compound=True, mt=MOVABLE)
    zone.lru = {0}
    return zone


broken("CMP-move", "a block of two frames", with_pair("4.10"), COMPACT, moved(Move(0, 14, 1)))
broken("CMP-move", "to a misaligned place", with_pair("6.12"), COMPACT, moved(Move(0, 13, 1)))

WALKED = laid_out("u.m. u.m. u.m. u.u.", "4.10")
broken("CMP-upward", "a block moves down", WALKED, COMPACT, moved(Move(2, 1, 0)))
broken("CMP-holder", "the LRU forgets a block", WALKED, COMPACT, sets(lru=set()))
broken("CMP-holder", "a stray order is left behind", WALKED, COMPACT, sets(strays={4: 1}))


def holds(pfn: int, change: Callable[[Held], Held]) -> Change:
    """The change that makes something else of a held block."""

    def change_it(compaction: Compaction) -> None:
        compaction.zone.held[pfn] = change(compaction.zone.held[pfn])

    return change_it


LAST = max(served(WALKED, COMPACT).after.moves, key=lambda move: move.target).target
broken(
    "CMP-holder",
    "a reference too many",
    WALKED,
    COMPACT,
    holds(LAST, lambda held: held._replace(refs=2)),
)
broken(
    "CMP-holder",
    "another type",
    WALKED,
    COMPACT,
    holds(LAST, lambda held: held._replace(mt=UNMOVABLE)),
)
broken("CMP-holder", "a holder lost", WALKED, COMPACT, lambda zone: zone.zone.held.pop(0))


# --- what is nobody's ----------------------------------------------------------------------------


def lost(compaction: Compaction) -> None:
    """A free block vanishes."""
    zone = compaction.zone
    pfn, order = max(zone.tag.items())
    mt = next(mt for mt, blocks in zone.free_area[order].items() if pfn in blocks)
    list_del(zone, pfn, order, mt)
    del zone.tag[pfn]
    account(zone, -SIZES[order], mt)


def free_again(compaction: Compaction) -> None:
    """A held frame is listed as free as well."""
    zone = compaction.zone
    pfn = min(zone.held)
    list_add(zone, pfn, 0, MOVABLE)


broken("CMP-undo", "a target is not given back", WALKED, COMPACT, lost)
broken("CMP-undo", "a target is given back twice", WALKED, COMPACT, free_again)
FAILING = laid_out(SCATTERED, "5.8")
broken("CAP-capture", "a captured block is lost", FAILING, DIRECT, lost)
broken("CAP-capture", "a captured block is free as well", NEW, DIRECT, free_again)

# --- how a run ends ------------------------------------------------------------------------------

broken("CMP-result", "success without a block", MIDDLE, COMPACT, outcome=Result.SUCCESS)
broken("CMP-result", "the whole zone stops at a block", NEW, WHOLE, outcome=Result.SUCCESS)
LATER = laid_out(SCATTERED, "4.10")
LATER.cached_migrate = [4, 4]
broken("CMP-result", "complete, and began in the middle", LATER, COMPACT, outcome=Result.COMPLETE)
broken("CMP-result", "partial, and began at the start", MIDDLE, WHOLE, outcome=Result.PARTIAL)
broken("CMP-anew", "the next run begins where they met", MIDDLE, WHOLE, sets(cached_free=4))
broken("CMP-anew", "so does the other scanner", MIDDLE, WHOLE, sets(cached_migrate=[4, 4]))
broken("CMP-later", "an allocation is remembered", MIDDLE, ALLOC, sets(cached_free=4))
broken("CMP-later", "something is remembered in 2.6.37", OLD, WHOLE, sets(skips={1}))
broken("CMP-later", "a claim is remembered", laid_out("mm.. ....", "6.1"), CLAIM, sets(skips={1}))
BEGUN = laid_out(WORK, "5.8")
BEGUN.cached_migrate = [8, 8]
broken("CMP-later", "a later run begins lower", BEGUN, COMPACT, sets(cached_migrate=[4, 4]))
FLUSHED = laid_out(WORK, "5.8")
FLUSHED.flush, FLUSHED.skips = True, {1}
broken("CMP-forget", "a pageblock stays passed over", FLUSHED, REST, sets(skips={1}))
broken("CMP-forget", "it is to be forgotten again", FLUSHED, REST, sets(flush=True))
broken("CMP-forget", "what nobody asked to forget", BEGUN, REST, sets(cached_migrate=[0, 0]))
broken("CMP-ends", "it looks too often", MIDDLE, WHOLE, visited=most_visits(MIDDLE) + 1)

# --- beside the spec -----------------------------------------------------------------------------

TWINS = served(WALKED, COMPACT)._replace(twin_outcome=served(WALKED, COMPACT).outcome)
TWINS = TWINS._replace(twin=copy_of_compaction(TWINS.after))


def twin_row(what: str, change: Change, outcome: int | None = None) -> None:
    """A row of a zone that differs from the spec's."""
    after = copy_of_compaction(TWINS.after)
    change(after)
    wrong = TWINS._replace(after=after)
    wrong = wrong if outcome is None else wrong._replace(outcome=outcome)
    row(TWIN_COMPACTION_LAWS, "TWIN-compaction", what, wrong, TWINS, WALKED.machine.era)


twin_row("another answer", lambda zone: None, outcome=Result.SKIPPED)
twin_row("other moves", sets(moves=[]))
twin_row("it remembers something else", sets(skips={3}))
twin_row("another order of a list", lost)
