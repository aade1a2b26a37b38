"""Faults of watermarks: who is let below which mark, and what happens on the way to failing."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_STRICT = "    if free <= least + reserve:\n        return False"
_SHARED = "A zone serves a request that it must refuse, or refuses one that it must serve."
_TOO_EARLY = (
    "A zone serves a request that it must refuse, or at an earlier try than it may. Where the "
    "later one finds a block too, the lists alone tell that no CPU gave back before."
)
_LAST_TRY = "On the way to failing, the kernel does another thing."

MUTANTS = (
    planted(
        "mark-itself-passes",
        "watermarks",
        SLIP,
        "A request that leaves exactly the mark is served: < for <=.",
        Edit("watermark.ok", _STRICT, _STRICT.replace("<=", "<")),
        laws=("WM-serve", "WM-sound", "BUD-place"),
        fits=_TOO_EARLY,
    ),
    planted(
        "request-itself-not-counted",
        "watermarks",
        SLIP,
        "The frames that the request takes are not left out of what is compared with the mark.",
        Edit(
            "watermark.ok",
            "free_as_seen(mem) - ((1 << order) - 1) - unusable",
            "free_as_seen(mem) - unusable",
        ),
        laws=("WM-serve", "WM-sound", "BUD-place"),
        fits=_TOO_EARLY,
    ),
    planted(
        "cma-frames-counted-for-all",
        "watermarks",
        SLIP,
        "Free CMA frames count for requests that may not use them.",
        Edit(
            "watermark.ok",
            "    if want >> WANTED_SHIFT != MOVABLE:\n        pages += told_cma(mem)\n",
            "",
        ),
        laws=("WM-serve", "WM-sound", "BUD-place"),
        fits=_TOO_EARLY,
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
        laws=("WM-serve", "WM-sound", "BUD-place"),
        fits=_TOO_EARLY,
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
        laws=("WM-serve", "WM-sound", "MT-own"),
        fits="It passes a mark too early, or is served by other lists than at the second try.",
    ),
    planted(
        "kswapd-sleeps-on",
        "watermarks",
        SLIP,
        "Nobody wakes kswapd when no zone is above its low mark.",
        Edit("zonelist", "    wake_kswapd(zones, count)\n", ""),
        laws=("WM-serve", "ZONE-frame"),
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
        "above-high-forgotten",
        "watermarks",
        SLIP,
        "A zone that is above its high mark again after a drain still counts as below it.",
        Edit("pcp.lists", "        recheck_high(mem)\n", ""),
        laws=("WM-high",),
        fits="The flag says another thing than the last look did.",
    ),
    planted(
        "nothing-drained-before-failing",
        "watermarks",
        "LNX-PCP-17",
        "A request fails while what it needs is on the lists of CPUs, whose frames do not merge.",
        Edit(
            "zonelist",
            "        drain_all(zone_at(zones, number), cpu_of(want))\n",
            "        pass\n",
        ),
        laws=("WM-serve", "PCP-leak", "PCP-drain", "BUD-success"),
        fits=_LAST_TRY,
    ),
    planted(
        "emergency-held-to-marks",
        "watermarks",
        SLIP,
        "A request in an emergency is held to the marks.",
        Edit("zonelist", "of_class, NO_MARK,", "of_class, MARK_MIN,"),
        laws=("WM-serve", "OUT-return"),
        fits=_SHARED,
    ),
    planted(
        "emergency-drains-too",
        "watermarks",
        SLIP,
        "An emergency has the reserve given up and all lists drained before it goes below the "
        "marks.",
        Edit(
            "zonelist",
            "want & EMERGENCY:\n",
            "want & EMERGENCY:\n        gather(zones, count, want >> WANTED_SHIFT)\n",
        ),
        laws=("PCP-owner", "PCP-leak", "HA-return", "WM-sound", "WM-serve"),
        fits=_LAST_TRY,
    ),
    planted(
        "boost-wakes-nobody",
        "watermarks",
        SLIP,
        "A boost is noted as seen, and kswapd, for whose sake it was made, sleeps on.",
        Edit(
            "zonelist",
            "        set_boosted(mem, 0)\n        wake(mem)\n",
            "        set_boosted(mem, 0)\n",
        ),
        laws=("WM-serve",),
        fits=_LAST_TRY,
    ),
)
