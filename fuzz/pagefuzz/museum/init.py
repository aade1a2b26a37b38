"""Faults of handing memory over at boot."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_LARGEST = "largest_order_at(p, beyond - p, top)"
_NEXT = "            p += 1 << order\n"

MUTANTS = (
    planted(
        "boot-loses-remainder",
        "init",
        SLIP,
        "Memory behind a chunk's last whole top block is not handed over.",
        Edit("boot", "end += shift_of(mem)", "end = head_of(end + shift_of(mem), top)"),
        laws=("INIT", "BUD-partition"),
        fits="Managed frames are in no place after boot.",
    ),
    planted(
        "boot-one-too-many",
        "init",
        "UKR-05",
        "The count of frames includes one that is not there, and the frame behind the chunk is "
        "handed over with it.",
        Edit("boot", "end += shift_of(mem)", "end += shift_of(mem) + 1"),
        laws=("BUD-inside", "OUT-fault"),
        fits="A free block leaves the zone or covers a hole, or there is no record for it at all.",
    ),
    planted(
        "boot-rounds-end-up",
        "init",
        "XEN-07",
        "The end of a chunk is rounded up: the last block is as large as its alignment allows.",
        Edit("boot", _LARGEST, "largest_order_at(p, 1 << top, top)"),
        laws=("BUD-inside", "BUD-disjoint"),
        fits="A free block leaves the zone or covers a hole, and what lies behind the hole.",
    ),
    planted(
        "boot-ignores-alignment",
        "init",
        "XEN-01",
        "Blocks around a missing frame grow as long as they fit, whether they are aligned or not.",
        Edit("boot", _LARGEST, "largest_order_at(0, beyond - p, top)"),
        laws=("BUD-align",),
        fits="A free block is off its alignment.",
    ),
    planted(
        "boot-hands-over-twice",
        "init",
        "XV6-02",
        "A chunk that is a single block is taken for its own left and its own right border, and is "
        "handed over twice.",
        Edit(
            "boot",
            _NEXT,
            _NEXT + "            if p == end and p - (1 << order) == first + shift_of(mem):\n"
            "                to_tail = boot_to_tail_of(mem) != 0\n"
            "                free_one_block(mem, p - (1 << order), order, to_tail)\n",
        ),
        laws=("BUD-disjoint", "BUD-links", "BUD-inside"),
        fits="A block is on the free lists twice: they overlap, or their links contradict each "
        "other. A pair bit reads the second time as that of a free buddy, which may not exist.",
    ),
    planted(
        "boot-to-head",
        "init",
        SLIP,
        "What boot hands over does not enter at the tail but wherever a free would put it.",
        Edit("buddy", "if not to_tail and placement_of", "if placement_of"),
        laws=("BUD-place",),
        fits="Nothing but the place in the list changes.",
    ),
)
