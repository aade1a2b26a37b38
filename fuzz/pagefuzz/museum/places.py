"""Faults of frames that are neither free nor held: guards, poisoned frames, offline memory."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_POISONED = "    if not each:\n        account_at_once(mem, -1, mt)\n"
_GUARD = "            set_tag(mem, buddy, 0)\n            account_at_once(mem, 1 << order, mt)\n"
_LOST = "Frames are in no place."
_TWO = "Frames are in two places."
_COUNT = "The count of free frames and the lists that count disagree."

MUTANTS = (
    planted(
        "guard-not-counted-again",
        "places",
        "Linux 6.12",
        "A guard that a merge absorbs does not come back to the count of free frames.",
        Edit("buddy", _GUARD, "            set_tag(mem, buddy, 0)\n"),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "guard-outlives-the-merge",
        "places",
        SLIP,
        "A guard that a merge absorbs stays one.",
        Edit("buddy", _GUARD, "            account_at_once(mem, 1 << order, mt)\n"),
        laws=("BUD-partition", "BUD-tag"),
        fits=_TWO,
    ),
    planted(
        "guard-is-no-buddy",
        "places",
        SLIP,
        "A guard does not merge.",
        Edit(
            "buddy",
            "return tag_of(mem, p) & ~GUARD == BUDDY | order",
            "return tag_of(mem, p) == BUDDY | order",
        ),
        laws=("BUD-maximal", "MT-merge"),
        fits="A block and its buddy, which counts as free, stay apart.",
    ),
    planted(
        "poisoned-still-counted",
        "places",
        "LNX-ACC-01",
        "A frame that is taken off the buddy does not leave the count of free frames.",
        Edit("places", _POISONED, ""),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "poison-loses-the-lower-half",
        "places",
        SLIP,
        "When the frame lies in the upper half of the block that is broken down, the lower half is "
        "not listed again.",
        Edit("places", "            add_half(mem, head, order, mt)\n", ""),
        laws=("BUD-partition",),
        fits=_LOST,
    ),
    planted(
        "poison-misses-the-middle",
        "places",
        SLIP,
        "A frame that heads the upper half is looked for in the lower one: > for >=.",
        Edit("places", "if p >= upper:", "if p > upper:"),
        laws=("BUD-partition",),
        fits="The frame is free and poisoned, and another is in no place.",
    ),
    planted(
        "poisoned-frame-stays-listed",
        "places",
        "XEN-12",
        "A frame that is free as a block of its own is marked at once, and what should unlist it "
        "looks for a free one.",
        Edit(
            "places",
            "    del_from_free_list(mem, head, order)\n    if each:\n",
            "    alone = order == 0\n"
            "    if not alone:\n"
            "        del_from_free_list(mem, head, order)\n"
            "    if each and not alone:\n",
        ),
        Edit("places", _POISONED, _POISONED.replace("each", "each and not alone")),
        laws=("BUD-partition",),
        fits=_TWO,
    ),
    planted(
        "healed-and-still-poisoned",
        "places",
        SLIP,
        "A frame that is given back keeps its mark, and can be given back again.",
        Edit("places", "    set_owner(mem, p, owner & ~POISONED)\n", ""),
        laws=("BUD-partition",),
        fits=_TWO,
    ),
    planted(
        "heals-the-healthy",
        "places",
        SLIP,
        "A frame that nobody holds is given back whether it is poisoned or not.",
        Edit("places", "if owner >= HELD or owner & POISONED == 0:", "if owner >= HELD:"),
        laws=("BUD-partition", "BUD-disjoint", "BUD-links", "BUD-refuse"),
        fits="A request that must be refused is served, and a frame that was free is so twice.",
    ),
    planted(
        "offline-subtracts-again",
        "places",
        "LNX-ACC-02",
        "Memory that goes offline is taken off the count of free frames, which isolation has done "
        "already.",
        Edit(
            "places",
            "account_at_once(mem, -(1 << order), ISOLATE",
            "account_at_once(mem, -(1 << order), MOVABLE",
        ),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "online-stays-isolated",
        "places",
        SLIP,
        "Memory that comes back is handed over and its pageblocks keep the type that they left "
        "with.",
        Edit("places", "        set_pageblock_type(mem, head, MOVABLE)\n", ""),
        laws=("ZONE-frame",),
        fits="The pageblock has not the type that the request gives it.",
    ),
)
