"""Faults of memory that is kept for some: the reserve for atomic requests, and CMA memory."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_ATOMIC = "    if want & ATOMIC and order > 0 and has_pageblocks"
_BALANCE = "told_cma(mem) > told_free(mem) >> 1"
_LAST = "want & ATOMIC and reserve_of(mem) == RESERVE_ONE_PERCENT"
_FULL = "nr_reserved_of(mem) >= reserve_limit(mem)"
_MERGEABLE = " or mt > MOST_REQUESTED:\n        return\n    pages"
_OWN = "CMA memory is used before or after its turn."
_SHARE = "The reserve serves or grows where it must not."

MUTANTS = (
    planted(
        "reserve-grows-once-more",
        "reserve",
        SLIP,
        "A pageblock is reserved when the reserve has reached its limit already: > for >=.",
        Edit("highatomic", _FULL, _FULL.replace(">=", ">")),
        laws=("HA-reserve",),
        fits=_SHARE,
    ),
    planted(
        "reserve-of-any-type",
        "reserve",
        SLIP,
        "The type of a pageblock that is to be reserved is not asked, and CMA memory is reserved.",
        Edit("highatomic", _MERGEABLE, ":\n        return\n    pages"),
        laws=("HA-reserve", "BUD-count"),
        fits=_SHARE + " CMA frames that move to its lists still count as CMA's.",
    ),
    planted(
        "reserve-for-single-frames",
        "reserve",
        SLIP,
        "Atomic requests for a single frame reserve a pageblock, too.",
        Edit("zonelist", _ATOMIC, _ATOMIC.replace(" and order > 0", "")),
        laws=("HA-reserve",),
        fits=_SHARE,
    ),
    planted(
        "reserve-as-last-resort",
        "reserve",
        "Linux 6.12",
        "An atomic request for a single frame may use the reserve when all else failed: 6.12's "
        "rule, in the earlier eras.",
        Edit("rmqueue", _LAST, _LAST.replace("== RESERVE_ONE_PERCENT", "!= NO_RESERVE")),
        laws=("HA-reserve", "MT-fallback"),
        fits=_SHARE,
    ),
    planted(
        "reserve-type-alone",
        "reserve",
        SLIP,
        "A pageblock is reserved and its free blocks stay on the lists of its former type.",
        Edit("highatomic", "        move_pageblock(mem, p, HIGHATOMIC)\n", ""),
        laws=("MT-list", "MT-claim"),
        fits="What the reserve was to keep is still given to anyone.",
    ),
    planted(
        "last-pageblock-given",
        "reserve",
        SLIP,
        "The last pageblock of the reserve is given up although nobody forces it: < for <=.",
        Edit(
            "highatomic",
            "nr_reserved_of(mem) <= 1 << pageblock",
            "nr_reserved_of(mem) < 1 << pageblock",
        ),
        laws=("HA-return",),
        fits="A reserve that is given up at once is none.",
    ),
    planted(
        "unreserve-makes-movable",
        "reserve",
        SLIP,
        "What is given up becomes movable, whoever asked; its blocks go to him who did.",
        Edit(
            "highatomic",
            "    set_pageblock_type(mem, p, mt)\n    return moved > 0",
            "    set_pageblock_type(mem, p, MOVABLE)\n    return moved > 0",
        ),
        Edit("highatomic", "HIGHATOMIC, MOST_REQUESTED\n", "HIGHATOMIC, MOST_REQUESTED, MOVABLE\n"),
        laws=("HA-return", "MT-list"),
        fits="The pageblock has another type than the one that asked.",
    ),
    planted(
        "cma-for-anyone",
        "reserve",
        SLIP,
        "CMA memory serves requests of all types when their own has nothing.",
        Edit("rmqueue", "cma_rule_of(mem) if mt == MOVABLE else NO_CMA", "cma_rule_of(mem)"),
        laws=("CMA-only-movable",),
        fits="What cannot be moved away lies in memory that a device will claim.",
    ),
    planted(
        "cma-first-at-exactly-half",
        "reserve",
        SLIP,
        "CMA memory goes first as soon as it is half of what is free: >= for >.",
        Edit("rmqueue", _BALANCE, _BALANCE.replace(">", ">=", 1)),
        laws=("MT-own",),
        fits=_OWN,
    ),
    planted(
        "cma-subtracted-before",
        "reserve",
        "LNX-WM-03",
        "The count of free frames has CMA's taken off before it is compared with CMA's.",
        Edit("rmqueue", _BALANCE, "told_cma(mem) > told_free(mem) - told_cma(mem) >> 1"),
        laws=("MT-own",),
        fits=_OWN,
    ),
    planted(
        "cma-not-counted",
        "reserve",
        SLIP,
        "CMA frames that are freed count as free and not as CMA's.",
        Edit("zone", "        if mt == CMA:\n", "        if mt == CMA and pages < 0:\n"),
        laws=("BUD-count", "INIT"),
        fits="A count by type and the lists disagree.",
    ),
)
