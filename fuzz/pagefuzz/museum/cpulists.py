"""Faults of CPUs' page lists: what they keep, refill, drain and learn, and who may use them."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_RECALLED = """    again = retypes_on_merge_of(mem) != 0
    if isolation_of(mem) != ISOLATE_BY_MOVE and nr_isolated_of(mem) != 0:
        again = True
"""
_BATCH = "batch_of(mem, q) if count_of(mem, q) >= high_of(mem, q) else 0"
_GROWN = "high = min(high + asked, high_max_of(mem, q))"
_WRONG_LIST = "A block is on a list whose requests must not get it."
_TOO_MUCH = (
    "The lists hold, move or give back another number of frames than the era's formula says."
)
_ORDER = (
    "Blocks leave a list in another order than that in which they came: the request gets another "
    "one, or the buddy's lists have those that were drained in another order."
)
_BARRED = "A context touches lists that the guard keeps it off, or leaves those that it may use."

MUTANTS = (
    planted(
        "drain-by-cached-type",
        "CPUs' lists",
        "LNX-PCP-01",
        "A drain gives every block back by the type that it was listed with, also while its "
        "pageblock is isolated.",
        Edit("pcp.drain", _RECALLED, "    again = retypes_on_merge_of(mem) != 0\n"),
        laws=("MT-list", "BUD-count", "PCP-drain", "MT-barrier", "ISO-held", "BUD-place"),
        fits="A frame of an isolated pageblock is on a list that serves requests.",
    ),
    planted(
        "one-list-for-all-types",
        "CPUs' lists",
        "LNX-PCP-03",
        "One list serves every type, as until 2.6.23.",
        Edit("pcp.index", "        return 3 * order + mt\n", "        return 3 * order\n"),
        laws=("PCP-count", "PCP-lifo", "PCP-refill", "MT-own", "PCP-owner", "MT-list"),
        fits=_WRONG_LIST,
    ),
    planted(
        "drained-as-single-frame",
        "CPUs' lists",
        "LNX-PCP-16",
        "A drain takes every block for a single frame, now that lists hold several orders.",
        Edit("pcp.drain", "order = listed_order_of(mem, head)", "order = 0"),
        laws=(
            "PCP-count",
            "BUD-partition",
            "BUD-count",
            "PCP-drain",
            "PCP-lifo",
            "ZONE-frame",
            "OUT-fault",
        ),
        fits="The other frames of the block are lost, and the count of the lists is wrong: a later "
        "drain goes round empty lists for ever.",
    ),
    planted(
        "label-before-the-lock",
        "CPUs' lists",
        "LNX-PCP-08",
        "A block of the reserve or of CMA memory is given the type under which it would be listed, "
        "and goes back by that type also if it was not listed.",
        Edit(
            "pcp.lists",
            "    set_listed_type(mem, p, mt)\n    push(mem, q + index",
            ("    set_listed_type(mem, p, list_type(mt))\n    push(mem, q + index"),
        ),
        laws=(
            "PCP-lifo",
            "PCP-drain",
            "MT-list",
            "BUD-count",
            "PCP-count",
            "BUD-place",
        ),
        fits="What it returns to is no longer its pageblock's list, which until 6.1 only the place "
        "tells.",
    ),
    planted(
        "isolated-frames-listed",
        "CPUs' lists",
        SLIP,
        "What is freed in an isolated pageblock goes to the CPU's list.",
        Edit("alloc", "if mt != ISOLATE and may_use_lists", "if may_use_lists"),
        laws=("ISO-held", "PCP-owner", "PCP-lifo", "PCP-count", "MT-own"),
        fits="Isolated frames may be handed out from there.",
    ),
    planted(
        "cold-end-first",
        "CPUs' lists",
        SLIP,
        "Requests are served from the tail, where the coldest block is.",
        Edit(
            "pcp.lists",
            "prev_of(mem, head) if want & tail_flags_of(mem) else next_of(mem, head)",
            "next_of(mem, head) if want & tail_flags_of(mem) else prev_of(mem, head)",
        ),
        laws=(
            "PCP-lifo",
            "ORACLE-lists",
            "BUD-place",
        ),
        fits=_ORDER,
    ),
    planted(
        "drain-from-the-front",
        "CPUs' lists",
        SLIP,
        "A drain takes the warmest blocks.",
        Edit(
            "pcp.drain",
            "    p = prev_of(mem, head)\n    order = listed",
            "    p = next_of(mem, head)\n    order = listed",
        ),
        laws=(
            "PCP-drain",
            "PCP-lifo",
            "BUD-place",
        ),
        fits=_ORDER,
    ),
    planted(
        "refill-reversed",
        "CPUs' lists",
        SLIP,
        "A refill puts each block in front of the one before, so that they are handed out in "
        "descending order.",
        Edit(
            "pcp.lists",
            "        push(mem, head, p, not reverse)",
            ("        push(mem, head, p, reverse)"),
        ),
        laws=(
            "PCP-refill",
            "PCP-lifo",
            "ORACLE-lists",
            "BUD-place",
        ),
        fits=_ORDER,
    ),
    planted(
        "refill-one-more",
        "CPUs' lists",
        SLIP,
        "A refill takes one block more than the batch: <= for < in a hand-written loop.",
        Edit(
            "pcp.lists",
            "blocks = blocks_to_refill(mem, q, order)",
            "blocks = blocks_to_refill(mem, q, order) + 1",
        ),
        laws=("PCP-refill",),
        fits=_TOO_MUCH,
    ),
    planted(
        "batch-for-higher-orders",
        "CPUs' lists",
        SLIP,
        "A refill of a higher order takes a whole batch of blocks, not of frames.",
        Edit("pcp.tuning", "        return max(batch >> order, 2)\n", "        return batch\n"),
        laws=("PCP-refill",),
        fits=_TOO_MUCH,
    ),
    planted(
        "one-huge-block-a-refill",
        "CPUs' lists",
        SLIP,
        "A refill of huge blocks takes one, not two.",
        Edit(
            "pcp.tuning",
            "        return max(batch >> order, 2)\n",
            "        return max(batch >> order, 1)\n",
        ),
        laws=("PCP-refill",),
        fits=_TOO_MUCH,
    ),
    planted(
        "refill-counts-blocks",
        "CPUs' lists",
        SLIP,
        "A refill counts blocks, although the lists hold several orders.",
        Edit(
            "pcp.lists",
            "        push(mem, head, p, not reverse)\n"
            "        set_count(mem, q, count_of(mem, q) + (1 << order))",
            "        push(mem, head, p, not reverse)\n"
            "        set_count(mem, q, count_of(mem, q) + 1)",
        ),
        laws=("PCP-count",),
        fits="The count is not the sum of the lists.",
    ),
    planted(
        "drain-above-high-alone",
        "CPUs' lists",
        SLIP,
        "A free drains when the lists hold more than high, not when they hold as much: > for >=.",
        Edit("pcp.tuning", _BATCH, _BATCH.replace(">=", ">")),
        laws=("PCP-drain", "PCP-bound"),
        fits=_TOO_MUCH,
    ),
    planted(
        "drain-unclamped",
        "CPUs' lists",
        "LNX-PCP-05",
        "The drain trusts its caller, and looks for more frames than the lists hold.",
        Edit("pcp.drain", "    pages = min(pages, count_of(mem, q))\n", ""),
        laws=("OUT-fault", "PCP-drain", "OUT-refuse"),
        fits="It goes round empty lists for ever.",
    ),
    planted(
        "turns-begin-at-the-first-list",
        "CPUs' lists",
        SLIP,
        "The round of a drain begins at the first list; the kernel's begins at the second.",
        Edit(
            "pcp.drain",
            "    turn = allowance = 0\n    while pages > 0:",
            "    turn = nr_lists_of(mem) - 1\n    allowance = 0\n    while pages > 0:",
        ),
        laws=(
            "PCP-drain",
            "PCP-lifo",
            "BUD-place",
        ),
        fits=_ORDER,
    ),
    planted(
        "empty-lists-earn-nothing",
        "CPUs' lists",
        SLIP,
        "A list gets no more turns for the empty ones that were passed on the way to it.",
        Edit(
            "pcp.drain",
            "        while is_empty(mem, q + turn):\n            allowance += 1\n",
            "        while is_empty(mem, q + turn):\n",
        ),
        laws=(
            "PCP-drain",
            "PCP-lifo",
            "BUD-place",
        ),
        fits=_ORDER,
    ),
    planted(
        "preferred-list-ignored",
        "CPUs' lists",
        SLIP,
        "A drain begins at the first list, not at the one just freed into.",
        Edit(
            "pcp.drain",
            "from_preferred(mem, q, pages, preferred)",
            "from_preferred(mem, q, pages, 0)",
        ),
        laws=(
            "PCP-drain",
            "PCP-lifo",
            "BUD-place",
        ),
        fits=_ORDER,
    ),
    planted(
        "factor-never-halved",
        "CPUs' lists",
        SLIP,
        "What drains have learnt is not forgotten when blocks are taken from the list.",
        Edit(
            "pcp.tuning",
            "        set_factor(mem, q, factor_of(mem, q) >> 1)\n",
            "        pass\n",
        ),
        laws=("PCP-tune", "PCP-drain"),
        fits=_TOO_MUCH,
    ),
    planted(
        "high-grows-without-bound",
        "CPUs' lists",
        SLIP,
        "A refill raises high beyond its upper bound.",
        Edit("pcp.tuning", _GROWN, "high = high + asked"),
        laws=("PCP-tune", "PCP-bound", "PCP-refill"),
        fits=_TOO_MUCH,
    ),
    planted(
        "high-never-decays",
        "CPUs' lists",
        SLIP,
        "The periodic worker drains what is above high, and leaves high where it is.",
        Edit(
            "pcp.tuning",
            "        high = max(count - (batch_of(mem, q) << SCALE), high - (high >> 3), least)\n",
            "        high = max(high, least)\n",
        ),
        laws=("PCP-tune", "PCP-drain"),
        fits=_TOO_MUCH,
    ),
    planted(
        "lists-used-from-interrupts",
        "CPUs' lists",
        "Linux 4.11-rc",
        "A context that lost the lock, or is an interrupt in 4.11-rc, uses the lists all the same.",
        Edit("pcp.index", " and want & barring_of(mem) == 0", ""),
        laws=("PCP-owner",),
        fits=_BARRED,
    ),
    planted(
        "lists-of-the-first-cpu",
        "CPUs' lists",
        "LNX-PCP-11",
        "All CPUs share the lists of the first one.",
        Edit("pcp.index", "area_of(mem, cpu_of(want), cold)", "area_of(mem, 0, cold)"),
        laws=("PCP-tune", "PCP-owner", "PCP-lifo", "PCP-leak", "PCP-unplugged"),
        fits=_BARRED,
    ),
    planted(
        "drain-all-forgets-the-last",
        "CPUs' lists",
        SLIP,
        "Draining all CPUs leaves out the last one.",
        Edit(
            "pcp.cpus",
            "    for cpu in range(cpus_of(mem)):\n        if not drains_remotely",
            "    for cpu in range(cpus_of(mem) - 1):\n        if not drains_remotely",
        ),
        laws=("PCP-leak", "PCP-off", "PCP-unplugged", "PCP-drain"),
        fits="Free memory stays where no merge finds it.",
    ),
    planted(
        "unplugged-with-its-lists",
        "CPUs' lists",
        SLIP,
        "A CPU that is taken away keeps what is on its lists.",
        Edit("pcp.cpus", "    drain_kinds(mem, cpu, by)\n    if counting", "    if counting"),
        laws=("PCP-unplugged", "PCP-leak"),
        fits="Nobody gives it back before the CPU is there again.",
    ),
    planted(
        "disabled-lists-keep-their-sizes",
        "CPUs' lists",
        SLIP,
        "Lists that are disabled are drained once, and then keep blocks as before.",
        Edit("pcp.cpus", "        batch, high, high_max = 1, 0, 0\n", "        pass\n"),
        laws=("PCP-off", "PCP-tune", "PCP-bound"),
        fits="What was to be all in the buddy is not.",
    ),
    planted(
        "cold-drained-alone",
        "CPUs' lists",
        SLIP,
        "Draining a CPU leaves out the second of its two sets, the cold one.",
        Edit("pcp.cpus", "for cold in range(sets_shift_of(mem) + 1):", "for cold in range(1):"),
        laws=("PCP-leak", "PCP-unplugged", "PCP-drain"),
        fits="Free memory stays where no merge finds it.",
    ),
    planted(
        "direct-frees-not-counted",
        "CPUs' lists",
        "LNX-PCP-18",
        "A block that is freed where there are lists, but not onto one, is not counted as freed: "
        "the count is left to the path that it did not take.",
        Edit(
            "alloc",
            "            return\n    give_to_buddy(mem, p, order, want)\n",
            "            return\n    free_one_block(mem, p, order, False)\n",
        ),
        laws=("EVT-count",),
        fits="Less is counted than was freed.",
    ),
    planted(
        "operations-counted-everywhere",
        "CPUs' lists",
        "Linux 5.15",
        "A block of a list counts as one frame in every era, as it did in 5.15.",
        Edit("alloc", "1 if listed and counts_operations_of(mem) else", "1 if listed else"),
        laws=("EVT-count",),
        fits="What was allocated is counted by operations, not by frames.",
    ),
    planted(
        "failed-refill-ends-the-request",
        "CPUs' lists",
        SLIP,
        "If the list cannot be refilled the request fails, although the era goes on to the buddy.",
        Edit(
            "zonelist",
            "    if p == 0 and (not listed or buddy_after_lists_of(mem)):",
            "    if p == 0 and not listed:",
        ),
        laws=("BUD-success", "WM-serve", "PCP-refill"),
        fits="A block that may serve it is free.",
    ),
)
