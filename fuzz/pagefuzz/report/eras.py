"""The eras as tables: what each kernel chose."""

from pagefuzz.report.markdown import table
from pagespec.choices import (
    Barrier,
    Bounds,
    CmaRule,
    Design,
    Fallback,
    IndexBase,
    Isolation,
    Placement,
    Reserve,
    ZoneLocked,
)
from pagespec.era import (
    ERAS,
    Bulk,
    Era,
    MarksRule,
    OrderCheck,
    Shortcut,
    Tuning,
)
from pagespec.guards import GuardName
from pagespec.migratetype import LETTER_OF
from pagespec.pcp.index import ListRule
from pagespec.pcp.sizes import BatchRule
from pagespec.watermark.check import RightsRule

DESIGNS: dict[Design, str] = {"bitmap": "pair bitmaps", "tag": "order tag in the first page"}
BASES: dict[IndexBase, str] = {"zone": "the zone's first frame", "pfn": "frame 0"}
PLACEMENTS: dict[Placement, str] = {
    "head": "head",
    "likely": "tail if a merge is likely, else head",
    "likely-2.6.39": "the same, but head for every upper half",
}
BOUNDS: dict[Bounds, str] = {
    "zone": "the zone's bounds and holes",
    "aligned-order": "the same, from the zone's aligned order up",
    "buddyend": "a flag at each start, a victim at each end",
}
BARRIERS: dict[Barrier, str] = {
    "none": "never kept apart",
    "isolate": "kept apart if one is I",
    "unmergeable": "kept apart unless both are of U, M, E",
}
FALLBACKS: dict[Fallback, str] = {
    "take-largest": "the largest block; the free rest of its pageblock too if it is large",
    "steal-largest": "the largest block, whose rest changes its list; the pageblock too if enough "
    "of it is free",
    "move-then-retry": "all free blocks of the pageblock change their list, whether or not its "
    "type does",
    "claim-or-single": "all of the pageblock with its type, or the one block alone",
}
CMA_RULES: dict[CmaRule, str] = {
    "none": "never",
    "last": "when M is used up",
    "balanced": "when M is used up, or first if most of what is free is C",
}
ISOLATIONS: dict[Isolation, str] = {
    "move": "whole largest blocks, which still count as free",
    "account": "whole largest blocks, which no longer count as free",
    "split-ends": "pageblocks; what reaches over an end is cut",
    "split-large": "pageblocks; whatever is larger is cut",
}
RESERVES: dict[Reserve, str] = {
    "none": "none",
    "at-least-one": "a percent and one pageblock",
    "one-percent": "a percent in whole pageblocks, or none",
}
ZONE_LOCKED: dict[ZoneLocked, str] = {
    "attempt": "what was asked for, failures too",
    "attempt-but-cma-first": "the same, but none where C came first",
    "request": "what was asked for",
    "list": "the list's",
}
LISTS: dict[ListRule, str] = {
    "one": "single frames, a hot and a cold one",
    "types": "single frames, one a type",
    "orders": "orders 0 to 3 and huge pages, one a type",
    "huge-alone": "the same, huge pages together",
    "huge-by-movability": "the same, huge pages by whether they are M",
}
BATCHES: dict[BatchRule, str] = {
    "256k": "up to 16",
    "512k-rounded": "up to 31",
    "1m-rounded": "up to 63",
}
TUNINGS: dict[Tuning, str] = {
    "pair": "refill at two batches left, drain at six; cold ones at none and two",
    "batches": "drain at six batches",
    "doubling": "by the low mark; drains double",
    "doubling-flush": "the same; higher orders freed in a row empty the lists",
    "tuned": "refills double too, and high moves",
}
LIST_GUARDS: dict[GuardName, str] = {
    "irqs-off": "interrupts off",
    "no-interrupt": "interrupts may not",
    "local-lock": "local lock",
    "trylock-irqs-off": "lock that is tried, interrupts off",
    "trylock": "lock that is tried",
}
BULKS: dict[Bulk, str] = {
    "none": "none",
    "first-of-all": "yes; one frame at least, old ones counted",
    "first-of-call": "yes; one frame more at least",
}
MARKS: dict[MarksRule, str] = {
    "thirds": "1, 2, 3 times the same",
    "quarters": "4, 5, 6 quarters",
    "shift": "the share, and a quarter and a half of it above",
    "scale": "the same, the gap a thousandth of the zone at least",
}
RIGHTS: dict[RightsRule, str] = {
    "halves-down": "half, rounded down, and a quarter of the rest",
    "quarter-after": "half, and a quarter of the rest",
    "oom-instead": "the same; victims half again",
    "harder-needs-high": "the same; who is only impatient has none",
}
ORDER_CHECKS: dict[OrderCheck, str] = {
    "none": "nothing",
    "counts": "what is left order by order",
    "lists-or-rights": "a list that may serve; with rights any",
    "lists": "a list that may serve",
}
SHORTCUTS: dict[Shortcut, str] = {
    "none": "none",
    "wraps-cma-only": "wraps, and forgets the reserve",
    "wraps": "wraps",
    "stops": "stops at 0",
}
CHANGES: dict[str, str] = {
    "moved_to_tail": "what changes its list enters at the tail",
    "nofragment": "a request may rule out breaking up other pageblocks",
    "retypes_on_merge": "lists and pageblocks agree",
    "takes_poisoned": "a failed free frame is taken off",
    "returns_poisoned": "a failed frame can come back",
    "guards": "guard pages are counted",
}
"""The choices that are yes or no, in words."""

