"""The eras as tables: what each kernel chose."""

from pagefuzz.report.markdown import table
from pagespec.era import (
    ERAS,
    Barrier,
    Bounds,
    CmaRule,
    Design,
    Era,
    Fallback,
    IndexBase,
    Isolation,
    Placement,
    Reserve,
    ZoneLocked,
)
from pagespec.migratetype import LETTER_OF

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
    "request": "what was asked for",
    "list": "the list's",
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
        "; ".join(words for choice, words in CHANGES.items() if getattr(era, choice)) or "nothing",
    )
