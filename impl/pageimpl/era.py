"""The era's choices as small numbers: one table for each that the spec writes as a word."""

from pagespec.era import Barrier, CmaRule, Design, Fallback, Isolation, Placement, Reserve

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
