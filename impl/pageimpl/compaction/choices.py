"""What a design has chosen of compaction, as small numbers: a table for each word of the spec."""

from pageimpl.watermark.levels import MARK_LOW, MARK_MIN
from pagespec.compaction.design import (
    Bound,
    Meeting,
    RefusedBy,
    Released,
    Scan,
    SourceRule,
    TargetRule,
)

LOCKED = 0
RECHECKS = 1
LAZY = 2
SCANS: dict[Scan, int] = {"locked": LOCKED, "rechecks": RECHECKS, "lazy": LAZY}

LARGE_OR_MOVABLE = 0
ANY_IF_TOLD = 1
NOT_LARGE = 2
BELOW_REQUEST = 3
TARGET_RULES: dict[TargetRule, int] = {
    "large-or-movable": LARGE_OR_MOVABLE,
    "any-if-told": ANY_IF_TOLD,
    "not-large": NOT_LARGE,
    "below-request": BELOW_REQUEST,
}

FROM_ANY = 0
FROM_MOVABLE = 1
FROM_MOVABLE_OR_CMA = 2
AS_WANTED = 3
SOURCE_RULES: dict[SourceRule, int] = {
    "any": FROM_ANY,
    "movable": FROM_MOVABLE,
    "movable-or-cma": FROM_MOVABLE_OR_CMA,
    "as-wanted": AS_WANTED,
}

TARGET_MARKS: dict[RefusedBy, int] = {"low": MARK_LOW, "min": MARK_MIN}

BOUND_LOW = 0
BOUND_LOW_OR_START = 1
BOUND_BLOCK = 2
BOUNDS: dict[Bound, int] = {
    "low": BOUND_LOW,
    "low-or-start": BOUND_LOW_OR_START,
    "block": BOUND_BLOCK,
}

MEET_AS_FRAMES = 0
MEET_AS_PAGEBLOCKS = 1
MEETINGS: dict[Meeting, int] = {"frames": MEET_AS_FRAMES, "pageblocks": MEET_AS_PAGEBLOCKS}

AFTER_PAGEBLOCK = 0
LAST_OF_32 = 1
FIRST_OF_32 = 2
RELEASES: dict[Released, int] = {
    "pageblock": AFTER_PAGEBLOCK,
    "last-of-32": LAST_OF_32,
    "first-of-32": FIRST_OF_32,
}
