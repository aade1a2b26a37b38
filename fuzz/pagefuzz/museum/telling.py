"""Faults of telling and reading: refreshes, CPUs that go, and what readers see."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_REFRESHED = "    refresh(mem, cpu, False)\n    if reading_of"
_READ_OUT = "    elif held:\n        set_cell(mem, at, width, 0)\n    return held\n"
_LOST = "What is told and what CPUs keep is no longer what was counted."
_KEPT = "A cell holds something after a refresh, or after its CPU has gone."
_SEEN = "Who looks closely sees another number than all CPUs keep."

MUTANTS = (
    planted(
        "refresh-tells-zones-alone",
        "counters",
        SLIP,
        "A refresh tells zones and nodes, and never the machine.",
        Edit(
            "vmstat.refresh",
            "            else:\n                tell_total(mem, item, pages)\n",
            "",
        ),
        laws=("VM-conserve",),
        fits=_LOST,
    ),
    planted(
        "refresh-tells-twice",
        "counters",
        SLIP,
        "A refresh tells the machine of each cell, and at the end of all of them.",
        Edit(
            "vmstat.refresh",
            "                tell_place(mem, place, held)\n",
            "                tell_place(mem, place, held)\n"
            "                tell_total(mem, item, held)\n",
        ),
        laws=("VM-conserve",),
        fits=_LOST,
    ),
    planted(
        "refresh-leaves-the-cell",
        "counters",
        SLIP,
        "A refresh tells what a cell holds and does not empty it.",
        Edit("vmstat.refresh", _READ_OUT, "    return held\n"),
        laws=("VM-conserve", "VM-fold", "VM-numa"),
        fits=_LOST,
    ),
    planted(
        "refresh-forgets-nodes",
        "counters",
        SLIP,
        "A refresh empties the cells of zones and not those of nodes.",
        Edit(
            "vmstat.refresh",
            "        pages, origin = 0, -1\n",
            "        pages, origin = 0, -1\n        if item == ISOLATED:\n            continue\n",
        ),
        Edit("vmstat.refresh", "import FREE, HIT, OTHER", "import FREE, HIT, ISOLATED, OTHER"),
        laws=("VM-fold",),
        fits=_KEPT,
    ),
    planted(
        "half-of-the-statistics-looked-at",
        "counters",
        "LNX-CNT-03",
        "A refresh looks at as many bytes of statistics as there are statistics, and these have "
        "two bytes each: it never comes to the second half.",
        Edit(
            "vmstat.refresh",
            "OTHER + 1 if numa_refreshed_of(mem) else HIT",
            "(OTHER + 1 if width_of(mem, HIT) == S8 else INTERLEAVE) "
            "if numa_refreshed_of(mem) else HIT",
        ),
        Edit("vmstat.refresh", "import TELL_TOTAL", "import S8, TELL_TOTAL"),
        Edit("vmstat.refresh", "import FREE, HIT, OTHER", "import FREE, HIT, INTERLEAVE, OTHER"),
        laws=("VM-fold",),
        fits=_KEPT,
    ),
    planted(
        "gone-with-its-cells",
        "counters",
        SLIP,
        "A CPU that is taken away keeps what is in its cells.",
        Edit("vmstat.retune", _REFRESHED, "    if reading_of"),
        laws=("VM-fold",),
        fits=_KEPT,
    ),
    planted(
        "cells-cleared-before-they-tell",
        "counters",
        "LNX-ACC-04",
        "The cells of a CPU that is taken away are set to 0, and what was in them is told to "
        "nobody.",
        Edit(
            "vmstat.retune",
            _REFRESHED,
            "    for place in range(first_place_of(mem, HIT)):\n"
            "        set_cell(mem, cell_of(mem, cpu, place), S8, 0)\n"
            "    refresh(mem, cpu, False)\n"
            "    if reading_of",
        ),
        Edit("vmstat.retune", "import READ_FOLDS, UNSAID", "import READ_FOLDS, S8, UNSAID"),
        laws=("VM-conserve",),
        fits=_LOST,
    ),
    planted(
        "gone-with-its-events",
        "counters",
        SLIP,
        "A CPU that is taken away tells its counters, and not its events.",
        Edit(
            "vmstat.retune",
            "    if reading_of(mem) == READ_FOLDS:\n        fold_numa(mem, cpu)\n",
            "",
        ),
        laws=("VM-fold",),
        fits=_KEPT,
    ),
    planted(
        "events-of-the-first-cpu",
        "counters",
        SLIP,
        "Reading events empties the cells of the first CPU that runs, and no others.",
        Edit(
            "vmstat.refresh",
            "            fold_numa(mem, cpu)\n",
            "            fold_numa(mem, cpu)\n            break\n",
        ),
        laws=("VM-fold", "VM-read"),
        fits="What other CPUs keep is neither told nor read.",
    ),
    planted(
        "events-told-twice",
        "counters",
        SLIP,
        "Reading events adds each cell to its zone twice.",
        Edit(
            "vmstat.refresh",
            "            set_told(mem, place, told_of(mem, place) + held)\n",
            "            set_told(mem, place, told_of(mem, place) + 2 * held)\n",
        ),
        laws=("VM-conserve",),
        fits=_LOST,
    ),
    planted(
        "read-below-zero",
        "counters",
        "LNX-CNT-06",
        "A reader gets what is told as it is, also below 0.",
        Edit("vmstat.reads", "    return max(0, seen)\n", "    return seen\n"),
        laws=("VM-read",),
        fits="As a number without a sign, less than nothing is a very large one.",
    ),
    planted(
        "words-of-gone-cpus-not-read",
        "counters",
        SLIP,
        "The sum over the words of 2.6.9 leaves out CPUs that are gone, whose words nobody moved.",
        Edit("vmstat.reads", "reads_all_cpus_of(mem) != 0", "False"),
        laws=("VM-read",),
        fits=_SEEN,
    ),
    planted(
        "close-read-of-the-first-cpu",
        "counters",
        SLIP,
        "A close look adds what the first CPU keeps, and no other.",
        Edit("vmstat.reads", "    for cpu in range(cpus_of(mem)):\n", "    for cpu in range(1):\n"),
        laws=("VM-read", "VM-check", "VM-sound"),
        fits=_SEEN,
    ),
    planted(
        "cheap-below-the-drift-mark",
        "counters",
        SLIP,
        "Reclaim believes what is told, also below the drift mark.",
        Edit(
            "vmstat.reads",
            "return read(mem, zone, True) if looks else cheap",
            "return cheap",
        ),
        laws=("VM-sound", "VM-check"),
        fits="It passes a mark that the zone is below in truth.",
    ),
    planted(
        "close-above-the-drift-mark",
        "counters",
        SLIP,
        "Reclaim looks at every CPU wherever the count stands.",
        Edit(
            "vmstat.reads",
            "    if cheap >= drift_mark_of(mem, zone):\n        return cheap\n",
            "",
        ),
        laws=("VM-check",),
        fits="It answers by what CPUs keep where what is told must do.",
    ),
    planted(
        "mark-itself-is-above",
        "counters",
        SLIP,
        "A zone that would keep exactly its mark is above it: >= for >.",
        Edit("vmstat.reads", "return free > mark_of", "return free >= mark_of"),
        laws=("VM-check", "VM-sound"),
        fits="A zone serves a request that it must refuse.",
    ),
    planted(
        "told-of-more-than-there-is",
        "counters",
        SLIP,
        "A request is served by what the zone is told, also where its lists are empty.",
        Edit("vmstat.ops", "in_lists_of(mem, zone) < pages or not is", "not is"),
        laws=("VM-check",),
        fits="A block is handed out that is not there.",
    ),
)
