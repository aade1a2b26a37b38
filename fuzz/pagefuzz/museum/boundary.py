"""Faults at the edges of the zone, and of where indices are counted from."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_EXISTS = "return first_of(mem) <= p < end_of(mem) and owner_of(mem, p) != HOLE"
_ALIGNED = "is_aligned(p, order):\n        return MISALIGNED\n    owner"
_BOUNDS = "shift_of(mem)\n    if p < first_of(mem) or p + (1 << order) > end_of(mem):"
_WHY = "A frame without memory is merged: the block leaves the zone, or a list runs outside it."
_WHY_EVERYWHERE = _WHY + " The look ahead asks too, and believes in a free block that is not there."

MUTANTS = (
    planted(
        "merge-unbounded",
        "boundary",
        SLIP,
        "The merge loop does not ask whether the buddy exists before it believes its tag: the "
        "question that removing the bitmap raised.",
        Edit("buddy", "if not frame_exists(mem, buddy) or not", "if not"),
        laws=("BUD-inside", "BUD-links"),
        fits=_WHY,
    ),
    planted(
        "end-inclusive",
        "boundary",
        "UKR-03",
        "The frame behind the zone's last counts as one of the zone: <= for <.",
        Edit("bounds", _EXISTS, _EXISTS.replace("p < end_of", "p <= end_of")),
        laws=("BUD-inside", "BUD-links", "BUD-place"),
        fits=_WHY_EVERYWHERE,
    ),
    planted(
        "start-unbounded",
        "boundary",
        SLIP,
        "The lower bound is not asked, which shows only in zones that start off their alignment.",
        Edit("bounds", _EXISTS, _EXISTS.replace("first_of(mem) <= ", "")),
        laws=("BUD-inside", "BUD-links", "BUD-place"),
        fits=_WHY_EVERYWHERE,
    ),
    planted(
        "start-exclusive",
        "boundary",
        SLIP,
        "The zone's first frame does not count as one of the zone: < for <=.",
        Edit("bounds", _EXISTS, _EXISTS.replace("first_of(mem) <= ", "first_of(mem) < ")),
        laws=("BUD-maximal", "MT-merge", "INIT", "BUD-place", "MT-list"),
        fits="The block at the zone's start never merges with its upper buddy, the look ahead does "
        "not see it, and it stays on its list when its pageblock changes its type.",
    ),
    planted(
        "likely-unbounded",
        "boundary",
        SLIP,
        "The look ahead believes the tag of a frame that may not exist.",
        Edit("buddy", "return frame_exists(mem, parents_buddy) and ", "return "),
        laws=("BUD-place",),
        fits="Nothing but the place in the list depends on the look ahead.",
    ),
    planted(
        "index-from-zone-start",
        "boundary",
        "JJB-03",
        "Boot counts alignment from the zone's start in eras that count it from frame zero, and "
        "every block is off by the remainder.",
        Edit("boot", "largest_order_at(p,", "largest_order_at(p - first_of(mem),"),
        Edit("boot", "import Memory,", "import Memory, first_of,"),
        laws=("BUD-align",),
        fits="Free blocks are off their alignment.",
    ),
    planted(
        "index-from-frame-zero",
        "boundary",
        SLIP,
        "Boot counts alignment from frame zero in eras that count it from the zone's start.",
        Edit("boot", "largest_order_at(p,", "largest_order_at(p - shift_of(mem),"),
        laws=("BUD-align",),
        fits="Free blocks are off their alignment.",
    ),
    planted(
        "free-counts-from-frame-zero",
        "boundary",
        SLIP,
        "A free checks alignment from frame zero in eras that count from the zone's start.",
        Edit("checks", _ALIGNED, _ALIGNED.replace("(p,", "(pfn,")),
        laws=("OUT-refuse", "BUD-refuse"),
        fits="Legal frees are refused as misaligned, or illegal ones for another reason.",
    ),
    planted(
        "free-at-the-end-refused",
        "boundary",
        "KUT-02",
        "A block that ends exactly where the zone does cannot be freed: >= for >.",
        Edit("checks", _BOUNDS, _BOUNDS.replace("> end_of", ">= end_of")),
        laws=("OUT-refuse", "BUD-refuse"),
        fits="A legal free is refused.",
    ),
    planted(
        "free-past-the-end",
        "boundary",
        SLIP,
        "The bounds of a free are checked for the first frame and not for the last.",
        Edit("checks", _BOUNDS, _BOUNDS.replace("p + (1 << order) > end", "p >= end")),
        laws=("BUD-refuse",),
        fits="A block that runs out of the zone is refused for another reason.",
    ),
)
