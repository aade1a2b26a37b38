"""Slips of the hand in caches of objects: chains, arrays, counts and who pays."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

MUTANTS = (
    planted(
        "given-up-chain-not-counted",
        "slabs",
        SLIP,
        "Of the chain that a CPU gives back to its slab only one object is counted as free again.",
        Edit(
            "slab.partial",
            "    set_inuse(mem, row, inuse_of(mem, row) - count)\n",
            "    set_inuse(mem, row, inuse_of(mem, row) - min(count, 1))\n",
        ),
        laws=("SLB-inuse",),
        fits="More objects count as in use than are not on the slab's chain.",
    ),
    planted(
        "keeps-all-partials",
        "slabs",
        SLIP,
        "A CPU never finds that it keeps too many partial slabs.",
        Edit(
            "slab.partial",
            "    return counted_of(mem, row) > kept_of(mem, c)\n",
            "    return False\n",
        ),
        Edit(
            "slab.partial",
            "        return nr_kept_of(mem, q) >= slabs_kept(mem, c)\n",
            "        return False\n",
        ),
        laws=("SLB-inuse",),
        fits="It keeps more than its cache allows.",
    ),
    planted(
        "detached-beyond-the-first-gap",
        "slabs",
        SLIP,
        "A bulk free goes on below the last object of another slab that it passed, not at the "
        "first.",
        Edit(
            "slab.detached",
            "        if rest == 0:\n            rest = slot + 1\n",
            "        rest = slot + 1\n",
        ),
        laws=("SLB-bulk", "SLB-held"),
        fits="Objects that were passed between are never freed.",
    ),
    planted(
        "oldest-not-moved-up",
        "slabs",
        SLIP,
        "When the oldest objects of an array have gone, the others stay where they were, and the "
        "last are forgotten.",
        Edit(
            "slab.nodes",
            "entry_at(mem, q + WORD * (number + objects))",
            "entry_at(mem, q + WORD * number)",
        ),
        laws=("SLB-place", "SLB-inuse", "SLB-held", "OUT-fault"),
        fits="Objects that went back are still in the array, and those behind are in no place.",
    ),
    planted(
        "unpaid-objects-paid-back",
        "slabs",
        SLIP,
        "Objects for which a group cannot pay afterwards are freed as if it had.",
        Edit(
            "slab.bulk",
            "            hold(mem, place_in(mem, slot), 0)\n",
            "            hold(mem, place_in(mem, slot), charged)\n",
        ),
        laws=("SLB-charge", "SLB-bulk", "SLB-lost"),
        fits="The group is charged for less than it has.",
    ),
    planted(
        "named-twice",
        "slabs",
        SLIP,
        "A bulk free does not see that its array has an object twice.",
        Edit("slab.checks", "        if word & NAMED:\n", "        if False:\n"),
        laws=("SLB-refused", "SLB-held", "SLB-place", "OUT-fault"),
        fits="An object is freed while it is free, which is served, or ends outside of all memory.",
    ),
)
