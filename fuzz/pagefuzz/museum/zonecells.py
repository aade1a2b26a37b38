"""Faults of what CPUs keep of a zone's counts: whose cell counts, and when it tells."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_COUNTS = "    q = area_of(mem, on_cpu_of(mem), 0)\n    told, left = mod(free_cell_of"
_OWN = "A CPU's cell is changed by a request on another."
_UNTOLD = "What a CPU kept is not told, or was never taken out of what it keeps."

MUTANTS = (
    planted(
        "counted-on-the-first-cpu",
        "zones' cells",
        SLIP,
        "Free frames are counted on the first CPU, wherever the request runs.",
        Edit("vmstat.kept", _COUNTS, _COUNTS.replace("on_cpu_of(mem)", "0")),
        laws=("CELL-owner", "CELL-width"),
        fits=_OWN,
    ),
    planted(
        "remote-drain-counted-where-it-lay",
        "zones' cells",
        "Linux 5.15",
        "What a drain takes from another CPU's lists is counted on that CPU, in every era.",
        Edit(
            "pcp.cpus",
            "        if not drains_remotely_of(mem):\n            work_on(mem, cpu)\n",
            "        work_on(mem, cpu)\n",
        ),
        laws=("CELL-owner", "CELL-width"),
        fits=_OWN,
    ),
    planted(
        "refresh-told-to-nobody",
        "zones' cells",
        "LNX-ACC-04",
        "Cells are emptied by the periodic worker and for a CPU that goes, and the zone is not "
        "told.",
        Edit("vmstat.kept", "    change_kept_free(mem, -free)\n", ""),
        laws=("CELL-sum",),
        fits="What the zone was told and what CPUs keep is no longer what its lists hold.",
    ),
    planted(
        "zone-left-with-a-full-cell",
        "zones' cells",
        SLIP,
        "A CPU that is taken away keeps what it has counted.",
        Edit(
            "pcp.cpus",
            "        told = tell(mem, cpu)\n        rests(",
            "        told = False\n        rests(",
        ),
        laws=("CELL-fold", "CELL-width"),
        fits=_UNTOLD,
    ),
    planted(
        "zone-keeps-its-threshold",
        "zones' cells",
        SLIP,
        "A CPU that is taken away leaves the zone's threshold as it is.",
        Edit(
            "pcp.cpus",
            "    measure(mem)\n    set_threshold(mem)\n    return 0\n\n\n@kernel\ndef plug",
            "    measure(mem)\n    return 0\n\n\n@kernel\ndef plug",
        ),
        laws=("CELL-threshold",),
        fits="It is that of another number of CPUs.",
    ),
    planted(
        "kswapd-lowers-nothing",
        "zones' cells",
        SLIP,
        "Kswapd wakes, and CPUs keep back as much as before.",
        Edit(
            "vmstat.zone",
            "drift_mark_of(mem) != 0 and lowers_thresholds_of(mem):\n        gap",
            "False:\n        gap",
        ),
        laws=("CELL-threshold",),
        fits="Together they keep back more than lies between the marks.",
    ),
)
