"""Faults of NUMA statistics: whose memory was given, and where that is counted."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_WRONG = "An allocation is counted as what it was not, or elsewhere."

MUTANTS = (
    planted(
        "hit-for-miss",
        "counters",
        SLIP,
        "A hit is counted as a miss, and a miss as a hit.",
        Edit("vmstat.count", "HIT if hit else MISS", "MISS if hit else HIT"),
        laws=("VM-numa",),
        fits=_WRONG,
    ),
    planted(
        "hit-by-zone",
        "counters",
        SLIP,
        "Only the zone that was wanted has a hit, not another one of its node.",
        Edit("vmstat.count", "hit = node == node_of(mem, preferred)", "hit = zone == preferred"),
        laws=("VM-numa",),
        fits=_WRONG,
    ),
    planted(
        "foreign-where-it-was-served",
        "counters",
        SLIP,
        "A miss is foreign at the zone that served, not at the one that was wanted.",
        Edit("vmstat.count", "FOREIGN, preferred)", "FOREIGN, zone)"),
        laws=("VM-numa",),
        fits=_WRONG,
    ),
    planted(
        "local-by-wish",
        "counters",
        SLIP,
        "An allocation is local if the node that was wanted is the CPU's, whichever served.",
        Edit("vmstat.count", "LOCAL if node ==", "LOCAL if node_of(mem, preferred) =="),
        laws=("VM-numa",),
        fits=_WRONG,
    ),
    planted(
        "overstep-below-an-unsigned-cell",
        "counters",
        SLIP,
        "A cell of sixteen bits without a sign leaves half a threshold behind below 0, too.",
        Edit(
            "vmstat.update",
            "    if item >= HIT and not oversteps_of(mem):\n"
            "        return inc_without_overstep(diff, threshold, width)\n",
            "",
        ),
        laws=("VM-numa", "VM-conserve", "VM-told", "VM-width"),
        fits="What goes below 0 comes back as 65,536 too many.",
    ),
    planted(
        "told-past-the-threshold-of-statistics",
        "counters",
        SLIP,
        "Statistics without a sign are told one late: >= for > where the sum is made first.",
        Edit(
            "vmstat.cell",
            "    if total > threshold:\n        return total, 0\n    return 0, total\n",
            "    if diff > threshold:\n        return total, 0\n    return 0, total\n",
        ),
        laws=("VM-cell", "VM-told"),
        fits="A CPU keeps more than its threshold.",
    ),
    planted(
        "statistics-off-in-zones-alone",
        "counters",
        SLIP,
        "Statistics that are turned off are set to 0 in zones, and stay in the cells of CPUs.",
        Edit(
            "vmstat.retune",
            "                set_cell(mem, cell_of(mem, cpu, place), width_of(mem, item), 0)\n",
            "                pass\n",
        ),
        laws=("VM-numa",),
        fits="What is off is not 0, and shows when they are turned on again.",
    ),
    planted(
        "counted-while-off",
        "counters",
        SLIP,
        "Allocations are counted while statistics are off.",
        Edit("vmstat.count", "    if not numa_on_of(mem):\n        return\n", ""),
        laws=("VM-numa",),
        fits="What is off is not 0.",
    ),
    planted(
        "zone-taken-for-node",
        "counters",
        SLIP,
        "A design that counts by node takes a zone's number for its node.",
        Edit(
            "vmstat.count",
            "ordinal_of(mem, node_of(mem, zone)) if by_node_of",
            "ordinal_of(mem, min(zone, 1)) if by_node_of",
        ),
        laws=("VM-numa", "OUT-fault"),
        fits=_WRONG,
    ),
)
