"""Faults of bulk requests, which fill the empty slots of an array."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_PROMISE = "The answer is not how many slots from the first on are known to be filled."
_OVERWRITTEN = "A frame that somebody holds is in no slot any more, or the array holds one twice."

MUTANTS = (
    planted(
        "one-slot-too-many",
        "bulk requests",
        "LNX-BULK-01",
        "A full array is found to be full by one slot late, and one frame more is taken.",
        Edit("bulk", "    if slot == pages:\n        return slot, 0, 0, True\n", ""),
        laws=(
            "BULK-prefix",
            "BULK-settle",
            "OUT-fault",
        ),
        fits="The answer is more than the slots that the request has, which nobody may answer.",
    ),
    planted(
        "full-array-counts-nothing",
        "bulk requests",
        "LNX-BULK-02",
        "The answer for an array that is full already is 0.",
        Edit("bulk", "        return slot, 0, 0, True\n", "        return 0, 0, 0, True\n"),
        laws=(
            "BULK-prefix",
            "BULK-settle",
        ),
        fits=_PROMISE,
    ),
    planted(
        "filled-slots-overwritten",
        "bulk requests",
        SLIP,
        "Behind the first empty slot those that are filled get a new frame, too.",
        Edit("bulk", "        if not is_filled(zones, count, slot):\n", "        if slot >= 0:\n"),
        laws=("BULK-prefix",),
        fits=_OVERWRITTEN,
    ),
    planted(
        "bulk-without-room",
        "bulk requests",
        SLIP,
        "Whether the zone keeps above its low mark is asked for one frame, not for all of them.",
        Edit("bulk", "boost_of(mem) + pages\n", "boost_of(mem) + 1\n"),
        laws=("BULK-settle", "WM-sound"),
        fits="The zone falls below its mark.",
    ),
    planted(
        "bulk-counts-slots",
        "bulk requests",
        SLIP,
        "All slots count as allocated, not only those that were empty.",
        Edit(
            "bulk",
            "count_alloc(mem, got)",
            "count_alloc(mem, slot)",
        ),
        laws=("EVT-count",),
        fits="More is counted than was given out.",
    ),
    planted(
        "freed-frame-stays-in-its-slot",
        "bulk requests",
        SLIP,
        "A frame of the array that is freed still fills its slot.",
        Edit("alloc", "        compare_frame_in_array(mem, slot, p, 0)\n", "        pass\n"),
        laws=("BULK-prefix", "BUD-partition", "ZONE-frame"),
        fits=_OVERWRITTEN,
    ),
)
