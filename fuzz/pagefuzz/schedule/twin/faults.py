"""Faults that only several contexts can show, planted in the kernels' text one at a time."""

from collections.abc import Mapping
from typing import NamedTuple

from pageimpl.source import Patch


class Change(NamedTuple):
    """A piece of text that a module has once, and what stands there instead."""

    old: str
    new: str


class TwinFault(NamedTuple):
    """A fault: what it is, the case that shows it, and what it changes in which module.

    laws: those that it may break; which of them is met first depends on the schedule.
    """

    what: str
    case: str
    module: str
    laws: frozenset[str]
    changes: tuple[Change, ...]

    @property
    def patches(self) -> Mapping[str, Patch]:
        """The patch of its module. Raises ValueError where a text is not there just once."""

        def patch(text: str) -> str:
            for old, new in self.changes:
                if text.count(old) != 1:
                    raise ValueError(f"{self.module} has {old!r} {text.count(old)} times, not once")
                text = text.replace(old, new)
            return text

        return {self.module: patch}


LISTS = frozenset({"BUD-links", "BUD-partition", "BUD-count", "BUD-tag", "BUD-maximal"})
"""What a list that two edit at once may break."""

TWIN_FAULTS: Mapping[str, TwinFault] = {
    "unlocked-alloc": TwinFault(
        "who takes a block off the buddy does not take the zone's lock",
        "alloc-alloc",
        "zonelist",
        LISTS | {"OUT-disjoint"},
        (
            Change(
                old="        lock_zone(mem, cpu_of(want))\n        p = rmqueue_by_design",
                new="        p = rmqueue_by_design",
            ),
            Change(
                old="        p = rmqueue_by_design(mem, order, want)\n        unlock_zone(mem)\n",
                new="        p = rmqueue_by_design(mem, order, want)\n",
            ),
        ),
    ),
    "unlocked-free": TwinFault(
        "who frees to the buddy does not take the zone's lock",
        "free-free",
        "alloc",
        LISTS,
        (
            Change(
                old="    lock_zone(mem, cpu_of(want))\n",
                new="",
            ),
            Change(
                old="    free_one_block(mem, p, order, False)\n    unlock_zone(mem)\n",
                new="    free_one_block(mem, p, order, False)\n",
            ),
        ),
    ),
    "unlocked-between": TwinFault(
        "the zone's lock is dropped between taking a block off its list and counting it",
        "alloc-free",
        "zone",
        LISTS,
        (
            Change(
                old="from pageimpl.migratetype import CMA",
                new="from pageimpl.locks import lock_zone, unlock_zone\n"
                "from pageimpl.migratetype import CMA",
            ),
            Change(
                old="(mem, after, before)\n    set_nr_free(mem, order, nr_free_of(mem, order) - 1)",
                new="(mem, after, before)\n"
                "    count = nr_free_of(mem, order)\n"
                "    unlock_zone(mem)\n"
                "    lock_zone(mem, 0)\n"
                "    set_nr_free(mem, order, count - 1)",
            ),
        ),
    ),
    "type-before-lock": TwinFault(
        "who frees to the buddy reads the pageblock's type before it has the zone's lock",
        "free-isolate",
        "alloc",
        LISTS | {"MT-list", "ISO-held", "MT-count"},
        (
            Change(
                old="    lock_zone(mem, cpu_of(want))\n    free_one_block(mem, p, order, False)\n",
                new="    mt = pageblock_type(mem, p)\n"
                "    lock_zone(mem, cpu_of(want))\n"
                "    buddy.free_one_block(mem, p, order, mt, False)\n",
            ),
        ),
    ),
    "released-early": TwinFault(
        "a refill releases the zone's lock before it counts what it has gathered",
        "gather-count",
        "pcp.lists",
        LISTS | {"CELL-sum"},
        (
            Change(
                old="    count_gathered(mem)\n    unlock_zone(mem)\n",
                new="    unlock_zone(mem)\n    count_gathered(mem)\n",
            ),
        ),
    ),
    "tested-then-set": TwinFault(
        "the zone's lock is looked at and then written, in two steps",
        "alloc-alloc",
        "locks",
        LISTS | {"OUT-disjoint"},
        (
            Change(
                old="    while exchange_zone_lock(mem, 1):\n"
                "        while zone_lock_of(mem):\n"
                "            pause()\n"
                "    set_on_cpu(mem, cpu)\n",
                new="    while zone_lock_of(mem):\n"
                "        pause()\n"
                "    set_zone_lock(mem, 1)\n"
                "    set_on_cpu(mem, cpu)\n",
            ),
            Change(
                old="    set_on_cpu,\n",
                new="    set_on_cpu,\n    set_zone_lock,\n",
            ),
        ),
    ),
    "locked-twice": TwinFault(
        "who drains takes the lists' lock twice",
        "list-drain",
        "pcp.cpus",
        frozenset({"LIVE-ends"}),
        (
            Change(
                old="        lock_lists(mem, q)\n        drain(mem, q, count_of(mem, q), 0, by)\n",
                new="        lock_lists(mem, q)\n"
                "        lock_lists(mem, q)\n"
                "        drain(mem, q, count_of(mem, q), 0, by)\n",
            ),
        ),
    ),
    "drain-without-lock": TwinFault(
        "who drains another CPU's lists does not take their lock",
        "refill-drain",
        "pcp.cpus",
        LISTS | {"LIVE-ends", "OUT-disjoint", "PCP-count"},
        (
            Change(
                old="        lock_lists(mem, q)\n"
                "        drain(mem, q, count_of(mem, q), 0, by)\n"
                "        unlock_lists(mem, q)\n",
                new="        drain(mem, q, count_of(mem, q), 0, by)\n",
            ),
        ),
    ),
    "plain-event": TwinFault(
        "frames given out are counted by a load, an addition and a store",
        "alloc-alloc",
        "alloc",
        frozenset({"EVT-count"}),
        (
            Change(
                old="        add_pgalloc(mem, pages)\n",
                new="        set_pgalloc(mem, pgalloc_of(mem) + pages)\n",
            ),
        ),
    ),
    "plain-reference": TwinFault(
        "a reference is dropped by a load, a subtraction and a store",
        "put-put",
        "alloc",
        LISTS | {"EVT-count"},
        (
            Change(
                old="        refs = add_refs(mem, p, -1) - 1\n",
                new="        refs = refs_of(mem, p) - 1\n        set_refs(mem, p, refs)\n",
            ),
        ),
    ),
    "plain-kept": TwinFault(
        "what the zone has not been told changes by a load, an addition and a store",
        "count-tell",
        "vmstat.kept",
        frozenset({"CELL-sum"}),
        (
            Change(
                old="        add_kept_free(mem, pages)\n",
                new="        set_kept_free(mem, kept_free_of(mem) + pages)\n",
            ),
        ),
    ),
    "plain-total": TwinFault(
        "the machine is told by a load, an addition and a store",
        "fold-fold",
        "vmstat.update",
        frozenset({"VM-conserve"}),
        (
            Change(
                old="        add_total(mem, item, pages)\n",
                new="        set_total(mem, item, total_of(mem, item) + pages)\n",
            ),
        ),
    ),
    "plain-cell": TwinFault(
        "a cell is written without looking whether somebody has folded it",
        "count-fold",
        "vmstat.update",
        frozenset({"VM-conserve"}),
        (
            Change(
                old="        if compare_cell(mem, at, width, diff, left):\n            break\n",
                new="        set_cell(mem, at, width, left)\n        break\n",
            ),
        ),
    ),
    "plain-fold": TwinFault(
        "whoever folds a cell stores 0 without looking whether it has changed",
        "count-fold",
        "vmstat.refresh",
        frozenset({"VM-conserve"}),
        (
            Change(
                old="    if shared_of(mem):\n"
                "        while held and not compare_cell(mem, at, width, held, 0):\n"
                "            held = cell_at(mem, at, width)\n"
                "    elif held:\n",
                new="    if held:\n",
            ),
        ),
    ),
}
"""The faults, by name."""
