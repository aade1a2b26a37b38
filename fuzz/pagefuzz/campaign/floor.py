"""The floor of events: what a run must have met, era by era, before its silence means anything.

What an era can meet follows from its choices. A branch that no run of an era can take is left out,
and the table says why.
"""

from collections.abc import Callable

from pagefuzz.coverage import HUGE, OF_LISTS, Crowd, Met, pair
from pagespec.era import Era
from pagespec.events import Kind
from pagespec.laws.law import Level
from pagespec.migratetype import FALLBACKS, RECLAIMABLE
from pagespec.pcp.index import COSTLY
from pagespec.types import Order, Refusal
from pagespec.verbs import BLOCK_VERBS, Verb

REFUSED_BLOCKS = frozenset(
    {Refusal.BAD_ORDER, Refusal.OUTSIDE, Refusal.MISALIGNED, Refusal.HOLE, Refusal.WRONG_ORDER}
    | {Refusal.INTERIOR, Refusal.DOUBLE, Refusal.NEVER_GIVEN}
)
"""Why requests about blocks are refused, in every era."""

REFUSED_RANGES = frozenset(
    {Refusal.BAD_RANGE, Refusal.ISOLATED, Refusal.NOT_ISOLATED, Refusal.NOT_FREE}
    | {Refusal.NOT_OFFLINE}
)
"""Why requests about ranges are refused, in every era with pageblocks."""

MEETS: dict[Kind, Callable[[Era], bool]] = {
    Kind.PIECES: lambda era: True,
    Kind.BULK: lambda era: era.bulk != "none",
    Kind.FILLED: lambda era: era.bulk != "none",
    Kind.BARRED: lambda era: era.guard in ("no-interrupt", "trylock-irqs-off", "trylock"),
    Kind.BELOW_MARK: lambda era: True,
    Kind.KSWAPD: lambda era: True,
    Kind.BOOSTED: lambda era: era.boosts,
    Kind.UNPLUGGED: lambda era: True,
    Kind.PLUGGED: lambda era: True,
    Kind.MOVED: lambda era: era.numbering is not None,
    Kind.TAKEN: lambda era: era.numbering is not None,
    Kind.CLAIMED: lambda era: era.numbering is not None,
    Kind.SINGLE: lambda era: era.numbering is not None,
    Kind.ISOLATED: lambda era: era.numbering is not None,
    Kind.RESTORED: lambda era: era.numbering is not None,
    Kind.OFFLINE: lambda era: era.numbering is not None,
    Kind.ONLINE: lambda era: era.numbering is not None,
    # 4.10 to 5.15 have a barrier too, between isolated and other memory; but see `SELDOM`.
    Kind.BARRIER: lambda era: era.barrier == "unmergeable",
    Kind.RETYPE: lambda era: era.retypes_on_merge,
    # 6.12 moves nothing unless it claims the pageblock.
    Kind.MIXED: lambda era: era.numbering is not None and era.fallback != "claim-or-single",
    Kind.SMALLEST: lambda era: era.fallback in ("move-then-retry", "claim-or-single"),
    Kind.CMA_FIRST: lambda era: era.cma == "balanced",
    Kind.CMA_LAST: lambda era: era.cma != "none",
    Kind.RESERVED: lambda era: era.reserve != "none",
    Kind.UNRESERVED: lambda era: era.reserve != "none",
    Kind.RESERVE_USED: lambda era: era.reserve != "none",
    # The old reserve serves whoever finds nothing else; the new one atomic requests, from 6.12.
    Kind.RESERVE_LAST: lambda era: (
        era.reserve == "one-percent"
        or (era.numbering is not None and era.fallback == "take-largest")
    ),
    # The first isolation moved blocks and neither merged them anew nor allocated ranges.
    Kind.REMERGED: lambda era: era.isolation != "move",
    Kind.RANGE: lambda era: era.isolation != "move",
    Kind.UNDONE: lambda era: era.isolation != "move",
    Kind.CUT: lambda era: era.isolates_pageblocks,
    Kind.GUARDED: lambda era: era.guards,
    Kind.UNGUARDED: lambda era: era.guards,
    Kind.POISONED: lambda era: era.takes_poisoned,
    Kind.HEALED: lambda era: era.returns_poisoned,
}
"""Which eras meet each event that the whole vocabulary of requests can bring about."""

SELDOM: dict[Kind, Callable[[Era], bool]] = {
    # Whole largest blocks are isolated, so a buddy is isolated as well, unless a block comes back
    # from a CPU's list that was kept there under another type.
    Kind.BARRIER: lambda era: era.barrier == "isolate",
}
"""Which eras can meet an event, but too seldom for a run to wait for it."""

