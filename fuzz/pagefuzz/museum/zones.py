"""Faults that only hosts of several zones can have: which zone serves, and what is counted."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_EACH = "    for number in range(count):\n        mem = zone_at(zones, number)\n"
_FIRST = _EACH.replace("range(count)", "range(min(count, 1))")
_TRIED = "        if may_serve"

_CHOSEN = "Another zone serves than the first on the list that may."
_COUNTED = "What was meant for one node is counted for another."
_CLASS = "highest if by_highest else word_at(host, row_of(preferred) + CLASS)"
_KEPT = "Low memory is used up by those who could do without it, or kept from those who could not."

MUTANTS = (
    planted(
        "zones-tried-from-the-last",
        "zone choice",
        SLIP,
        "The zones of the list are tried from the last to the first, the scarcest memory first.",
        Edit(
            "zonelist",
            _EACH + _TRIED,
            _EACH.replace("range(count)", "range(count - 1, -1, -1)") + _TRIED,
        ),
        laws=("NUMA-zonelist",),
        fits=_CHOSEN,
    ),
    planted(
        "first-zone-alone",
        "zone choice",
        SLIP,
        "If the first zone of the list cannot serve, the request fails.",
        Edit("zonelist", _EACH + _TRIED, _FIRST + _TRIED),
        laws=("NUMA-zonelist", "OUT-return"),
        fits="A request fails, or goes round again, although the next zone may serve it.",
    ),
    planted(
        "reserve-of-the-highest",
        "zone choice",
        SLIP,
        "What a zone keeps goes by the highest class that the request allows in every era, not by "
        "that of the first zone of the list.",
        Edit("system", _CLASS, "highest"),
        laws=("NUMA-zonelist", "WM-sound", "WM-serve"),
        fits=_KEPT,
    ),
    planted(
        "miss-counted-where-meant",
        "zone choice",
        SLIP,
        "A miss is counted by the zone that it was meant for, not by the one that served.",
        Edit(
            "system",
            "set_word(host, row + MISS, word_at(host, row + MISS) + times)",
            "set_word(host, meant + MISS, word_at(host, meant + MISS) + times)",
        ),
        laws=("NUMA-count", "NUMA-sum"),
        fits=_COUNTED,
    ),
    planted(
        "foreign-not-counted",
        "zone choice",
        SLIP,
        "A miss counts for the zone that served alone, and not as foreign for the one it was meant "
        "for.",
        Edit(
            "system",
            "        set_word(host, meant + FOREIGN, word_at(host, meant + FOREIGN) + times)\n",
            "",
        ),
        laws=("NUMA-count", "NUMA-sum"),
        fits=_COUNTED,
    ),
    planted(
        "near-to-the-first-cpu",
        "zone choice",
        SLIP,
        "Local and other are told apart by the node of the first CPU, whoever asks.",
        Edit("system", "word_at(host, CPU_NODES) + cpu)", "word_at(host, CPU_NODES))"),
        laws=("NUMA-count",),
        fits=_COUNTED,
    ),
    planted(
        "bulk-counted-once",
        "zone choice",
        SLIP,
        "All frames that a bulk request takes from a list count as a single hit.",
        Edit("system", "want >> CPU_SHIFT & CPU_BITS, got)", "want >> CPU_SHIFT & CPU_BITS, 1)"),
        laws=("NUMA-count", "NUMA-sum"),
        fits=_COUNTED,
    ),
    planted(
        "near-lists-expire-too",
        "zone choice",
        SLIP,
        "A CPU's lists expire whatever the zone, also of its own node.",
        Edit("system", "if far_of(mem, area_of(mem, cpu, 0)):", "if area_of(mem, cpu, 0):"),
        laws=("ZONE-untouched",),
        fits="A zone changes that the request has nothing to do with.",
    ),
    planted(
        "frame-of-the-next-zone",
        "zone choice",
        SLIP,
        "The frame behind a zone's last counts as one of the zone: <= for <.",
        Edit("system", "shift_of(mem) < end_of(mem):", "shift_of(mem) <= end_of(mem):"),
        laws=("NUMA-refuse", "ZONE-untouched", "OUT-refuse", "BULK-host"),
        fits="A request is taken for one to the zone before.",
    ),
)
