"""Historical faults of caches of objects, from single frees to bulk requests that fail."""

from pagefuzz.museum.mutant import Edit, planted

_PAYS = "    if not charge_before(mem, cpu, c, group, objects):\n        return 0\n    charged = "

MUTANTS = (
    planted(
        "bulk-hook-once-an-object",
        "slabs",
        "LNX-SLB-03",
        "The hook before is asked once for each object of a bulk request, and charges for all of "
        "them each time.",
        Edit(
            "slab.bulk",
            _PAYS,
            "    for _ in range(objects):\n"
            "        if not charge_before(mem, cpu, c, group, objects):\n"
            "            return 0\n"
            "    charged = ",
        ),
        laws=("SLB-charge", "SLB-bulk", "SLB-success"),
        fits="The group is charged for more than it has, or its limit is used up too early.",
    ),
    planted(
        "bulk-undo-before-the-hook",
        "slabs",
        "LNX-SLB-04",
        "The objects that a failing bulk request has got are freed before they have passed the "
        "hook after, in releases whose hook before has charged for them.",
        Edit(
            "slab.bulk",
            "    count_charged(mem, charged_for(mem, group), got)\n",
            "    for slot in range(got):\n        hold(mem, place_in(mem, slot), 0)\n",
        ),
        laws=("SLB-charge", "SLB-lost"),
        fits="What was paid for them is never paid back.",
    ),
    planted(
        "address-brought-to-its-object",
        "slabs",
        "LNX-SLB-06",
        "What is looked up is the object that an address lies in, and nobody asks whether it was "
        "its first byte.",
        Edit("slab.places", "    if at & WORD - 1 or at < ", "    if at < "),
        laws=("SLB-refused",),
        fits="An address within an object is taken for the object.",
    ),
)