SERVES: dict[Verb, Callable[[Era], bool]] = {
    Verb.SPLIT: lambda era: True,
    Verb.ISOLATE: lambda era: era.numbering is not None,
    Verb.RESTORE: lambda era: era.numbering is not None,
    Verb.OFFLINE: lambda era: era.numbering is not None,
    Verb.ONLINE: lambda era: era.numbering is not None,
    Verb.UNRESERVE: lambda era: era.reserve != "none",
    Verb.CONTIG: lambda era: era.isolation != "move",
    Verb.POISON: lambda era: era.takes_poisoned,
    Verb.HEAL: lambda era: era.returns_poisoned,
    Verb.DRAIN: lambda era: True,
    Verb.DRAIN_ALL: lambda era: True,
    # Before, the lists held single frames alone, and nobody had to do without them.
    Verb.DISABLE: lambda era: era.can_disable,
    Verb.ENABLE: lambda era: era.can_disable,
    Verb.AGE: lambda era: era.tuning == "tuned",
    Verb.EXPIRE: lambda era: era.tuning != "pair",
    Verb.REFRESH: lambda era: era.cells != "none",
    Verb.UNPLUG: lambda era: True,
    Verb.PLUG: lambda era: True,
    Verb.REST: lambda era: True,
    Verb.BULK: lambda era: era.bulk != "none",
}
"""Which eras have each operation beside those on blocks at all."""


CELLED: dict[Kind, Callable[[Era], bool]] = {
    Kind.TOLD_MORE: lambda era: True,
    Kind.TOLD_LESS: lambda era: True,
    Kind.READ_OUT: lambda era: True,
    Kind.LOWERED: lambda era: era.lowers_thresholds,
    Kind.RAISED: lambda era: era.lowers_thresholds,
}
"""The events of zones whose CPUs keep parts of counts, and which eras with such zones meet them."""


def celled(era: Era, verbs: frozenset[Verb]) -> bool:
    """Whether an allocator of these verbs is put on machines of the era that have cells."""
    return Verb.REFRESH in verbs and era.cells != "none"


def floor_of(era: Era, level: Level, top: Order, verbs: frozenset[Verb]) -> set[Met]:
    """The events that a run over the era must reach.

    At every order up to top a block is handed out and taken back, a request fails, one also in a
    crowd, and where free blocks are shown one is split and merged; each refusal, or just one where
    reasons may go unsaid; whatever the era's placement and the allocator's references add; and of
    an allocator that takes every request, each branch of the era, each pair of its fallbacks, and
    the way to and from CPUs' lists at each order that they keep.
    """
    handed = {Kind.ALLOC, Kind.FREE, Kind.FAIL}
    floor: set[Met] = {(kind, order) for kind in handed for order in range(top + 1)}
    floor |= {(Crowd.ASKED, 0), (Crowd.FAILED, 0)}
    if level != "outside":
        floor |= {(Kind.SPLIT, order) for order in range(1, top + 1)}
        floor |= {(Kind.MERGE, order) for order in range(top)}
    if level != "exact":
        return floor | {(Kind.REFUSE, Refusal.UNSAID)}
    if era.placement != "head":
        # Only below the order under the top can a further merge be likely.
        floor |= {(Kind.TAIL, order) for order in range(top - 1)}
    if Verb.GET in verbs:
        floor |= {(kind, order) for kind in (Kind.GET, Kind.KEPT) for order in range(2)}
        floor |= {(Kind.TAILS, order) for order in range(1, 3)}
    floor |= {(Kind.REFUSE, refusal) for refusal in REFUSED_BLOCKS}
    if verbs > BLOCK_VERBS:
        floor |= {(Kind.REFUSE, refusal) for refusal in _refused_rest(era)}
        floor |= {(verb, 0) for verb, serves in SERVES.items() if serves(era) and verb in verbs}
        if celled(era, verbs):
            floor |= {(kind, 0) for kind, meets in CELLED.items() if meets(era)}
        floor |= {(kind, 0) for kind, meets in MEETS.items() if meets(era)}
        floor |= {(kind, order) for kind in OF_LISTS for order in _orders_listed(era, top)}
        floor |= _pairs(era)
        if era.numbering is not None:
            floor.add((Crowd.FELL_BACK, 0))
    return floor


def _refused_rest(era: Era) -> frozenset[Refusal]:
    """Why the era refuses requests of other verbs, or of types; see `MEETS` for the eras."""
    refused = {Refusal.UNSUPPORTED, Refusal.BAD_TYPE, Refusal.COMPOUND, Refusal.BAD_CPU}
    if era.returns_poisoned:
        refused.add(Refusal.NOT_POISONED)
    return frozenset(refused | REFUSED_RANGES if era.numbering is not None else refused)


def _orders_listed(era: Era, top: Order) -> set[Order]:
    """The orders of the blocks that the era's CPUs keep in lists, as events tell them apart."""
    if era.lists in ("one", "types"):
        return {0}
    return {*range(min(top, COSTLY) + 1), *({HUGE} if top > COSTLY else ())}


def _pairs(era: Era) -> set[Met]:
    """The fallbacks by type of request and type of the block that serves.

    The first fallback reports the list that the rest goes to, which is the request's own if the
    pageblock's free blocks moved before. For reclaimable requests they always do.
    """
    if era.numbering is None:
        return set()
    pairs = {(mt, other) for mt, others in FALLBACKS.items() for other in others}
    if era.fallback == "take-largest":
        pairs = {(mt, other) for mt, other in pairs if mt is not RECLAIMABLE}
        pairs |= {(mt, mt) for mt in FALLBACKS}
    return {(Kind.EXTFRAG, pair(*types)) for types in pairs}
