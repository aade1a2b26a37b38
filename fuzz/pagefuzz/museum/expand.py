"""Faults of the search for a block and of its split."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_SPLIT = "add_to_free_list(mem, p + (1 << high), high, mt, False)"
_RETURN = "            return p\n"
_FALLBACKS_RETURN = (
    "    take(mem, p, order, from_order, other)\n    return p",
    "    take(mem, p, order, from_order, mt)\n    return p",
    "        account_at_once(mem, (1 << from_order) - (1 << order), mt)\n        return p",
    "    take(mem, p, order, from_order, block_mt)\n    return p",
)
_SEARCH = "for current in range(order, top_of(mem) + 1):"

MUTANTS = (
    planted(
        "split-returns-highest",
        "expand/split",
        "Linux 2.4.0",
        "The lower halves are given back and the highest part is handed out: 2.4.0's way, in the "
        "order-tag design.",
        Edit("buddy", _SPLIT, "add_to_free_list(mem, p, high, mt, False)\n        p += 1 << high"),
        Edit("buddy", _RETURN, "            return p + (1 << current) - (1 << order)\n"),
        *(
            Edit("fallback", took, took + " + (1 << from_order) - (1 << order)")
            for took in _FALLBACKS_RETURN
        ),
        laws=("BUD-expand",),
        fits="The part that is handed out is not the lowest.",
    ),
    planted(
        "split-lists-what-it-returns",
        "expand/split",
        SLIP,
        "The last turn of the split lists the half that is handed out in place of the other.",
        Edit(
            "buddy",
            _SPLIT,
            "add_to_free_list(mem, p + (1 << high) * (high > low), high, mt, False)",
        ),
        laws=("BUD-partition",),
        fits="The block has two owners, the list and the caller.",
    ),
    planted(
        "split-one-short",
        "expand/split",
        SLIP,
        "The split ends one order too early and the last upper half is lost.",
        Edit("buddy", "    least = max(low,", "    low += high > low\n    least = max(low,"),
        laws=("BUD-partition",),
        fits="Frames are in no place.",
    ),
    planted(
        "bitmap-split-short-from-top",
        "expand/split",
        SLIP,
        "A split that starts at the top order loses the first upper half.",
        Edit(
            "bitmap",
            "    while high > low:\n",
            "    if high == top_of(mem) > low:\n        high -= 1\n    while high > low:\n",
        ),
        laws=("BUD-partition",),
        fits="Frames are in no place.",
    ),
    planted(
        "search-skips-exact",
        "expand/split",
        "THE-02",
        "Only blocks that are larger than the request are considered: > for >=.",
        Edit("buddy", _SEARCH, "for current in range(order + 1, top_of(mem) + 1):"),
        laws=("OUT-return", "BUD-success", "BUD-expand"),
        fits="The request fails although a block of its size is free, or cuts a larger one.",
    ),
    planted(
        "search-short-of-top",
        "expand/split",
        SLIP,
        "The search ends one order too early, and top blocks are never used.",
        Edit("bitmap", _SEARCH, "for current in range(order, top_of(mem)):"),
        laws=("OUT-return", "BUD-success"),
        fits="A request fails although a top block is free.",
    ),
    planted(
        "search-from-top",
        "expand/split",
        SLIP,
        "The search starts at the largest order, and large blocks are cut although small ones are "
        "free.",
        Edit("buddy", _SEARCH, "for current in range(top_of(mem), order - 1, -1):"),
        laws=("BUD-expand", "BUD-place"),
        fits="The block was not cut from the smallest sufficient order.",
    ),
    planted(
        "search-takes-tail",
        "expand/split",
        SLIP,
        "Requests are served from the tail of the list.",
        Edit("zone", "p = next_of(mem, head)", "p = prev_of(mem, head)"),
        laws=("BUD-place",),
        fits="Another block of the right order is picked, which only `exact` forbids.",
    ),
    planted(
        "tails-off-alignment",
        "expand/split",
        SLIP,
        "The pieces of a block that is freed under a reference are cut from the small end with the "
        "large orders first.",
        Edit("alloc", "tail = p + (1 << piece)", "tail = p + (1 << order - 1 - piece)"),
        laws=("BUD-align", "SPLIT-pieces"),
        fits="A piece starts where no block of its order may.",
    ),
)
