"""Faults of merging: too little, too much, or with the wrong block; and of the look ahead."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_LOOP = "while order < top:"
_BUDDY = "buddy = buddy_of(p, order)"
_EXISTS = "if not frame_exists(mem, buddy) or"
_PARENT = "        p = parent_of(p, order)\n        order += 1\n"
_BOUNDS = Edit("buddy", "    Memory,\n", "    Memory,\n    end_of,\n    first_of,\n")

MUTANTS = (
    planted(
        "merge-past-top",
        "coalescing",
        "RCB-02",
        "The merge loop runs at the top order too, and two free top blocks become one of an order "
        "that has no list.",
        Edit("buddy", _LOOP, "while order <= top:"),
        laws=("BUD-links", "BUD-partition"),
        fits="A head beyond the last list is not set up: the block is linked through whatever lies "
        "there, which tears a real list or leaves the block on none.",
    ),
    planted(
        "merge-short-of-top",
        "coalescing",
        SLIP,
        "The merge loop ends one order too early, so that no top block ever forms again.",
        Edit("buddy", _LOOP, "while order < top - 1:"),
        laws=("BUD-maximal", "MT-merge", "INIT"),
        fits="Two free buddies stay apart below the top.",
    ),
    planted(
        "merge-short-for-powers-of-two",
        "coalescing",
        "PKV-02",
        "The highest order is derived from the number of frames and comes out one too small for an "
        "exact power of two.",
        _BOUNDS,
        Edit(
            "buddy",
            "    top = top_of(mem)\n",
            "    top = top_of(mem)\n"
            "    if end_of(mem) - first_of(mem) == 1 << top:\n"
            "        top -= 1\n",
        ),
        laws=("BUD-maximal", "MT-merge", "INIT"),
        fits="The two halves of the zone stay apart, all else merges.",
    ),
    planted(
        "merge-looks-up-only",
        "coalescing",
        "SOS-01",
        "A block merges with its upper buddy but not with its lower one, so what remains depends "
        "on the order of the frees.",
        Edit("buddy", _EXISTS, "if buddy < p or not frame_exists(mem, buddy) or"),
        laws=("BUD-maximal", "MT-merge", "INIT", "BUD-order-free"),
        fits="Free buddies stay apart after one order of frees and not after the other.",
    ),
    planted(
        "merge-shy-of-the-end",
        "coalescing",
        "XEN-02",
        "A merged block that would end exactly at the zone's end is not formed: >= for >.",
        _BOUNDS,
        Edit(
            "buddy", _EXISTS, "if (p | 1 << order) + (1 << order) >= end_of(mem) or" + _EXISTS[2:]
        ),
        laws=("BUD-maximal", "MT-merge", "INIT"),
        fits="Two free buddies stay apart, at the zone's end only.",
    ),
    planted(
        "merge-once",
        "coalescing",
        SLIP,
        "The merge loop takes one turn only; what it made is not looked at again.",
        Edit("buddy", _PARENT, _PARENT + "        break\n"),
        laws=("BUD-maximal", "MT-merge", "INIT"),
        fits="The merged block and its free buddy stay apart.",
    ),
    planted(
        "merge-below-costly-only",
        "coalescing",
        SLIP,
        "Merging ends at order 3 whatever the top is.",
        Edit("buddy", _LOOP, "while order < min(top, 3):"),
        laws=("BUD-maximal", "MT-merge", "INIT"),
        fits="Blocks of order 3 whose buddies are free stay apart.",
    ),
    planted(
        "buddy-by-addition",
        "coalescing",
        SLIP,
        "The buddy is always looked for above the block, also above an upper half.",
        Edit("buddy", _BUDDY, "buddy = p + (1 << order)"),
        laws=(
            "BUD-maximal",
            "MT-merge",
            "INIT",
            "BUD-partition",
            "BUD-disjoint",
            "BUD-inside",
            "BUD-links",
        ),
        fits="An upper half misses its buddy, or merges with a block of another parent and so "
        "takes in frames that are not free, not there, or listed already.",
    ),
    planted(
        "buddy-of-order-zero",
        "coalescing",
        SLIP,
        "The buddy is computed with order 0 whatever the order of the block.",
        Edit("buddy", _BUDDY, "buddy = buddy_of(p, 0)"),
        laws=("BUD-maximal", "MT-merge", "INIT"),
        fits="Only pairs of single frames are ever found.",
    ),
    planted(
        "parent-of-next-order",
        "coalescing",
        SLIP,
        "The order is raised before the parent is computed, which then clears the wrong bit.",
        Edit("buddy", _PARENT, "        order += 1\n        p = parent_of(p, order)\n"),
        laws=("BUD-align", "BUD-inside", "BUD-disjoint", "BUD-partition", "BUD-links"),
        fits="The merged block starts at the wrong frame: off its alignment, over memory that is "
        "not its own, or where another one is listed.",
    ),
    planted(
        "parent-is-upper-half",
        "coalescing",
        SLIP,
        "The merged block starts where its upper half does.",
        Edit("buddy", _PARENT, "        p |= 1 << order\n        order += 1\n"),
        laws=("BUD-align",),
        fits="The merged block is off its alignment by half its size.",
    ),
    planted(
        "likely-asks-wrong-order",
        "coalescing",
        SLIP,
        "The look ahead asks for the parent's buddy with the order of the block itself.",
        Edit(
            "buddy",
            "page_is_buddy(mem, parents_buddy, order + 1)",
            "page_is_buddy(mem, parents_buddy, order)",
        ),
        laws=("BUD-place",),
        fits="Nothing but the place in the list depends on the look ahead.",
    ),
    planted(
        "likely-next-to-top",
        "coalescing",
        SLIP,
        "The look ahead is made one order too high, where no second merge can follow.",
        Edit("buddy", "if order >= top_of(mem) - 1:", "if order >= top_of(mem):"),
        laws=("BUD-place",),
        fits="Nothing but the place in the list depends on the look ahead.",
    ),
    planted(
        "likely-too-low",
        "coalescing",
        SLIP,
        "The look ahead ends one order too early.",
        Edit("buddy", "if order >= top_of(mem) - 1:", "if order >= top_of(mem) - 2:"),
        laws=("BUD-place",),
        fits="Nothing but the place in the list depends on the look ahead.",
    ),
    planted(
        "likely-of-2-6-39",
        "coalescing",
        "Linux 2.6.39",
        "The look ahead never finds a merge likely for an upper half: 2.6.39's slip, in every era "
        "that looks ahead.",
        Edit("buddy", "placement_of(mem) == PLACE_LIKELY_2_6_39 and", ""),
        laws=("BUD-place",),
        fits="Nothing but the place in the list depends on the look ahead.",
    ),
    planted(
        "bitmap-top-has-a-map",
        "coalescing",
        "RCB-02",
        "The top order gets pair bits too, and two free top blocks merge into an order that has "
        "no list.",
        Edit("bitmap", "if order == top_of(mem):", "if order > top_of(mem):"),
        laws=("BUD-bitmap", "BUD-links", "BUD-partition"),
        fits="A bit is set where no map is; or a head beyond the last list is not set up, and a "
        "block that is linked there tears a real list or is lost.",
    ),
    planted(
        "bitmap-parent-forgotten",
        "coalescing",
        SLIP,
        "The merged block keeps the start of the half that was freed last.",
        Edit("bitmap", "        p = parent_of(p, order)\n", ""),
        laws=("BUD-align", "BUD-links"),
        fits="After the free of an upper half the merged block is off its alignment, and the next "
        "turn unlists a block that is on no list.",
    ),
    planted(
        "bitmap-merge-once",
        "coalescing",
        SLIP,
        "The merge loop takes one turn only, and does not ask the next order's bit.",
        Edit(
            "bitmap",
            "        order += 1\n    list_add",
            "        order += 1\n        break\n    list_add",
        ),
        laws=("BUD-maximal", "BUD-bitmap"),
        fits="The merged block is listed without a toggle of its own pair's bit, and stays apart "
        "from its free buddy.",
    ),
)
