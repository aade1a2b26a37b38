"""Historical faults of compaction: scanners that stray, miss each other, or never end."""

from pagefuzz.museum.mutant import Edit, planted

_NO_TARGETS = "            if not migrate(mem) and remembers_of(mem) and not have_met(mem):\n"

MUTANTS = (
    planted(
        "met-without-being-seen",
        "compaction",
        "LNX-CMP-03",
        "A run that finds no more targets because the scanners have met ends there, before "
        "anybody asks whether they have: one for the whole zone.",
        Edit(
            "compaction.run",
            _NO_TARGETS + "                result = CONTENDED\n",
            _NO_TARGETS.replace("not have_met(mem)", "not (order_of(mem) > 0 and have_met(mem))")
            + "                result = CONTENDED\n"
            "                if have_met(mem):\n"
            "                    result = COMPLETE if whole_of(mem) else PARTIAL\n",
        ),
        laws=("CMP-anew",),
        fits="The next run begins where they met, and finds that they have.",
    ),
    planted(
        "ends-only-at-the-very-end",
        "compaction",
        "LNX-CMP-04",
        "A walk over a pageblock ends at the frame behind it, and not beyond: a block that "
        "crosses its end takes it into the next, and out of the zone.",
        Edit(
            "compaction.scan",
            "    while pfn < end:\n",
            "    while pfn != end and (pfn < end or not strict):\n",
        ),
        laws=("OUT-fault", "CMP-given", "CMP-undo"),
        fits="The walk leaves the zone, and reads what is not there.",
    ),
    planted(
        "overshot-is-success",
        "compaction",
        "LNX-CMP-07",
        "A claim that was not all isolated is told from one that was by a position that is not the "
        "end, so that one beyond it passes: what is held is skipped by its order.",
        Edit(
            "compaction.scan",
            "        elif strict or (free",
            "        elif (strict and number < 0) or (free",
        ),
        laws=("CMP-given", "CMP-undo"),
        fits="Frames are given out that somebody holds.",
    ),
    planted(
        "killed-and-goes-on",
        "compaction",
        "LNX-CMP-09",
        "A scanner whose caller is to die stops before it has got on, and says that there is more "
        "to do.",
        Edit("compaction.sources", "            given_up = True\n", ""),
        laws=("OUT-fault",),
        fits="It is asked again at the same frame, for ever.",
    ),
    planted(
        "large-counted-as-one",
        "compaction",
        "LNX-CMP-10",
        "A large block that is isolated counts as one frame.",
        Edit(
            "compaction.migrate",
            "    pages = 1 << (owner_of(zone, p) & ORDER_BITS)\n    set_wanted",
            "    pages = 1\n    set_wanted",
        ),
        laws=("CMP-rest",),
        fits="The count of isolated frames goes down by more than it went up.",
    ),
    planted(
        "all-counted-as-off-the-lru",
        "compaction",
        "LNX-CNT-07",
        "What is isolated counts as off the LRU, whether it was on it or not; what is put back "
        "only if it was.",
        Edit(
            "compaction.holders",
            "    if is_on_lru(mem, p):\n        set_isolated_lru",
            "    if pages > 0 or is_on_lru(mem, p):\n        set_isolated_lru",
        ),
        laws=("CMP-rest",),
        fits="The count of isolated frames never goes down to nothing.",
    ),
)
