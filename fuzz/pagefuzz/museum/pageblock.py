"""Faults of pageblocks' types: what merges over them, and what moves when they change."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_RETYPE = (
    "            if retypes_on_merge_of(mem):\n                set_pageblock_type(mem, buddy, mt)\n"
)
_ABOVE = "if order >= pageblock_order_of(mem):\n            other"
_LIST = "A block is on the list of another type than its pageblock's."
_BARRIER = (
    "Memory is merged with memory of a type that the era keeps apart from it, and leaves the list, "
    "or the count, of its own."
)
_MOVED = "Free blocks have not gone where their pageblock's new type says, or too many have."
_SPLITS = "if order > pageblock_order_of(mem) and retypes_on_merge_of(mem):"

MUTANTS = (
    planted(
        "barrier-asks-one-side",
        "pageblock",
        "LNX-ISO-01",
        "A merge is held back only if the block that is freed must be kept apart, not if its buddy "
        "must.",
        Edit(
            "buddy",
            "        mt > MOST_REQUESTED or other > MOST_REQUESTED\n",
            "        mt > MOST_REQUESTED\n",
        ),
        laws=("MT-barrier", "MT-list", "BUD-count", "INIT"),
        fits=_BARRIER,
    ),
    planted(
        "barrier-for-isolated-only",
        "pageblock",
        "Linux 5.15",
        "Of all types only isolated memory is kept apart: 5.15's barrier, in the later eras.",
        Edit(
            "buddy",
            "        mt > MOST_REQUESTED or other > MOST_REQUESTED\n",
            "        mt == ISOLATE or other == ISOLATE\n",
        ),
        laws=("MT-barrier", "MT-list", "BUD-count", "INIT"),
        fits=_BARRIER,
    ),
    planted(
        "barrier-between-all-types",
        "pageblock",
        SLIP,
        "Pageblocks of any two types are kept apart, also those that may merge.",
        Edit(
            "buddy",
            "return barrier_of(mem) == UNMERGEABLE_BARRIER and (",
            "return barrier_of(mem) == UNMERGEABLE_BARRIER or (",
        ),
        laws=("MT-merge", "INIT"),
        fits="Two free buddies whose types may merge stay apart.",
    ),
    planted(
        "barrier-one-order-late",
        "pageblock",
        SLIP,
        "The types are compared from the order above a pageblock's on: > for >=.",
        Edit("buddy", _ABOVE, _ABOVE.replace(">=", ">")),
        laws=("MT-barrier", "MT-list", "BUD-count", "INIT"),
        fits=_BARRIER,
    ),
    planted(
        "merge-keeps-the-type",
        "pageblock",
        "Linux 6.1",
        "A pageblock that is absorbed keeps its type: 6.1's merge, in 6.12.",
        Edit("buddy", _RETYPE, ""),
        laws=("MT-list",),
        fits=_LIST,
    ),
    planted(
        "large-block-freed-whole",
        "pageblock",
        "Linux 6.1",
        "A block that is larger than a pageblock is freed to the type of its first one: 6.1's way, "
        "in 6.12.",
        Edit("buddy", _SPLITS, "if order > 15:"),
        laws=("MT-list", "BUD-count", "BUD-place"),
        fits=_LIST[:-1] + ", and counts as free, or not, by the wrong one; or it enters that list "
        "in another order.",
    ),
    planted(
        "type-set-at-the-frame",
        "pageblock",
        SLIP,
        "The type is written where the frame is and not where its pageblock begins.",
        Edit("pageblock", "    set_type(mem, head, mt)", "    set_type(mem, p, mt)"),
        laws=("MT-claim", "MT-list", "HA-reserve"),
        fits="The pageblock keeps its type although its blocks have gone to the lists of another.",
    ),
    planted(
        "first-of-many-retyped",
        "pageblock",
        SLIP,
        "Of the pageblocks that a block covers, the first alone changes its type.",
        Edit(
            "pageblock",
            "range(p, p + (1 << order), 1 << pageblock_order_of(mem))",
            "range(p, p + 1)",
        ),
        laws=("MT-claim", "MT-list"),
        fits="A pageblock that changed hands has another type than the request's.",
    ),
    planted(
        "moved-from-the-frame-on",
        "pageblock",
        "LNX-BND-01",
        "Of a pageblock that begins before the zone, the free blocks move from the frame in hand "
        "on, and what lies between the zone's start and that frame stays on its list.",
        Edit(
            "pageblock",
            "return (p, p) if retypes_on_merge_of(mem) else (p, end)",
            "return (p, end)",
        ),
        laws=("MT-list", "MT-claim", "MT-fallback"),
        fits=_MOVED,
    ),
    planted(
        "moved-at-the-zones-end",
        "pageblock",
        SLIP,
        "The free blocks of a pageblock that reaches over the zone's end move, too.",
        Edit("pageblock", "    if end > end_of(mem):\n        return p, p\n", ""),
        laws=("MT-claim", "MT-fallback", "HA-return"),
        fits=_MOVED,
    ),
    planted(
        "moved-to-the-head",
        "pageblock",
        "Linux 4.10",
        "Blocks that change their type enter at the head: 4.10's way, in the later eras.",
        Edit("pageblock", "moved_to_tail_of(mem) != 0", "False"),
        laws=("BUD-place",),
        fits="Nothing but the place in the list changes.",
    ),
    planted(
        "move-counts-blocks",
        "pageblock",
        "LNX-CMP-10",
        "A block that moves counts as one frame, whatever its order.",
        Edit("pageblock", "        moved += 1 << order\n", "        moved += 1\n"),
        laws=("BUD-count", "MT-claim"),
        fits="As many frames too few are claimed for, or leave the count of free ones.",
    ),
    planted(
        "move-forgets-the-counts",
        "pageblock",
        SLIP,
        "Blocks move between lists in 6.12 and the counts by type stay.",
        Edit(
            "pageblock",
            "            account_at_once(mem, 1 << order, mt)\n",
            "            account_at_once(mem, 1 << order, pageblock_type(mem, p))\n",
        ),
        laws=("BUD-count",),
        fits="A count by type and the lists disagree.",
    ),
)
