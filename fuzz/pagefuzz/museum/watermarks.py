"""Faults of watermarks: who is let below which mark, and what happens on the way to failing."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_STRICT = "    if free <= least + reserve:\n        return False"
_SHARED = "A zone serves a request that it must refuse, or refuses one that it must serve."
_LAST_TRY = "On the way to failing, the kernel does another thing."

MUTANTS = (
    planted(
        "mark-itself-passes",
        "watermarks",
        SLIP,
        "A request that leaves exactly the mark is served: < for <=.",
        Edit("watermark.ok", _STRICT, _STRICT.replace("<=", "<")),
        laws=("WM-serve", "WM-sound"),
        fits=_SHARED,
    ),
    planted(
        "request-itself-not-counted",
        "watermarks",
        SLIP,
        "The frames that the request takes are not left out of what is compared with the mark.",
        Edit(
            "watermark.ok",
            "free_pages_of(mem) - ((1 << order) - 1) - unusable",
            ("free_pages_of(mem) - unusable"),
        ),
        laws=("WM-serve", "WM-sound"),
        fits=_SHARED,
    ),
    planted(
        "unsigned-shortcut",
        "watermarks",
        "LNX-WM-02",
        "The shortcut's difference wraps below 0 in every era, so that a zone with fewer free "
        "frames than are set aside lets everybody pass.",
        Edit(
            "watermark.check", "        return shortcut_of(mem) != STOPS\n", "        return True\n"
        ),
        laws=("WM-serve", "WM-sound"),
        fits=_SHARED,
    ),
    planted(
        "cma-frames-counted-for-all",
        "watermarks",
        SLIP,
        "Free CMA frames count for requests that may not use them.",
        Edit(
            "watermark.ok",
            "    if want >> WANTED_SHIFT != MOVABLE:\n        pages += free_cma_of(mem)\n",
            "",
        ),
        laws=("WM-serve", "WM-sound"),
        fits=_SHARED,
    ),
    planted(
        "reserve-counted-for-all",
        "watermarks",
        SLIP,
        "The reserve for atomic requests counts for everybody.",
        Edit(
            "watermark.ok",
            "    if rights & RIGHT_HARDER == 0:\n        pages =",
            "    if rights & RIGHT_HARDER != 0:\n        pages =",
        ),
        laws=("WM-serve", "WM-sound"),
        fits=_SHARED,
    ),
    planted(
        "order-not-asked",
        "watermarks",
        SLIP,
        "A zone with enough free frames serves a larger block without a look at its lists or "
        "orders.",
        Edit(
            "watermark.ok",
            "order == 0 or order_check_of(mem) == CHECK_NO_ORDER",
            "order >= 0 or order_check_of(mem) == CHECK_NO_ORDER",
        ),
        laws=("WM-serve", "WM-sound", "WM-high"),
        fits=_SHARED,
    ),
    planted(
        "mark-not-halved",
        "watermarks",
        SLIP,
        "What must be left at the orders below does not halve from one to the next.",
        Edit("watermark.check", "        mark >>= 1\n", ""),
        laws=("WM-serve", "WM-sound"),
        fits=_SHARED,
    ),
    planted(
        "rights-of-the-halved-mark",
        "watermarks",
        "Linux 6.3",
        "A request that cannot wait lowers the mark by a quarter before the urgent half, and so by "
        "more.",
        Edit(
            "watermark.check",
            "    return mark - (mark >> 2) if harder else mark",
            "    return mark - (mark >> 1) if harder else mark",
        ),
        laws=("WM-serve", "WM-sound"),
        fits=_SHARED,
    ),
    planted(
        "atomic-without-rights",
        "watermarks",
        SLIP,
        "Atomic requests are held to the same mark as all others.",
        Edit(
            "zonelist",
            "RIGHT_HIGH | RIGHT_HARDER if want & ATOMIC else",
            ("NO_RIGHTS if want & ATOMIC else"),
        ),
        laws=("WM-serve",),
        fits=_SHARED,
    ),
    planted(
        "rights-at-the-low-mark",
        "watermarks",
        SLIP,
        "The first try already has the rights of the second.",
        Edit("zonelist", "of_class, MARK_LOW, NO_RIGHTS\n", "of_class, MARK_LOW, rights\n"),
        laws=("WM-serve", "WM-sound"),
        fits=_LAST_TRY,
    ),
    planted(
        "kswapd-sleeps-on",
        "watermarks",
        SLIP,
        "Nobody wakes kswapd when no zone is above its low mark.",
        Edit("zonelist", "    wake_kswapd(zones, count)\n", ""),
        laws=("WM-serve", "WM-wake", "TWIN-equal", "ZONE-frame"),
        fits=_LAST_TRY,
    ),
    planted(
        "boost-not-added",
        "watermarks",
        SLIP,
        "The marks are compared without their boost.",
        Edit("zonelist", "mark_of(mem, level) + boost, reserve", "mark_of(mem, level), reserve"),
        laws=("WM-serve", "WM-sound"),
        fits=_SHARED,
    ),
    planted(
        "boost-without-bound",
        "watermarks",
        SLIP,
        "Each fallback boosts the marks by a pageblock, without a limit.",
        Edit(
            "watermark.boost",
            "min(boost_of(mem) + size, max(size, most))",
            "boost_of(mem) + size",
        ),
        laws=("WM-formula", "WM-boost", "TWIN-equal"),
        fits="The marks are not what the formula says.",
    ),
    planted(
        "high-asked-again",
        "watermarks",
        SLIP,
        "That a zone is below its high mark is not remembered, so its lists do not shrink.",
        Edit("zonelist", "        set_below_high(mem, 1)\n", ""),
        laws=("WM-high", "TWIN-equal"),
        fits="The flag says another thing than the last look did.",
    ),
    planted(
        "above-high-forgotten",
        "watermarks",
        SLIP,
        "A zone that is above its high mark again after a drain still counts as below it.",
        Edit("pcp.lists", "        recheck_high(mem)\n", ""),
        laws=("WM-high", "TWIN-equal"),
        fits="The flag says another thing than the last look did.",
    ),
    planted(
        "nothing-drained-before-failing",
        "watermarks",
        "LNX-PCP-17",
        "A request fails while what it needs is on the lists of CPUs, whose frames do not merge.",
        Edit("zonelist", "        drain_all(zone_at(zones, number))\n", "        pass\n"),
        laws=("WM-serve", "PCP-leak", "PCP-drain", "BUD-success", "WM-last"),
        fits=_LAST_TRY,
    ),
    planted(
        "reserve-kept-to-the-end",
        "watermarks",
        SLIP,
        "A request fails without that a pageblock of the reserve was given up.",
        Edit(
            "zonelist",
            "        if has_reserve and unreserve_pageblock(mem, mt, False):",
            "        if has_reserve and False:",
        ),
        laws=("WM-serve", "HA-return", "BUD-success", "WM-last", "TWIN-equal"),
        fits=_LAST_TRY,
    ),
    planted(
        "emergency-held-to-marks",
        "watermarks",
        SLIP,
        "A request in an emergency is held to the marks.",
        Edit(
            "zonelist",
            "    if not marked_of(mem) or want & EMERGENCY:",
            "    if not marked_of(mem):",
        ),
        laws=("WM-serve",),
        fits=_SHARED,
    ),
)
