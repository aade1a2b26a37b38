"""Faults of allocating the very frames of a range, and of splitting a block into pages."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_GOT = "got = covered_until(mem, p, end) >= end"
_TAKE = "take_range(mem, p, end)"
_PIECES = "for page in range(p + 1, p + (1 << order)):"
_LOST = "Frames are in no place."

MUTANTS = (
    planted(
        "surplus-behind-one-short",
        "ranges",
        SLIP,
        "Of what the last block has beyond the range, the first frame is not given back.",
        Edit("contig", "for page in range(end, high):", "for page in range(end + 1, high):"),
        laws=("BUD-partition",),
        fits=_LOST,
    ),
    planted(
        "surplus-before-one-more",
        "ranges",
        SLIP,
        "With what the first block has before the range, the range's first frame is given back.",
        Edit("contig", "for page in range(low, p):", "for page in range(low, p + (low < p)):"),
        laws=("BUD-partition",),
        fits="A frame is free and held.",
    ),
    planted(
        "range-left-isolated",
        "ranges",
        SLIP,
        "A range that could not be allocated stays isolated.",
        Edit(
            "contig",
            "    restore_all(mem, first, beyond, mt, cpu)\n    return pfn if got",
            "    if got:\n        restore_all(mem, first, beyond, mt, cpu)\n    return pfn if got",
        ),
        laws=("ZONE-frame",),
        fits="A request that failed has changed more than the type of its pageblocks.",
    ),
    planted(
        "range-granted-in-part",
        "ranges",
        "DRM-01",
        "A range that is free only at its beginning is granted, and that much of it is taken.",
        Edit("contig", _GOT, "covered = covered_until(mem, p, end)\n    got = covered > p"),
        Edit("contig", _TAKE, "take_range(mem, p, min(covered, end))"),
        laws=("OUT-disjoint", "ZONE-frame"),
        fits="The caller is told that frames are his which are another's, or still free.",
    ),
    planted(
        "range-off-alignment",
        "ranges",
        "DRM-03",
        "The end of a range need not be aligned, if only its beginning is.",
        Edit("checks", " or not is_aligned(end, whole):", ":"),
        laws=("BUD-refuse", "OUT-fault", "MT-list"),
        fits="A request that must be refused is served; it changes a pageblock in "
        "part, or reaches for what is not there.",
    ),
    planted(
        "range-at-the-zones-end-refused",
        "ranges",
        "KUT-02",
        "A range that ends exactly where the zone does is refused: >= for >.",
        Edit(
            "checks",
            "or end > end_of(mem):\n        return BAD_RANGE",
            "or end >= end_of(mem):\n        return BAD_RANGE",
        ),
        laws=("BUD-refuse",),
        fits="A legal request is refused.",
    ),
    planted(
        "last-page-not-split-off",
        "ranges",
        SLIP,
        "The loop over the pages of a block that is split ends one too early.",
        Edit("alloc", _PIECES, "for page in range(p + 1, p + (1 << order) - 1):"),
        laws=("BUD-partition",),
        fits=_LOST,
    ),
    planted(
        "split-forgets-the-type",
        "ranges",
        SLIP,
        "The pages of a block that is split do not inherit the type that was asked for.",
        Edit(
            "alloc",
            "hold_page(mem, page, (owner & TYPE_BITS) >> TYPE_SHIFT)",
            "hold_page(mem, page, 0)",
        ),
        laws=("ZONE-frame",),
        fits="A page is held as something else than its block was.",
    ),
)
