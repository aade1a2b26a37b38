"""Faults in telling legal requests from illegal ones, and in leaving no trace of those."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_ALLOC_ORDER = 'NO_MEMORY, or a refusal\'s code."""\n    if order < 0 or order > top_of(mem):'
_FREE_ORDER = 'from the upper half down.\n    """\n    if order < 0 or order > top_of(mem):\n'
_WRONG = "    if owner & ORDER_BITS != order:\n        return WRONG_ORDER\n"
_DROP = "    if extended_of(mem):\n"
_FRAME = "    p = pfn + shift_of(mem)\n"
_OUTSIDE = "    if p < first_of(mem) or p + (1 << order) > end_of(mem):\n        return OUTSIDE\n"
_MISALIGNED = "    if not is_aligned(p, order):\n        return MISALIGNED\n"
_REFUSED = "An illegal request is served, or refused for the wrong reason."

MUTANTS = (
    planted(
        "double-free-accepted",
        "bad free",
        SLIP,
        "A frame that has been given back counts as one that is held.",
        Edit(
            "checks",
            "if owner >= HELD:\n        return p",
            "if owner >= HELD or owner == GIVEN:\n        return p",
        ),
        laws=("OUT-refuse", "BUD-refuse"),
        fits=_REFUSED,
    ),
    planted(
        "interior-normalised",
        "bad free",
        "LNX-SLB-06",
        "The frame that the caller names is rounded down to the start of a block before it is "
        "checked, so that a frame inside is accepted.",
        Edit("checks", _FRAME, "    p = head_of(pfn + shift_of(mem), order)\n"),
        laws=("OUT-refuse", "BUD-refuse"),
        fits=_REFUSED,
    ),
    planted(
        "wrong-order-accepted",
        "bad free",
        SLIP,
        "The order of the free is believed and not compared with that of the allocation.",
        Edit("alloc", _WRONG + _DROP, _DROP),
        laws=("OUT-refuse",),
        fits="An illegal free is served.",
    ),
    planted(
        "wrong-order-ignored",
        "bad free",
        "SPB-09",
        "A free with the right frame and another order does nothing and says nothing.",
        Edit("alloc", _WRONG + _DROP, _WRONG.replace("return WRONG_ORDER", "return 0") + _DROP),
        laws=("OUT-refuse",),
        fits="The caller is told that an illegal free was served.",
    ),
    planted(
        "misaligned-unnamed",
        "bad free",
        SLIP,
        "The alignment of the frame is not checked, and what follows finds another reason.",
        Edit("checks", _MISALIGNED + "    owner", "    owner"),
        laws=("OUT-refuse", "BUD-refuse"),
        fits=_REFUSED,
    ),
    planted(
        "outside-believed",
        "bad free",
        SLIP,
        "The owner of a frame outside the zone is read without asking for the bounds.",
        Edit("checks", _FRAME + _OUTSIDE, _FRAME),
        laws=("OUT-fault", "OUT-refuse", "BUD-refuse"),
        fits=_REFUSED,
    ),
    planted(
        "interior-of-first-block",
        "bad free",
        SLIP,
        "The search for a block that covers the frame stops at the zone's first block: <= for <.",
        Edit("checks", "if head < first_of(mem):", "if head <= first_of(mem):"),
        laws=("BUD-refuse",),
        fits="An interior frame is taken for one that nobody holds.",
    ),
    planted(
        "interior-of-top-block",
        "bad free",
        SLIP,
        "The search for a block that covers the frame ends one order too early.",
        Edit(
            "checks",
            "for order in range(1, top_of(mem) + 1):",
            "for order in range(1, top_of(mem)):",
        ),
        laws=("BUD-refuse",),
        fits="A frame inside the upper half of a top block is taken for one that nobody holds.",
    ),
    planted(
        "order-bound-by-equality",
        "bad free",
        "UKR-01",
        "The order of a request is compared with the first one too large and with no other.",
        Edit("alloc", _ALLOC_ORDER, _ALLOC_ORDER.replace("> top_of(mem)", "== top_of(mem) + 1")),
        laws=("OUT-refuse", "OUT-fault"),
        fits="A request beyond the lists is not refused.",
    ),
    planted(
        "free-order-unbounded",
        "bad free",
        SLIP,
        "The order of a free is not compared with the top.",
        Edit("alloc", _FREE_ORDER, _FREE_ORDER.replace(" or order > top_of(mem)", "")),
        laws=("BUD-refuse",),
        fits="The refusal names the wrong reason.",
    ),
    planted(
        "refused-and-yet-dropped",
        "bad free",
        SLIP,
        "The last put of a block that does not know its order is refused after its reference is "
        "gone.",
        Edit(
            "alloc",
            "order != owner & ORDER_BITS:\n",
            "order != owner & ORDER_BITS:\n        drop_reference(mem, p)\n",
        ),
        laws=("ZONE-frame", "BUD-partition"),
        fits="A refused request has changed the zone: the block is nobody's.",
    ),
    planted(
        "refused-and-yet-relabelled",
        "bad free",
        SLIP,
        "A free notes its order as the block's before it finds that they differ.",
        Edit(
            "alloc",
            _WRONG + _DROP,
            "    if owner & ORDER_BITS != order:\n"
            "        set_owner(mem, p, owner & ~ORDER_BITS | order)\n"
            "        return WRONG_ORDER\n" + _DROP,
        ),
        laws=("ZONE-frame", "BUD-partition"),
        fits="A refused request has changed the zone: the block covers more or less than before.",
    ),
)
