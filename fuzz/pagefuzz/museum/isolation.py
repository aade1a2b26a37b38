"""Faults of isolation and its undoing: what is set apart, what is cut, and what counts as free."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_BY_TYPE = "        free_one_block(mem, p, order, pageblock_type(mem, p), to_tail)\n"
_BY_LABEL = (
    "        mt = pageblock_type(mem, p)\n"
    "        free_one_block(mem, p, order, MOVABLE if {label} else mt, to_tail)\n"
)
_MOVABLE = Edit(
    "buddy", "import ISOLATE, MOST_REQUESTED", "import ISOLATE, MOST_REQUESTED, MOVABLE"
)
_ISOLATED = "mt == ISOLATE and isolation_of(mem) != ISOLATE_BY_MOVE"
_LIST = "A block is on the list of another type than its pageblock's."
_COUNT = "The count of free frames and the lists that count disagree."

MUTANTS = (
    planted(
        "freed-past-the-isolation",
        "isolation",
        "LNX-PCP-01",
        "A block that is freed in an isolated pageblock goes to the movable list that it would "
        "have gone to before.",
        _MOVABLE,
        Edit("buddy", _BY_TYPE, _BY_LABEL.format(label="mt == ISOLATE")),
        laws=("MT-list", "BUD-count"),
        fits=_LIST[:-1] + ", and counts as free, or not, by the wrong one.",
    ),
    planted(
        "kept-types-freed-as-movable",
        "isolation",
        "LNX-PCP-08",
        "CMA memory and the reserve's ride with the movable types, and that label is still on them "
        "when they are freed.",
        _MOVABLE,
        Edit("buddy", _BY_TYPE, _BY_LABEL.format(label="MOST_REQUESTED < mt < ISOLATE")),
        laws=("MT-list", "BUD-count", "BUD-place"),
        fits=_LIST + " Of the reserve's, until 6.1, only `exact` says where they belong.",
    ),
    planted(
        "isolated-still-counted",
        "isolation",
        SLIP,
        "A pageblock that is isolated does not leave the count of free frames.",
        Edit("isolation", "        account_at_once(mem, -moved, was)\n", "        pass\n"),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "isolated-never-counted",
        "isolation",
        "Linux 4.10",
        "Isolated frames do not count as free: 4.10's rule, in the eras before, where isolating "
        "only moves lists.",
        Edit("zone", _ISOLATED, "mt == ISOLATE"),
        laws=("BUD-count", "INIT"),
        fits=_COUNT,
    ),
    planted(
        "restored-not-counted",
        "isolation",
        SLIP,
        "A pageblock whose isolation ends does not come back to the count of free frames.",
        Edit("isolation", "            account_at_once(mem, moved, mt)\n", "            pass\n"),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "large-block-isolated-whole",
        "isolation",
        SLIP,
        "A free block that is larger than the pageblock is not cut before that is isolated.",
        Edit("isolation", "    if order > pageblock_order_of(mem):\n", "    if order > 15:\n"),
        laws=("MT-list", "BUD-count"),
        fits=_LIST[:-1] + ", and counts as free, or not, by the wrong one.",
    ),
    planted(
        "isolated-twice",
        "isolation",
        SLIP,
        "A range that is isolated in part is isolated once more.",
        Edit(
            "contig",
            "        if pageblock_type(mem, head) == ISOLATE:\n            return ISOLATED\n    if",
            "        if head < p:\n            return ISOLATED\n    if",
        ),
        laws=("BUD-refuse",),
        fits="A request that must be refused is served.",
    ),
)
