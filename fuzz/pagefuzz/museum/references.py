"""Faults of dropping references, and of what a free forgets to give back."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_TAIL = "        give_back(mem, tail, piece, want)\n"
_PUT = "        give_back(mem, p, order, want)\n    return 0\n"
_LOST = "Frames are neither free nor held."

MUTANTS = (
    planted(
        "tails-leaked",
        "references",
        "LNX-FREE-01",
        "The owner frees a block whose first frame somebody else still references, and only that "
        "frame is ever given back.",
        Edit("alloc", _TAIL, ""),
        laws=("SPLIT-pieces", "BUD-partition"),
        fits=_LOST,
    ),
    planted(
        "last-tail-leaked",
        "references",
        SLIP,
        "The loop over the pieces of such a block ends one too early.",
        Edit("alloc", "while piece >= 0:", "while piece > 0:"),
        laws=("SPLIT-pieces", "BUD-partition"),
        fits=_LOST,
    ),
    planted(
        "compound-torn",
        "references",
        SLIP,
        "A compound block is freed in pieces too while somebody holds it as a whole.",
        Edit("alloc", "elif owner & COMPOUND == 0 and order > 0:", "elif order > 0:"),
        laws=("SPLIT-pieces",),
        fits="The pieces that became free are those of a block that must stay whole.",
    ),
    planted(
        "put-frees-one-frame",
        "references",
        SLIP,
        "The last put of a compound block gives back its first frame only.",
        Edit("alloc", _PUT, _PUT.replace("order", "0")),
        laws=("BUD-partition",),
        fits=_LOST,
    ),
    planted(
        "put-forgets-to-free",
        "references",
        SLIP,
        "The last put ends the holding and gives nothing back.",
        Edit("alloc", _PUT, "        return 0\n    return 0\n"),
        laws=("BUD-partition",),
        fits=_LOST,
    ),
    planted(
        "put-of-unsized-served",
        "references",
        SLIP,
        "The last put of a block that does not know its order is served, with order 0.",
        Edit(
            "alloc",
            "    if refs_of(mem, p) == 1 and order != owner & ORDER_BITS:\n"
            "        return WRONG_ORDER\n",
            "",
        ),
        laws=("OUT-refuse",),
        fits="A request that would lose all frames but the first is served.",
    ),
    planted(
        "get-counts-twice",
        "references",
        SLIP,
        "Taking a reference counts two.",
        Edit(
            "alloc",
            "set_refs(mem, p, refs_of(mem, p) + 1)",
            "set_refs(mem, p, refs_of(mem, p) + 2)",
        ),
        laws=("ZONE-frame",),
        fits="The holding is not what the request makes it.",
    ),
    planted(
        "free-gives-one-frame",
        "references",
        "AST-02",
        "The end of the range that a free gives back is computed in the wrong unit, and only the "
        "first frame goes back.",
        Edit(
            "alloc",
            "+ (1 << order))\n        free_one_block(mem, p, order, False)\n    elif",
            "+ 1)\n        free_one_block(mem, p, 0, False)\n    elif",
        ),
        Edit(
            "alloc",
            "give_back(mem, p, order, want)\n    elif",
            "give_back(mem, p, 0, want)\n    elif",
        ),
        laws=("BUD-partition",),
        fits=_LOST,
    ),
    planted(
        "compound-forgotten",
        "references",
        SLIP,
        "A block that was asked for as compound is not marked so.",
        Edit("alloc", "compound = COMPOUND if want & COMPOUND_WANTED else 0", "compound = 0"),
        laws=("SPLIT-pieces", "ZONE-frame"),
        fits="The holding is not what the request makes it, and the block is later freed in "
        "pieces.",
    ),
)
