"""Faults of the lists' links."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_TORN = "A list reads differently forward and backward."

MUTANTS = (
    planted(
        "unlink-forgets-prev",
        "linkage",
        "VLK-01",
        "The successor of a block that is taken off still points back to it.",
        Edit("zone", "    set_prev(mem, after, before)\n", ""),
        laws=("BUD-links",),
        fits=_TORN,
    ),
    planted(
        "unlink-forgets-next",
        "linkage",
        SLIP,
        "The predecessor of a block that is taken off still points to it.",
        Edit("zone", "    set_next(mem, before, after)\n", ""),
        laws=("BUD-links",),
        fits=_TORN,
    ),
    planted(
        "link-forgets-prev",
        "linkage",
        SLIP,
        "The old head of a list does not point back to the block that is put before it.",
        Edit("zone", "    set_prev(mem, after, p)\n", ""),
        laws=("BUD-links",),
        fits=_TORN,
    ),
    planted(
        "merged-buddy-stays-listed",
        "linkage",
        SLIP,
        "A buddy that is merged is not taken off its list.",
        Edit("buddy", "            del_from_free_list(mem, buddy, order)\n", "            pass\n"),
        laws=("BUD-disjoint", "BUD-links"),
        fits="A frame is free twice, as part of two listed blocks.",
    ),
    planted(
        "bitmap-merged-buddy-stays-listed",
        "linkage",
        SLIP,
        "A buddy whose bit was set is merged and not taken off its list.",
        Edit("bitmap", "        list_del(mem, buddy_of(p, order), order)\n", ""),
        laws=("BUD-disjoint", "BUD-links"),
        fits="A frame is free twice, as part of two listed blocks.",
    ),
    planted(
        "head-and-tail-confused",
        "linkage",
        SLIP,
        "Blocks for the head enter at the tail and the reverse.",
        Edit(
            "zone",
            "prev_of(mem, head) if to_tail else head",
            "head if to_tail else prev_of(mem, head)",
        ),
        laws=("BUD-place",),
        fits="Nothing but the place in the list changes.",
    ),
    planted(
        "tail-behind-the-head",
        "linkage",
        SLIP,
        "A block for the tail enters behind the first one, which is the same only in lists of up "
        "to one.",
        Edit("zone", "prev_of(mem, head) if to_tail", "next_of(mem, head) if to_tail"),
        laws=("BUD-place",),
        fits="Nothing but the place in the list changes.",
    ),
)
