"""Faults that only hosts of several zones can have: which zone serves, and what is counted."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_EACH = "    for number in range(count):\n        mem = zone_at(zones, number)\n"
_FIRST = _EACH.replace("range(count)", "range(min(count, 1))")
_TRIED = "        if may_serve"

_CHOSEN = "Another zone serves than the first on the list that may."
_COUNTED = "What was meant for one node is counted for another."
_CLASS = "highest if by_highest else word_at(host, row_of(preferred) + CLASS)"
_KEPT = "Low memory is used up by those who could do without it, or kept from those who could not."
_DRAINED = "On the way to failing, zones of the list are left as they are."

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
        laws=("NUMA-zonelist",),
        fits=_CHOSEN,
    ),
    planted(
        "near-means-any",
        "zone choice",
        SLIP,
        "A bulk request takes its frames from the first zone that has the room, of whatever node.",
        Edit("system", "word_at(near, NEARBY), pages", "word_at(near, LISTED), pages"),
        laws=("BULK-host",),
        fits="Frames of far zones fill the array, which one near frame would have done.",
    ),
    planted(
        "reserve-of-the-preferred",
        "zone choice",
        "Linux 2.6.11",
        "What a zone keeps goes by the class of the first zone of the list in every era, not by "
        "the highest that the request allows.",
        Edit("system", _CLASS, "word_at(host, row_of(preferred) + CLASS)"),
        laws=("NUMA-zonelist", "WM-sound", "WM-serve"),
        fits=_KEPT,
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
        "reserve-of-the-class-below",
        "zone choice",
        SLIP,
        "What a zone keeps is looked up one class too low.",
        Edit(
            "zonelist",
            "lowmem_reserve_of(mem, of_class) if",
            "lowmem_reserve_of(mem, max(0, of_class - 1)) if",
        ),
        laws=("NUMA-zonelist", "WM-sound", "WM-serve", "BULK-host"),
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
        "first-zone-drained-alone",
        "zone choice",
        SLIP,
        "Before a request fails, the lists of the first zone are drained, and not those of the "
        "others.",
        Edit(
            "zonelist",
            "    for number in range(count):\n        drain_all",
            "    for number in range(min(count, 1)):\n        drain_all",
        ),
        laws=("NUMA-zonelist", "WM-serve"),
        fits=_DRAINED,
    ),
    planted(
        "first-kswapd-woken-alone",
        "zone choice",
        SLIP,
        "Only for the first zone of the list kswapd is woken.",
        Edit(
            "zonelist",
            _EACH + "        if marked_of",
            _FIRST + "        if marked_of",
        ),
        laws=("WM-serve",),
        fits="The other zones go on towards their lowest marks.",
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
