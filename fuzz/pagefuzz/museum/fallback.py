"""Faults of taking another type's memory: whose, how much of it, and what changes hands."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_TABLE = "(FIRST_FALLBACK[mt], LAST_FALLBACK[mt])"
_SEEK = "if p != 0 and from_order > order and not can_steal(mem, from_order, mt):"
_LARGEST = "least - 1, -1, mt)"
_STEAL = "order >= pageblock_order_of(mem) >> 1 or mt != MOVABLE"
_HANDS = "More or less than the era's rule says has changed hands."
_FOUND = "The block that serves is not the one that the fallback must find."

MUTANTS = (
    planted(
        "table-swapped-for-reclaimable",
        "fallback",
        SLIP,
        "A reclaimable request takes movable memory before it looks for unmovable memory.",
        Edit(
            "fallback",
            _TABLE,
            "((FIRST_FALLBACK[mt], LAST_FALLBACK[mt])[:: -1 if mt == RECLAIMABLE else 1])",
        ),
        laws=("MT-fallback",),
        fits=_FOUND,
    ),
    planted(
        "second-choice-forgotten",
        "fallback",
        SLIP,
        "Only the first type of the table is looked at.",
        Edit("fallback", _TABLE, "(FIRST_FALLBACK[mt],)"),
        laws=("BUD-success", "MT-fallback"),
        fits="A request fails, or takes a small block, although the other type has a large one.",
    ),
    planted(
        "smallest-not-sought",
        "fallback",
        "Linux 4.10",
        "A movable request that can use nothing but the block takes the largest one all the same: "
        "4.10's way, in the eras that seek the smallest.",
        Edit("fallback", _SEEK, "if p != 0 and from_order < order:"),
        laws=("MT-fallback",),
        fits=_FOUND,
    ),
    planted(
        "fallback-short-of-top",
        "fallback",
        SLIP,
        "The search for the largest block begins one order too low, and top blocks of other types "
        "are never used.",
        Edit(
            "fallback",
            "find_fallback(mem, top, " + _LARGEST,
            "find_fallback(mem, max(top - 1, least), " + _LARGEST,
        ),
        laws=("BUD-success", "MT-fallback"),
        fits="A request fails, or takes a small block, although a top block of another type is "
        "free.",
    ),
    planted(
        "nofragment-ignored",
        "fallback",
        SLIP,
        "A request that must not break up other types' pageblocks does so.",
        Edit("fallback", "least = max(order, pageblock_order_of(mem))", "least = order"),
        laws=("MT-fallback",),
        fits="A request is served from what may not serve it.",
    ),
    planted(
        "movable-steals-too",
        "fallback",
        SLIP,
        "A movable request takes all of the pageblock along whatever the size of the block.",
        Edit("fallback", _STEAL, "order >= 0"),
        laws=("MT-claim", "MT-fallback"),
        fits=_HANDS,
    ),
    planted(
        "only-reclaimable-steals",
        "fallback",
        "Linux 2.6.37",
        "Of the requests whose memory does not move, only reclaimable ones take the pageblock "
        "along: 2.6.37's rule, in the later eras.",
        Edit("fallback", _STEAL, _STEAL.replace("mt != MOVABLE", "mt == RECLAIMABLE")),
        laws=("MT-claim", "MT-fallback"),
        fits=_HANDS,
    ),
    planted(
        "claim-needs-more-than-half",
        "fallback",
        SLIP,
        "A pageblock of which exactly half is free or alike is not claimed: > for >=.",
        Edit("fallback", "return pages >= 1 <<", "return pages > 1 <<"),
        laws=("MT-claim", "MT-fallback"),
        fits=_HANDS,
    ),
    planted(
        "alike-not-counted",
        "fallback",
        "Linux 4.10",
        "A claim counts what is free and not what is alike: 4.10's rule, in the later eras.",
        Edit("fallback", "    if mt == MOVABLE:\n        return movable\n", ""),
        Edit(
            "fallback",
            "        return (1 << pageblock_order_of(mem)) - free - movable\n",
            "        return 0\n",
        ),
        laws=("MT-claim", "MT-fallback"),
        fits=_HANDS,
    ),
    planted(
        "alike-in-any-pageblock",
        "fallback",
        SLIP,
        "What cannot be moved counts as alike in any pageblock, and not in movable ones only.",
        Edit("fallback", "    if block_mt == MOVABLE:\n", "    if block_mt <= RECLAIMABLE:\n"),
        laws=("MT-claim", "MT-fallback"),
        fits=_HANDS,
    ),
    planted(
        "rest-on-the-requests-lists",
        "fallback",
        "Linux 4.10",
        "The rest of a single block goes to the lists of the request's type: 4.10's way, in 6.12.",
        Edit(
            "fallback",
            "take(mem, p, order, from_order, block_mt)",
            "take(mem, p, order, from_order, mt)",
        ),
        laws=("MT-list", "MT-claim"),
        fits="A block is on the list of another type than its pageblock's.",
    ),
    planted(
        "reserve-stolen",
        "fallback",
        SLIP,
        "A block on another list is taken with its pageblock although that is one of the reserve.",
        Edit("fallback", " and pageblock_type(mem, p) != HIGHATOMIC", ""),
        Edit("fallback", "elif block_mt == HIGHATOMIC or not", "elif not"),
        Edit("fallback", " and block_mt != HIGHATOMIC:", ":"),
        laws=("MT-claim",),
        fits=_HANDS,
    ),
    planted(
        "last-resort-forgotten",
        "fallback",
        SLIP,
        "2.6.37 does not try its emergency reserve when no other type has anything.",
        Edit("rmqueue", "if p == 0 and fallback_of(mem) == TAKE_LARGEST:", "if p < 0:"),
        laws=("BUD-success",),
        fits="A request fails although what may serve it is free.",
    ),
)
