"""The era's choices as small numbers: one table for each that the spec writes as a word."""

from pageimpl.verbs import CONTENDED, IRQ
from pagespec.choices import (
    Barrier,
    CmaRule,
    Design,
    Fallback,
    Isolation,
    Placement,
    Reserve,
)
from pagespec.era import (
    Bulk,
    OrderCheck,
    Shortcut,
    Tuning,
)
from pagespec.guards import RULES, GuardName

TAG_DESIGN = 0
BITMAP_DESIGN = 1
DESIGNS: dict[Design, int] = {"tag": TAG_DESIGN, "bitmap": BITMAP_DESIGN}

PLACE_HEAD = 0
PLACE_LIKELY = 1
PLACE_LIKELY_2_6_39 = 2
PLACEMENTS: dict[Placement, int] = {
    "head": PLACE_HEAD,
    "likely": PLACE_LIKELY,
    "likely-2.6.39": PLACE_LIKELY_2_6_39,
}

NO_BARRIER = 0
ISOLATE_BARRIER = 1
UNMERGEABLE_BARRIER = 2
BARRIERS: dict[Barrier, int] = {
    "none": NO_BARRIER,
    "isolate": ISOLATE_BARRIER,
    "unmergeable": UNMERGEABLE_BARRIER,
}

TAKE_LARGEST = 0
STEAL_LARGEST = 1
MOVE_THEN_RETRY = 2
CLAIM_OR_SINGLE = 3
FALLBACK_STYLES: dict[Fallback, int] = {
    "take-largest": TAKE_LARGEST,
    "steal-largest": STEAL_LARGEST,
    "move-then-retry": MOVE_THEN_RETRY,
    "claim-or-single": CLAIM_OR_SINGLE,
}

NO_CMA = 0
CMA_LAST = 1
CMA_BALANCED = 2
CMA_RULES: dict[CmaRule, int] = {"none": NO_CMA, "last": CMA_LAST, "balanced": CMA_BALANCED}

# From ISOLATE_SPLIT_ENDS on, ranges are made of single pageblocks.
ISOLATE_BY_MOVE = 0
ISOLATE_BY_ACCOUNT = 1
ISOLATE_SPLIT_ENDS = 2
ISOLATE_SPLIT_LARGE = 3
ISOLATIONS: dict[Isolation, int] = {
    "move": ISOLATE_BY_MOVE,
    "account": ISOLATE_BY_ACCOUNT,
    "split-ends": ISOLATE_SPLIT_ENDS,
    "split-large": ISOLATE_SPLIT_LARGE,
}

NO_RESERVE = 0
RESERVE_AT_LEAST_ONE = 1
RESERVE_ONE_PERCENT = 2
RESERVES: dict[Reserve, int] = {
    "none": NO_RESERVE,
    "at-least-one": RESERVE_AT_LEAST_ONE,
    "one-percent": RESERVE_ONE_PERCENT,
}

# From DOUBLING on, lists learn from their load.
TUNE_PAIR = 0
TUNE_BATCHES = 1
TUNE_DOUBLING = 2
TUNE_DOUBLING_FLUSH = 3
TUNE_TUNED = 4
TUNINGS: dict[Tuning, int] = {
    "pair": TUNE_PAIR,
    "batches": TUNE_BATCHES,
    "doubling": TUNE_DOUBLING,
    "doubling-flush": TUNE_DOUBLING_FLUSH,
    "tuned": TUNE_TUNED,
}

# On which list a block of the order of huge pages is.
HUGE_BY_TYPE = 0
HUGE_ALONE = 1
HUGE_BY_MOVABILITY = 2

LIST_RULES: dict[str, tuple[int, int]] = {
    "one": (1, HUGE_BY_TYPE),
    "types": (3, HUGE_BY_TYPE),
    "orders": (15, HUGE_BY_TYPE),
    "huge-alone": (13, HUGE_ALONE),
    "huge-by-movability": (14, HUGE_BY_MOVABILITY),
}
"""How many lists a CPU has, and the rule for huge blocks."""

BARRING: dict[GuardName, int] = {
    name: IRQ * rule.bars_interrupts | CONTENDED * rule.locks for name, rule in RULES.items()
}
"""The flags of a want by which a guard keeps it off the lists."""

NO_BULK = 0
FIRST_OF_ALL = 1
FIRST_OF_CALL = 2
BULK_RULES: dict[Bulk, int] = {
    "none": NO_BULK,
    "first-of-all": FIRST_OF_ALL,
    "first-of-call": FIRST_OF_CALL,
}

HALVES_DOWN = 0
QUARTER_AFTER = 1
OOM_INSTEAD = 2
HARDER_NEEDS_HIGH = 3
RIGHTS_RULES: dict[str, int] = {
    "halves-down": HALVES_DOWN,
    "quarter-after": QUARTER_AFTER,
    "oom-instead": OOM_INSTEAD,
    "harder-needs-high": HARDER_NEEDS_HIGH,
}

CHECK_NO_ORDER = 0
CHECK_COUNTS = 1
CHECK_LISTS_OR_RIGHTS = 2
CHECK_LISTS = 3
ORDER_CHECKS: dict[OrderCheck, int] = {
    "none": CHECK_NO_ORDER,
    "counts": CHECK_COUNTS,
    "lists-or-rights": CHECK_LISTS_OR_RIGHTS,
    "lists": CHECK_LISTS,
}

NO_SHORTCUT = 0
WRAPS_CMA_ONLY = 1
WRAPS = 2
STOPS = 3
SHORTCUTS: dict[Shortcut, int] = {
    "none": NO_SHORTCUT,
    "wraps-cma-only": WRAPS_CMA_ONLY,
    "wraps": WRAPS,
    "stops": STOPS,
}

# What a fallback's boost does, as bits: raise the marks; wake kswapd where there is nothing to
# raise, too; and let urgent single frames pass without it.
BOOSTS = 1
WAKES_UNBOOSTED = 2
SPARES_URGENT = 4
