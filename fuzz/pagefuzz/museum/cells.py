"""Faults of one cell: when a CPU tells what it has counted, how much, and what it keeps."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_MOD = "if total > threshold or total < -threshold:"
_INC = "    overstep = threshold >> 1\n    return total + overstep, -overstep\n\n\n@kernel\ndef dec"
_DEC = "    overstep = threshold >> 1\n    return total - overstep, overstep\n"
_EXCHANGE = "    if total <= threshold and total >= -threshold:\n"
_EXCHANGED = "    return total + overstep, -overstep\n\n\n@kernel\ndef inc_without"
_SUM = "    total = diff + delta\n    if total > threshold or"

_EARLY = (
    "Whoever tells at another number than the first beyond the threshold shares a line for nothing."
)
_LOST = "What is told and what is left in the cell is no longer what was there and what was added."
_LEFT = "Another number stays in the cell than half a threshold with the opposite sign."

MUTANTS = (
    planted(
        "change-told-at-the-threshold",
        "counters",
        SLIP,
        "A change of any size is told as soon as the cell is at its threshold: >= for >.",
        Edit("vmstat.cell", _MOD, _MOD.replace("total > ", "total >= ")),
        laws=("VM-told",),
        fits=_EARLY,
    ),
    planted(
        "change-told-at-the-lower-end",
        "counters",
        SLIP,
        "The same at the lower end alone: <= for <.",
        Edit("vmstat.cell", _MOD, _MOD.replace("total < ", "total <= ")),
        laws=("VM-told",),
        fits=_EARLY,
    ),
    planted(
        "change-below-never-told",
        "counters",
        SLIP,
        "A change of any size looks at the upper end alone.",
        Edit("vmstat.cell", _MOD, "if total > threshold:"),
        laws=("VM-cell", "VM-width", "VM-conserve"),
        fits="A cell goes below its threshold, and beyond what its byte holds.",
    ),
    planted(
        "increment-told-at-the-threshold",
        "counters",
        SLIP,
        "An increment is told as soon as the cell is at its threshold.",
        Edit("vmstat.cell", "    if total <= threshold:\n", "    if total < threshold:\n"),
        laws=("VM-told",),
        fits=_EARLY,
    ),
    planted(
        "decrement-told-one-late",
        "counters",
        SLIP,
        "A decrement lets the cell go one beyond its threshold.",
        Edit("vmstat.cell", "    if total >= -threshold:\n", "    if total >= -threshold - 1:\n"),
        laws=("VM-cell", "VM-told"),
        fits="A CPU keeps more than its threshold, and tells later than it must.",
    ),
    planted(
        "overstep-of-the-wrong-sign",
        "counters",
        SLIP,
        "An increment that tells leaves half a threshold above 0: the next telling is near.",
        Edit("vmstat.cell", _INC, _INC.replace("total + overstep, -", "total - overstep, ")),
        laws=("VM-told",),
        fits=_LEFT,
    ),
    planted(
        "overstep-not-halved",
        "counters",
        SLIP,
        "An increment that tells leaves a whole threshold behind.",
        Edit("vmstat.cell", _INC, _INC.replace(" >> 1", "")),
        laws=("VM-cell", "VM-told"),
        fits="A cell that only increments have met is further below 0 than half a threshold.",
    ),
    planted(
        "overstep-rounded-up",
        "counters",
        SLIP,
        "Half of an odd threshold is rounded away from 0, as a shift of a negative number does.",
        Edit("vmstat.cell", _DEC, _DEC.replace("threshold >> 1", "-(-threshold >> 1)")),
        laws=("VM-cell", "VM-told"),
        fits=_LEFT,
    ),
    planted(
        "overstep-not-told",
        "counters",
        SLIP,
        "Half a threshold is left in the cell, and the zone is not told of it.",
        Edit("vmstat.cell", _INC, _INC.replace("return total + overstep", "return total")),
        laws=("VM-conserve", "VM-numa"),
        fits=_LOST,
    ),
    planted(
        "overstep-not-left",
        "counters",
        SLIP,
        "The zone is told of half a threshold more, and the cell is emptied.",
        Edit("vmstat.cell", _DEC, _DEC.replace(", overstep\n", ", 0\n")),
        laws=("VM-conserve",),
        fits=_LOST,
    ),
    planted(
        "exchange-looks-up-only",
        "counters",
        SLIP,
        "A change by exchange looks at the upper end alone.",
        Edit("vmstat.cell", _EXCHANGE, "    if total <= threshold:\n"),
        laws=("VM-cell", "VM-width", "VM-conserve", "VM-told"),
        fits="A cell goes below its threshold, and beyond what its byte holds.",
    ),
    planted(
        "exchange-forgets-the-cell",
        "counters",
        SLIP,
        "A change by exchange tells what it adds, and not what was in the cell that it overwrites.",
        Edit("vmstat.cell", _EXCHANGED, _EXCHANGED.replace("return total", "return delta")),
        laws=("VM-conserve",),
        fits=_LOST,
    ),
    planted(
        "exchange-leans-up",
        "counters",
        SLIP,
        "Every change by exchange leaves half a threshold below 0, also one that goes down.",
        Edit("vmstat.cell", "lean * (threshold >> 1)", "threshold >> 1"),
        laws=("VM-told", "VM-cell"),
        fits=_LEFT,
    ),
    planted(
        "exchange-not-written",
        "counters",
        SLIP,
        "What is told after an exchange is told, but the exchange itself did not take place.",
        Edit(
            "vmstat.update",
            "    if pages == 0 or by_exchange:\n        set_cell(mem, at, width, left)\n"
            "    else:\n",
            "    if pages == 0:\n        set_cell(mem, at, width, left)\n    else:\n",
        ),
        laws=("VM-conserve",),
        fits=_LOST,
    ),
    planted(
        "amount-narrower-than-the-counter",
        "counters",
        "LNX-CNT-01",
        "The amount of a change comes in fewer bits than the counter has: sixteen here, where the "
        "kernel's 32 met zones of 9 TB.",
        Edit("vmstat.cell", _SUM, _SUM.replace("delta\n", "narrowed(delta, S16)\n")),
        laws=("VM-conserve",),
        fits="A large amount wraps, and may change its sign.",
    ),
    planted(
        "negative-amount-without-sign",
        "counters",
        "LNX-CNT-02",
        "The number of frames is negated before it has a sign, and widened afterwards: what is to "
        "be taken off is added, less 4,294,967,296.",
        Edit(
            "vmstat.ops",
            "change(mem, cpu, zone, -pages, 0, False)",
            "change(mem, cpu, zone, -pages & 0xFFFFFFFF, 0, False)",
        ),
        laws=("VM-conserve",),
        fits="The count is above the truth by 2**32 less what was taken.",
    ),
    planted(
        "cell-read-without-sign",
        "counters",
        SLIP,
        "A cell of eight bits is read as an unsigned byte: -1 counts as 255.",
        Edit(
            "vmstat.cell",
            "    if width == S8:\n        return s8_at(mem, at)\n",
            "    if width == S8:\n        return s8_at(mem, at) & 0xFF\n",
        ),
        laws=("VM-conserve", "VM-numa"),
        fits=_LOST,
    ),
    planted(
        "told-to-the-zone-alone",
        "counters",
        SLIP,
        "A change tells the zone, and not the whole machine.",
        Edit(
            "vmstat.update",
            "        tell_place(mem, place, pages)\n        tell_total(mem, item, pages)\n    if",
            "        tell_place(mem, place, pages)\n    if",
        ),
        laws=("VM-conserve",),
        fits="The sum over the zones is no longer the machine's.",
    ),
    planted(
        "update-ends-without-its-cell",
        "counters",
        SLIP,
        "An update of the plain way ends when the machine has been told, and does not write its "
        "cell.",
        Edit(
            "vmstat.update",
            "            set_stage(mem, u, WRITE_CELL)\n            return\n",
            "            set_held_up(mem, area_of(mem, update_cpu_of(mem, u)), 0)\n",
        ),
        laws=("VM-conserve",),
        fits="What was told is still in the cell, and is told again.",
    ),
)
