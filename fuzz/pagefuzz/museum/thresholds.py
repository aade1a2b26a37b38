"""Faults of thresholds and drift marks: how large they are, and what they follow when."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_LOWERS = "            set_zone_threshold(mem, zone, pressure_of(mem, zone))\n"
_LOWERED = "and drift_mark_of(mem, zone):\n" + _LOWERS
_RAISES = "            set_zone_threshold(mem, zone, normal_of(mem, zone))\n"
_GAP = "nr_running_of(mem), low_of(mem, zone) - min_of(mem, zone)"
_NORMAL = "(bits_of(cpus) << 1) * (1 + bits_of(pages >> UNIT_SHIFT))"
_OFTEN = "The threshold is not the formula's: CPUs tell too often, or keep back too much."
_WHEN = "The threshold is that of other CPUs, other memory, or another state of kswapd."
_MARK = "Below the mark that is due whoever frees memory must not believe what is told."

MUTANTS = (
    planted(
        "threshold-fills-the-byte",
        "counters",
        SLIP,
        "The largest threshold is 127, what a signed byte holds.",
        Edit("vmstat.threshold", "MOST = 125\n", "MOST = 127\n"),
        laws=("VM-threshold", "VM-width"),
        fits="One more is counted before the cell is told, and wraps.",
    ),
    planted(
        "small-zones-count-for-nothing",
        "counters",
        SLIP,
        "The formula has no 1 beside the doublings of memory: a zone below 128 MiB tells at once.",
        Edit("vmstat.threshold", _NORMAL, _NORMAL.replace("1 + bits", "bits")),
        laws=("VM-threshold",),
        fits=_OFTEN,
    ),
    planted(
        "doublings-counted-from-one",
        "counters",
        SLIP,
        "The doublings of CPUs are counted from one CPU, not from none: one bit too few.",
        Edit(
            "vmstat.threshold", _NORMAL, _NORMAL.replace("(bits_of(cpus) ", "(bits_of(cpus >> 1) ")
        ),
        laws=("VM-threshold",),
        fits=_OFTEN,
    ),
    planted(
        "units-of-another-frame-size",
        "counters",
        SLIP,
        "Memory is measured by a shift that makes units of 128 MiB of frames of 16 KiB.",
        Edit("vmstat.threshold", "UNIT_SHIFT = 15\n", "UNIT_SHIFT = 13\n"),
        laws=("VM-threshold",),
        fits=_OFTEN,
    ),
    planted(
        "possible-cpus-for-running",
        "counters",
        SLIP,
        "The formula counts all CPUs that there may be, also those that do not run.",
        Edit(
            "vmstat.counters",
            "normal_threshold(nr_running_of(mem),",
            "normal_threshold(cpus_of(mem),",
        ),
        Edit("vmstat.counters", "    close_reads_of,\n", "    close_reads_of,\n    cpus_of,\n"),
        laws=("VM-threshold",),
        fits=_WHEN,
    ),
    planted(
        "pressure-divides-first",
        "counters",
        SLIP,
        "Under pressure the lowest mark is divided by the CPUs and taken off the low one: the "
        "brackets are missing.",
        Edit(
            "vmstat.retune",
            _GAP,
            "1, low_of(mem, zone) - min_of(mem, zone) // nr_running_of(mem)",
        ),
        laws=("VM-threshold",),
        fits="All CPUs together keep back more than lies between the marks.",
    ),
    planted(
        "pressure-down-to-nothing",
        "counters",
        SLIP,
        "Under pressure a threshold may fall to 0, where there are more CPUs than frames between "
        "the marks.",
        Edit("vmstat.threshold", "max(1, gap // cpus)", "gap // cpus"),
        laws=("VM-threshold",),
        fits=_OFTEN,
    ),
    planted(
        "pressure-on-one-zone",
        "counters",
        SLIP,
        "Kswapd lowers the threshold of its node's first zone alone.",
        Edit("vmstat.retune", _LOWERED, _LOWERED + "            break\n"),
        laws=("VM-threshold",),
        fits=_WHEN,
    ),
    planted(
        "pressure-without-a-mark",
        "counters",
        SLIP,
        "Kswapd lowers the thresholds of all zones of its node, also where no drift mark is due.",
        Edit("vmstat.retune", "node " + _LOWERED, "node:\n" + _LOWERS),
        laws=("VM-threshold",),
        fits=_WHEN,
    ),
    planted(
        "lowered-at-rest-too",
        "counters",
        SLIP,
        "When kswapd goes to sleep the thresholds are set to the lowered ones again.",
        Edit("vmstat.retune", _RAISES, _LOWERS),
        laws=("VM-threshold",),
        fits=_WHEN,
    ),
    planted(
        "threshold-kept-when-a-cpu-goes",
        "counters",
        SLIP,
        "A CPU that is taken away leaves the thresholds as they are.",
        Edit(
            "vmstat.retune",
            "        fold_numa(mem, cpu)\n    set_thresholds(mem)\n",
            "        fold_numa(mem, cpu)\n",
        ),
        laws=("VM-threshold", "VM-mark"),
        fits=_WHEN,
    ),
    planted(
        "plugged-memory-changes-nothing",
        "counters",
        "Linux 2.6.39",
        "Thresholds stay as they are when memory is plugged in, in every era.",
        Edit(
            "vmstat.retune",
            "    if resized_thresholds_of(mem):\n        set_thresholds(mem)\n",
            "",
        ),
        laws=("VM-threshold", "VM-mark"),
        fits=_WHEN,
    ),
    planted(
        "min-free-retunes",
        "counters",
        SLIP,
        "Thresholds and drift marks follow min_free_kbytes at once.",
        Edit(
            "vmstat.retune",
            "    set_min_free(mem, kbytes)\n    set_marks(mem)\n",
            "    set_min_free(mem, kbytes)\n    set_marks(mem)\n    set_thresholds(mem)\n",
        ),
        laws=("VM-threshold", "VM-mark"),
        fits="The mark moves though nothing that sets it has happened.",
    ),
    planted(
        "node-follows-its-last-zone",
        "counters",
        SLIP,
        "A node has the threshold of its last zone, not the largest.",
        Edit("vmstat.counters", "max(threshold, node_threshold_of(mem, node))", "threshold"),
        laws=("VM-threshold",),
        fits=_OFTEN,
    ),
    planted(
        "drift-mark-at-exactly-the-gap",
        "counters",
        SLIP,
        "A drift mark is set also where CPUs keep back exactly what lies between the marks: >= for "
        ">.",
        Edit("vmstat.threshold", "if drift > gap else 0", "if drift >= gap else 0"),
        laws=("VM-mark",),
        fits=_MARK,
    ),
    planted(
        "drift-mark-above-low",
        "counters",
        SLIP,
        "The drift mark stands above the low mark, not the high one.",
        Edit(
            "vmstat.counters",
            "threshold, gap, high_of(mem, zone))",
            "threshold, gap, low_of(mem, zone))",
        ),
        laws=("VM-mark",),
        fits=_MARK,
    ),
    planted(
        "drift-mark-of-one-cpu",
        "counters",
        SLIP,
        "The drift mark is above the high mark by what one CPU keeps back.",
        Edit("vmstat.threshold", "return high + drift if", "return high + threshold if"),
        laws=("VM-mark",),
        fits=_MARK,
    ),
    planted(
        "drift-mark-taken-away",
        "counters",
        SLIP,
        "A drift mark that is not due any more is cleared.",
        Edit(
            "vmstat.counters",
            "        if mark and close_reads_of(mem)",
            "        if close_reads_of(mem)",
        ),
        laws=("VM-mark", "VM-threshold"),
        fits=_MARK,
    ),
)
