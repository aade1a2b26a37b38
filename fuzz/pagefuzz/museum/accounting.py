"""Faults of the counts: blocks per order, and free frames in all."""

from pagefuzz.museum.mutant import SLIP, Edit, planted

_NR_ADD = "set_nr_free(mem, order, nr_free_of(mem, order) + 1)"
_NR_DEL = "set_nr_free(mem, order, nr_free_of(mem, order) - 1)"
_TAKEN = "            set_free_pages(mem, free_pages_of(mem) - (1 << order))\n"
_ACCOUNT = "    account(mem, -(1 << order), mt, False)\n"
_CUT = "    expand(mem, p, order, from_order, mt)\n"
_FREED = "    account(mem, 1 << order, mt, False)\n"
_MERGES = "    while order < top:\n"
_ABSORBED = "            del_from_free_list(mem, buddy, order)\n"
_SEARCH = "    for current in range(order, top_of(mem) + 1):\n"
_TAKE = "            take(mem, p, order, current, mt)\n"
_COUNT = "A count and the lists disagree."

MUTANTS = (
    planted(
        "count-kept-for-last-of-list",
        "accounting",
        SLIP,
        "Taking the only block of a list does not lower its count.",
        Edit(
            "zone", _NR_DEL, "set_nr_free(mem, order, nr_free_of(mem, order) - (before != after))"
        ),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "count-kept-in-merge-at-order-3",
        "accounting",
        SLIP,
        "A merge of two blocks of order 3 does not lower that order's count.",
        Edit(
            "buddy",
            _ABSORBED,
            _ABSORBED
            + "            set_nr_free(mem, order, nr_free_of(mem, order) + (order == 3))\n",
        ),
        Edit("buddy", "    guard_of,\n", "    guard_of,\n    nr_free_of,\n    set_nr_free,\n"),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "count-in-six-bits",
        "accounting",
        SLIP,
        "A list's count has six bits and wraps at 64 blocks.",
        Edit("zone", _NR_ADD, "set_nr_free(mem, order, nr_free_of(mem, order) + 1 & 63)"),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "merge-counts-at-wrong-order",
        "accounting",
        SLIP,
        "The buddy is taken off its list after the order was raised: the count of the next order "
        "falls.",
        Edit(
            "bitmap",
            "        list_del(mem, buddy_of(p, order), order)\n"
            "        p = parent_of(p, order)\n"
            "        order += 1\n",
            "        buddy = buddy_of(p, order)\n"
            "        p = parent_of(p, order)\n"
            "        order += 1\n"
            "        list_del(mem, buddy, order)\n",
        ),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "split-not-subtracted",
        "accounting",
        SLIP,
        "Free frames are lowered only when a block is taken whole, not when it is split.",
        Edit("buddy", _CUT + _ACCOUNT, _CUT + "    if from_order == order:\n    " + _ACCOUNT),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "whole-block-subtracted",
        "accounting",
        SLIP,
        "A split lowers the free frames by the whole block, although its halves go back.",
        Edit("bitmap", _TAKEN, _TAKEN.replace("<< order", "<< current")),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "merged-size-added",
        "accounting",
        SLIP,
        "A free adds the size of the merged block, of which part was counted already.",
        Edit("buddy", _FREED + _MERGES, _MERGES),
        Edit("buddy", "    if not to_tail and", _FREED + "    if not to_tail and"),
        laws=("BUD-count",),
        fits=_COUNT,
    ),
    planted(
        "failure-not-restored",
        "accounting",
        "INC-01",
        "The frames of a request are subtracted before the search and not added again when it "
        "fails: a failed attempt leaves a trace.",
        Edit("buddy", _SEARCH, _ACCOUNT + _SEARCH),
        Edit("buddy", _TAKE, "            account(mem, 1 << order, mt, False)\n" + _TAKE),
        laws=("BUD-count", "ZONE-frame"),
        fits="A request that failed has changed a count.",
    ),
    planted(
        "failure-takes-a-reference",
        "accounting",
        SLIP,
        "The reference is set before the failure is noticed, in the record that frame slot 0 "
        "shares with a list's head.",
        *(
            Edit(
                "alloc",
                f"{found}\n    if p == 0:\n",
                f"{found}\n    set_refs(mem, p, 1)\n    if p == 0:\n",
            )
            for found in (
                "p = rmqueue_by_design(mem, order, want)",
                "serve(alone(mem), 1, order, want, 0)",
            )
        ),
        laws=("BUD-count", "ZONE-frame"),
        fits="A request that failed has changed a count.",
    ),
)