OF_LISTS: dict[str, str] = {
    "cold_at_tail": "cold frames are at the other end",
    "drains_from_preferred": "a drain begins with the list freed into",
    "buddy_after_lists": "the buddy is asked after a list that it could not refill",
    "can_disable": "can be switched off",
}
"""The same for CPUs' lists."""

BESIDES: dict[str, str] = {
    "drains_on_failure": "drains all lists before it fails",
    "boosts": "a fallback boosts the marks",
    "wakes_unboosted": "or wakes kswapd at least",
    "spares_urgent": "a boost is not for urgent single frames",
    "tries_high_first": "asks for the high mark first",
    "keeps_low_memory": "low zones keep a reserve",
    "reserves_by_highest": "which is that against the highest zone allowed",
    "movable_apart": "memory for M alone has a minimum of its own",
    "zonelists_by_zone": "zones may be tried by zone",
}
"""The same for watermarks and zones."""


def eras_markdown() -> str:
    """One row an era, oldest first."""
    return table(
        [
            "era",
            "free blocks known by",
            "index 0 is",
            "a freed block enters at",
            "a buddy exists by",
            "boot's blocks enter at",
        ],
        [
            (
                era.name,
                DESIGNS[era.design],
                BASES[era.index_base],
                PLACEMENTS[era.placement],
                "its pair's bit" if era.design == "bitmap" else BOUNDS[era.bounds],
                "tail" if era.boot_to_tail else "as any other",
            )
            for era in ERAS.values()
        ],
    )


def pageblocks_markdown() -> str:
    """One row an era that has pageblocks, oldest first."""
    return table(
        [
            "era",
            "types by number",
            "free buddies of two types are",
            "a fallback takes",
            "M uses C",
            "isolated are",
            "reserve for atomic requests",
            "`zone_locked` prints the type of",
            "besides",
        ],
        [_row(era) for era in ERAS.values() if era.numbering is not None],
    )


def lists_markdown() -> str:
    """The CPUs' lists: one row an era, oldest first."""
    return table(
        [
            "era",
            "lists of",
            "batch",
            "sizes",
            "kept by",
            "drained after",
            "bulk requests",
            "besides",
        ],
        [
            (
                era.name,
                LISTS[era.lists],
                BATCHES[era.batch],
                TUNINGS[era.tuning],
                LIST_GUARDS[era.guard],
                _drained_after(era),
                BULKS[era.bulk],
                _besides(era, OF_LISTS),
            )
            for era in ERAS.values()
        ],
    )


def marks_markdown() -> str:
    """Watermarks: one row an era, oldest first."""
    return table(
        [
            "era",
            "marks",
            "atomic requests may use of the lowest",
            "larger blocks need",
            "shortcut for single frames",
            "besides",
        ],
        [
            (
                era.name,
                MARKS[era.marks],
                RIGHTS[era.rights],
                ORDER_CHECKS[era.order_check],
                SHORTCUTS[era.shortcut],
                _besides(era, BESIDES),
            )
            for era in ERAS.values()
        ],
    )


def _row(era: Era) -> tuple[str, ...]:
    return (
        era.name,
        " ".join(LETTER_OF[mt] for mt in era.types),
        BARRIERS[era.barrier],
        FALLBACKS[era.fallback],
        CMA_RULES[era.cma],
        ISOLATIONS[era.isolation],
        RESERVES[era.reserve],
        ZONE_LOCKED[era.zone_locked],
        _besides(era, CHANGES),
    )


def _drained_after(era: Era) -> str:
    if era.numbering is None:
        return "nothing"
    return "each pageblock isolated" if era.drains_each_pageblock else "a range isolated"


def _besides(era: Era, choices: dict[str, str]) -> str:
    return (
        "; ".join(words for choice, words in choices.items() if getattr(era, choice)) or "nothing"
    )
