"""The slips that are planted in spec and twin alike, in the stamp oracle and the laws too."""

from pagefuzz.museum.mutant import Edit
from pagefuzz.museum.shared import SharedSlip

_SPEC, _TWIN = "spec/pagespec", "impl/pageimpl"
_STAMPS = f"{_SPEC}/stamps/blocks.py"
_HALF = "SIZES[pageblock_order(zone) - 1]"
_UP = "((threshold + 1) // 2)"

SHARED: tuple[SharedSlip, ...] = (
    SharedSlip(
        "likely-next-to-top",
        "The look ahead is made one order too high.",
        (
            Edit(f"{_SPEC}/buddy.py", "if order >= machine.top - 1:", "if order >= machine.top:"),
            Edit(_STAMPS, "order >= stamps.machine.top - 1:", "order >= stamps.machine.top:"),
            Edit(
                f"{_SPEC}/stamps/state.py",
                "head_of(machine.start - machine.base, machine.top)",
                "head_of(machine.start - machine.base, machine.top + 1)",
            ),
            Edit(f"{_TWIN}/buddy.py", "if order >= top_of(mem) - 1:", "if order >= top_of(mem):"),
        ),
    ),
    SharedSlip(
        "likely-of-2-6-39",
        "Upper halves go to the head in every era that looks ahead.",
        (
            Edit(f"{_SPEC}/buddy.py", 'machine.era.placement == "likely-2.6.39" and ', ""),
            Edit(_STAMPS, 'placement == "likely-2.6.39" and ', ""),
            Edit(f"{_TWIN}/buddy.py", "placement_of(mem) == PLACE_LIKELY_2_6_39 and ", ""),
        ),
    ),
    SharedSlip(
        "head-and-tail-confused",
        "What belongs at the head enters at the tail, and the reverse.",
        (
            Edit(f"{_SPEC}/zone.py", "    if not to_tail:\n", "    if to_tail:\n"),
            Edit(
                _STAMPS,
                "stamps.clock if to_tail else -stamps.clock",
                "-stamps.clock if to_tail else stamps.clock",
            ),
            Edit(
                f"{_TWIN}/zone.py",
                "prev_of(mem, head) if to_tail else head",
                "head if to_tail else prev_of(mem, head)",
            ),
        ),
    ),
    SharedSlip(
        "requests-served-from-the-tail",
        "The last block of the list serves.",
        (
            Edit(f"{_SPEC}/buddy.py", "next(iter(blocks))", "next(reversed(blocks))"),
            *(
                Edit(f"{_SPEC}/{module}.py", "next(iter(blocks))", "next(reversed(blocks))")
                for module in ("bitmap", "fallback", "highatomic")
            ),
            Edit(
                _STAMPS, "(block.order, stamps.stamp[block])", "(block.order, -stamps.stamp[block])"
            ),
            Edit(f"{_TWIN}/zone.py", "p = next_of(mem, head)", "p = prev_of(mem, head)"),
        ),
    ),
    SharedSlip(
        "index-base-of-2-6-11",
        "2.6.11 counts indices from frame zero. One word of the eras, which both rooms read.",
        (
            Edit(
                f"{_SPEC}/era.py",
                '"2.6.11",\n            index_base="zone",\n',
                '"2.6.11",\n',
            ),
        ),
    ),
    SharedSlip(
        "placement-of-2-6-37",
        "The look ahead comes after 2.6.37.",
        (
            Edit(
                f"{_SPEC}/era.py",
                '_2_6_37 = Era(\n    "2.6.37",\n',
                '_2_6_37 = Era(\n    "2.6.37",\n    placement="head",\n',
            ),
        ),
    ),
    SharedSlip(
        "boot-of-6-1-to-the-head",
        "Boot's blocks enter 6.1's lists at the head.",
        (
            Edit(
                f"{_SPEC}/era.py", '    name="6.1",\n', '    name="6.1",\n    boot_to_tail=False,\n'
            ),
        ),
    ),
    SharedSlip(
        "pieces-from-below",
        "The pieces of a block freed under a reference are freed from the smallest up.",
        (
            Edit(
                f"{_SPEC}/laws/holdings.py",
                "range(held.order - 1, -1, -1)",
                "range(held.order)",
            ),
            Edit(
                f"{_SPEC}/alloc.py",
                "        piece = order - 1\n        while piece >= 0:\n",
                "        piece = 0\n        while piece < order:\n",
            ),
            Edit(f"{_SPEC}/alloc.py", "            piece -= 1\n", "            piece += 1\n"),
            Edit(
                f"{_TWIN}/alloc.py",
                "    piece = order - 1\n    while piece >= 0:\n",
                "    piece = 0\n    while piece < order:\n",
            ),
            Edit(f"{_TWIN}/alloc.py", "        piece -= 1\n", "        piece += 1\n"),
        ),
    ),
    SharedSlip(
        "table-of-movable-requests",
        "A movable request takes unmovable memory before it looks for reclaimable memory. One word "
        "of the types, which all rooms read.",
        (
            Edit(
                f"{_SPEC}/migratetype.py",
                "MOVABLE: (RECLAIMABLE, UNMOVABLE)",
                "MOVABLE: (UNMOVABLE, RECLAIMABLE)",
            ),
        ),
    ),
    SharedSlip(
        "claim-needs-more-than-half",
        "A pageblock of which exactly half is free or alike does not change hands.",
        (
            Edit(f"{_SPEC}/fallback.py", f"pages >= {_HALF}", f"pages > {_HALF}"),
            Edit(f"{_SPEC}/fallback.py", f"free + alike >= {_HALF}", f"free + alike > {_HALF}"),
            Edit(
                f"{_SPEC}/stamps/request.py",
                "mt) >= SIZES[pageblock_order(stamps) - 1]",
                "mt) > SIZES[pageblock_order(stamps) - 1]",
            ),
            Edit(
                f"{_SPEC}/stamps/request.py",
                "return free + alike >= size // 2",
                "return free + alike > size // 2",
            ),
            Edit(
                f"{_SPEC}/laws/fallback.py",
                "worth(before, op, kind, run) >= SIZES",
                "worth(before, op, kind, run) > SIZES",
            ),
            Edit(f"{_TWIN}/fallback.py", "return pages >= 1 <<", "return pages > 1 <<"),
        ),
    ),
    SharedSlip(
        "moved-to-the-head-in-5-15",
        "Blocks that change their type enter at the head from 5.15 on, as they did before.",
        (Edit(f"{_SPEC}/era.py", "    moved_to_tail=True,\n", ""),),
    ),
    SharedSlip(
        "barrier-of-6-1-in-5-15",
        "Only the three types that requests have merge with one another, in 5.15 already.",
        (
            Edit(
                f"{_SPEC}/era.py",
                '    cma="balanced",\n',
                '    cma="balanced",\n    barrier="unmergeable",\n',
            ),
        ),
    ),
    SharedSlip(
        "reserve-without-one-more",
        "The reserve of the earlier eras stops at one percent of the zone, and has not one "
        "pageblock more.",
        (
            Edit(f"{_SPEC}/highatomic.py", "return percent + size", "return percent"),
            Edit(f"{_SPEC}/stamps/reserve.py", "return share + size", "return share"),
            Edit(f"{_SPEC}/laws/reserve.py", "return percent + size", "return percent"),
            Edit(f"{_TWIN}/highatomic.py", "return percent + size", "return percent"),
        ),
    ),
    SharedSlip(
        "turns-begin-at-the-first-list",
        "The round of a drain begins at the first list.",
        (
            Edit(
                f"{_SPEC}/pcp/drain.py",
                "    turn = allowance = 0\n",
                "    turn, allowance = len(left) - 1, 0\n",
            ),
            Edit(
                f"{_TWIN}/pcp/drain.py",
                "    turn = allowance = 0\n",
                "    turn, allowance = nr_lists_of(mem) - 1, 0\n",
            ),
        ),
    ),
    SharedSlip(
        "batch-of-a-power-below",
        "A batch is rounded from what it is, and not from half as much again.",
        (
            Edit(
                f"{_SPEC}/pcp/sizes.py",
                "largest_power_up_to(batch + batch // 2)",
                "largest_power_up_to(batch)",
            ),
            Edit(
                f"{_TWIN}/pcp/sizes.py",
                "(batch + (batch >> 1)).bit_length()",
                "batch.bit_length()",
            ),
        ),
    ),
    SharedSlip(
        "four-batches-for-six",
        "Until 5.12 the lists keep four batches.",
        (
            Edit(f"{_SPEC}/pcp/sizes.py", "Pageset(0, 6 * raw,", "Pageset(0, 4 * raw,"),
            Edit(f"{_TWIN}/pcp/sizes.py", "6 * raw if", "4 * raw if"),
        ),
    ),
    SharedSlip(
        "hot-lists-run-low-at-one-batch",
        "The hot lists of 2.6.11 are refilled when they hold one batch, not two.",
        (
            Edit(f"{_SPEC}/pcp/sizes.py", "Pageset(2 * batch, 6", "Pageset(batch, 6"),
            Edit(f"{_TWIN}/pcp/sizes.py", "else 2 * max(1, raw))", "else max(1, raw))"),
        ),
    ),
    SharedSlip(
        "batches-double-four-times",
        "Batches of 6.12 double four times at most, not five.",
        (
            Edit(f"{_SPEC}/pcp/tuning.py", "SCALE = 5\n", "SCALE = 4\n"),
            Edit(f"{_TWIN}/pcp/tuning.py", "SCALE = 5\n", "SCALE = 4\n"),
        ),
    ),
    SharedSlip(
        "high-decays-by-a-quarter",
        "The periodic worker takes a quarter off high, not an eighth.",
        (
            Edit(f"{_SPEC}/pcp/tuning.py", "(high >> 3)", "(high >> 2)"),
            Edit(f"{_TWIN}/pcp/tuning.py", "(high >> 3)", "(high >> 2)"),
        ),
    ),
    SharedSlip(
        "low-mark-half-above",
        "From 2.6.24 to 4.5 the low mark is half above the lowest one, and the high mark twice it.",
        (
            Edit(
                f"{_SPEC}/watermark/marks.py",
                "least + share // 4, least + share // 2",
                "least + share // 2, least + share",
            ),
            Edit(
                f"{_SPEC}/laws/sized.py",
                "share, managed: (share // 4, share // 2),",
                "share, managed: (share // 2, share),",
            ),
            Edit(
                f"{_TWIN}/watermark/marks.py",
                "share + (share >> 2), share + (share >> 1)",
                "share + (share >> 1), share + share",
            ),
        ),
    ),
    SharedSlip(
        "cells-hold-one-more",
        "The largest threshold is 126, and there is still room for one more.",
        (
            Edit(f"{_SPEC}/vmstat/threshold.py", "MOST = 125\n", "MOST = 126\n"),
            Edit(f"{_SPEC}/vmstat/laws/limits.py", "MOST = 125\n", "MOST = 126\n"),
            Edit(f"{_TWIN}/vmstat/threshold.py", "MOST = 125\n", "MOST = 126\n"),
        ),
    ),
    SharedSlip(
        "memory-in-units-of-64-mib",
        "A threshold follows memory in units of 64 MiB.",
        (
            Edit(f"{_SPEC}/vmstat/threshold.py", "UNIT_PAGES = 2**15\n", "UNIT_PAGES = 2**14\n"),
            Edit(f"{_SPEC}/vmstat/laws/limits.py", "(128 * MIB_PAGES)", "(64 * MIB_PAGES)"),
            Edit(f"{_TWIN}/vmstat/threshold.py", "UNIT_SHIFT = 15\n", "UNIT_SHIFT = 14\n"),
        ),
    ),
    SharedSlip(
        "half-a-threshold-rounded-up",
        "What an increment leaves behind is half a threshold, rounded up.",
        (
            *(
                Edit(f"{_SPEC}/vmstat/cell.py", old, old.replace("threshold // 2", _UP))
                for old in (
                    "threshold // 2\n    return Told(total + overstep, -overstep)\n\n\ndef dec",
                    "threshold // 2\n    return Told(total - overstep",
                    "(threshold // 2)",
                )
            ),
            *(
                Edit(f"{_TWIN}/vmstat/cell.py", old, old.replace("threshold >> 1", _UP))
                for old in (
                    "threshold >> 1\n    return total + overstep, -overstep\n\n\n@kernel\ndef dec",
                    "threshold >> 1\n    return total - overstep",
                    "(threshold >> 1)",
                )
            ),
            Edit(f"{_SPEC}/vmstat/drift.py", "half = threshold // 2", f"half = {_UP}"),
            Edit(f"{_SPEC}/vmstat/drift.py", "(1 + threshold // 2 if", f"(1 + {_UP} if"),
            Edit(f"{_SPEC}/vmstat/laws/due.py", "half = limit // 2", "half = (limit + 1) // 2"),
        ),
    ),
    SharedSlip(
        "pressure-rounded-up",
        "What lies between the marks is shared out among CPUs and rounded up.",
        (
            Edit(
                f"{_SPEC}/vmstat/threshold.py",
                "(marks.low - marks.min) // cpus",
                "-(-(marks.low - marks.min) // cpus)",
            ),
            Edit(
                f"{_SPEC}/vmstat/laws/limits.py",
                "if middle * cpus <= room:",
                "if (middle - 1) * cpus < room:",
            ),
            Edit(f"{_TWIN}/vmstat/threshold.py", "gap // cpus", "-(-gap // cpus)"),
        ),
    ),
    SharedSlip(
        "drift-mark-at-exactly-the-gap",
        "A drift mark is due where CPUs keep back exactly what lies between the marks.",
        (
            Edit(
                f"{_SPEC}/vmstat/threshold.py",
                "if drift > marks.low - marks.min else 0",
                "if drift >= marks.low - marks.min else 0",
            ),
            Edit(
                f"{_SPEC}/vmstat/laws/settings.py",
                "kept > marks.low - marks.min",
                "kept >= marks.low - marks.min",
            ),
            Edit(
                f"{_SPEC}/laws/cells.py",
                "most > levels.marks.low - levels.marks.min",
                "most >= levels.marks.low - levels.marks.min",
            ),
            Edit(f"{_TWIN}/vmstat/threshold.py", "if drift > gap else 0", "if drift >= gap else 0"),
        ),
    ),
    SharedSlip(
        "alignment-before-bounds",
        "A free that is both misaligned and outside is refused as misaligned. The kernel refuses "
        "nothing in so many words; which reason comes first is this model's own choice.",
        (
            Edit(
                f"{_SPEC}/checks.py",
                "    if not machine.start <= pfn <= machine.end - SIZES[order]:\n"
                "        raise refused(zone, OutsideZone, pfn, order)\n"
                "    if (pfn - machine.base) % SIZES[order] != 0:\n"
                "        raise refused(zone, MisalignedBlock, pfn, order)\n",
                "    if (pfn - machine.base) % SIZES[order] != 0:\n"
                "        raise refused(zone, MisalignedBlock, pfn, order)\n"
                "    if not machine.start <= pfn <= machine.end - SIZES[order]:\n"
                "        raise refused(zone, OutsideZone, pfn, order)\n",
            ),
            Edit(
                f"{_SPEC}/laws/holdings.py",
                "    if pfn < machine.start or pfn + SIZES[block.order] > machine.end:\n"
                "        return Refusal.OUTSIDE\n"
                "    if not is_aligned(pfn - machine.base, block.order):\n"
                "        return Refusal.MISALIGNED\n",
                "    if not is_aligned(pfn - machine.base, block.order):\n"
                "        return Refusal.MISALIGNED\n"
                "    if pfn < machine.start or pfn + SIZES[block.order] > machine.end:\n"
                "        return Refusal.OUTSIDE\n",
            ),
            Edit(
                f"{_TWIN}/checks.py",
                "    if p < first_of(mem) or p + (1 << order) > end_of(mem):\n"
                "        return OUTSIDE\n"
                "    if not is_aligned(p, order):\n"
                "        return MISALIGNED\n"
                "    owner",
                "    if not is_aligned(p, order):\n"
                "        return MISALIGNED\n"
                "    if p < first_of(mem) or p + (1 << order) > end_of(mem):\n"
                "        return OUTSIDE\n"
                "    owner",
            ),
        ),
        killable=False,
    ),
)
