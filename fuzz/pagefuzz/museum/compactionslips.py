"""Slips of the hand in compaction: targets lost, holders misled, positions kept."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_CUTS = "                push_front(mem, p + (1 << current), current)\n"

MUTANTS = (
    planted(
        "large-targets-kept",
        "compaction",
        SLIP,
        "When a run ends, isolated blocks of several frames are not given back.",
        Edit("compaction.run", "range(nr_lists(mem))", "range(1)"),
        laws=("CMP-undo", "CMP-rest", "OUT-fault"),
        fits="They are nobody's, and not free.",
    ),
    planted(
        "moved-off-the-lru",
        "compaction",
        SLIP,
        "A block that moves is not put on the LRU again.",
        Edit(
            "compaction.migrate",
            "    if is_on_lru(mem, p):\n        put_on_lru",
            "    if False:\n        put_on_lru",
        ),
        laws=("CMP-holder",),
        fits="Its holder finds that it has lost its place.",
    ),
    planted(
        "pinned-moved",
        "compaction",
        SLIP,
        "A block to which others have references is moved as any other.",
        Edit("compaction.migrate", "refs_of(zone, p) == 2:", "refs_of(zone, p) >= 2:"),
        laws=("CMP-move", "CMP-holder"),
        fits="Whoever has the reference knows its frames, and no name.",
    ),
    planted(
        "positions-kept-after-meeting",
        "compaction",
        SLIP,
        "When the scanners have met, only who waits for memory lets the next run begin at the "
        "zone's ends.",
        Edit(
            "compaction.suitable",
            "        forget_positions(mem)\n        if direct_of(mem):\n",
            "        if direct_of(mem):\n            forget_positions(mem)\n",
        ),
        laws=("CMP-anew",),
        fits="It finds at once that they have met.",
    ),
    planted(
        "upper-half-lost",
        "compaction",
        SLIP,
        "An isolated block that is cut for a smaller one loses a half.",
        Edit(
            "compaction.lists",
            _CUTS,
            f"                if current > order:\n    {_CUTS}",
        ),
        laws=("CMP-undo", "CMP-rest", "CAP-capture"),
        fits="Its frames are nobody's, and not free.",
    ),
)
