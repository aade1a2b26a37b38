"""Faults of what a frame says about its block: the order tag, the pair bit, the owner's order."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_SET_TAG = "set_tag(mem, p, BUDDY | order)"
_SHIFT = "return index >> (1 + order)"

MUTANTS = (
    planted(
        "tag-not-cleared",
        "order tag",
        SLIP,
        "A block that leaves its list keeps its tag.",
        Edit("buddy", "    set_tag(mem, p, 0)\n", ""),
        laws=("BUD-tag",),
        fits="A frame carries a tag and heads no free block.",
    ),
    planted(
        "tag-of-absorbed-buddy-kept",
        "order tag",
        SLIP,
        "A buddy that is merged keeps its tag, which shows only if it was the upper half.",
        Edit(
            "buddy",
            "del_from_free_list(mem, buddy, order)",
            "list_del(mem, buddy, order)",
        ),
        laws=("BUD-tag",),
        fits="A frame inside a free block carries a tag.",
    ),
    planted(
        "tag-order-ignored",
        "order tag",
        SLIP,
        "The merge loop takes any free block at the buddy's frame for the buddy, whatever its "
        "order.",
        Edit("buddy", "not page_is_buddy(mem, buddy, order)", "tag_of(mem, buddy) & BUDDY == 0"),
        laws=("BUD-partition", "BUD-disjoint", "BUD-inside"),
        fits="A smaller free block is taken for all of the buddy, and the rest of it is in use, "
        "listed elsewhere, or not there.",
    ),
    planted(
        "tag-in-two-bits",
        "order tag",
        SLIP,
        "Two bits of the order are kept: a block of order 4 is tagged as one of order 0.",
        Edit("buddy", _SET_TAG, "set_tag(mem, p, BUDDY | order & 3)"),
        laws=("BUD-tag",),
        fits="The tag of a listed block is not its order.",
    ),
    planted(
        "tag-in-three-bits",
        "order tag",
        SLIP,
        "Three bits of the order are kept: a block of order 8 is tagged as one of order 0.",
        Edit("buddy", _SET_TAG, "set_tag(mem, p, BUDDY | order & 7)"),
        laws=("BUD-tag",),
        fits="The tag of a listed block is not its order.",
    ),
    planted(
        "order-mixed-with-stale-mark",
        "order tag",
        "JJB-02",
        "The mark of a frame's earlier use is left in place when it is given out again, and the "
        "order that a later free reads is mixed with it.",
        Edit(
            "alloc",
            "set_owner(mem, p, HELD | order |",
            "set_owner(mem, p, owner_of(mem, p) | HELD | order |",
        ),
        laws=("BUD-partition", "OUT-refuse", "ZONE-frame"),
        fits="The block is held with another order than was asked for: it covers frames that are "
        "free or another's, and its own free is refused.",
    ),
    planted(
        "bitmap-expand-silent",
        "order tag",
        SLIP,
        "A split lists the upper halves and does not toggle their bits.",
        Edit("bitmap", "        toggle_pair(mem, p + (1 << high), high)\n", ""),
        laws=("BUD-bitmap",),
        fits="The bit contradicts the list.",
    ),
    planted(
        "bitmap-toggles-asked-order",
        "order tag",
        SLIP,
        "Taking a block toggles the bit at the order that was asked for, not at the block's.",
        Edit("bitmap", "toggle_pair(mem, p, current)", "toggle_pair(mem, p, order)"),
        laws=("BUD-bitmap",),
        fits="The bit contradicts the list.",
    ),
    planted(
        "bitmap-shift-stops",
        "order tag",
        SLIP,
        "The bit's index is shifted by 4 at most, so that from order 4 on two pairs share a bit or "
        "use the next order's.",
        Edit("bitmap", _SHIFT, "return index >> min(1 + order, 4)"),
        laws=("BUD-bitmap", "OUT-fault"),
        fits="The bit of the pair contradicts the list, or lies behind the last map.",
    ),
)
