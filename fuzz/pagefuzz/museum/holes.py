"""Faults with holes, and with zones whose length is no power of two."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

MUTANTS = (
    planted(
        "hole-not-asked",
        "holes",
        SLIP,
        "The merge loop asks for the zone's bounds and not for its holes.",
        Edit("bounds", " and owner_of(mem, p) != HOLE", ""),
        laws=("BUD-inside", "BUD-links", "BUD-place"),
        fits="A frame without memory is merged: the block covers a hole, or a list runs into it. "
        "The look ahead asks too, and believes in a free block that is not there.",
    ),
    planted(
        "first-root-only",
        "holes",
        "DRM-02",
        "A zone that is no power of two has several roots, and only in the first one are blocks "
        "merged again.",
        Edit(
            "buddy",
            "if not frame_exists(mem, buddy) or",
            "if buddy >= first_of(mem) + (1 << top) or not frame_exists(mem, buddy) or",
        ),
        Edit("buddy", "    Memory,\n", "    Memory,\n    first_of,\n"),
        laws=("BUD-maximal", "MT-merge", "INIT"),
        fits="Free buddies stay apart in all roots but the first.",
    ),
    planted(
        "root-above-top",
        "holes",
        "RCB-04",
        "Boot hands over the largest aligned block that fits, without the cap at the top order.",
        Edit("boot", "largest_order_at(p, beyond - p, top)", "largest_order_at(p, beyond - p, 15)"),
        laws=("BUD-links", "BUD-partition"),
        fits="A head beyond the last list is not set up: the block tears a real list or is lost.",
    ),
    planted(
        "free-in-hole-unnamed",
        "holes",
        SLIP,
        "A free of a frame in a hole is taken for one of a frame that was never given out.",
        Edit("checks", "    if owner == HOLE:\n        return IN_HOLE\n", ""),
        laws=("BUD-refuse",),
        fits="The refusal names the wrong reason.",
    ),
)
