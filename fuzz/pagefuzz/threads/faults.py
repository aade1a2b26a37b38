"""Faults of threads to plant in the twin: a lock that is left out, a step that is not one step.

All of them are planted at once, which compiles once: a zone's word `shared`, which is 1 in a zone
that threads share, says which of them is there. So the kernels with no fault chosen are the sound
ones, from the same compilation.
"""

from typing import NamedTuple

from pagefuzz.museum.mutant import Edit


class Fault(NamedTuple):
    """A fault: the value of `shared` that chooses it, what it is, and the change of the text.

    counters: whether it is in counters that threads share, not in zones.
    """

    number: int
    what: str
    edit: Edit
    counters: bool = False


def _all(*faults: tuple[str, str, str, str, str]) -> dict[str, Fault]:
    return {
        name: Fault(
            number,
            what,
            Edit(module, old, new.replace("HERE", f"shared_of(mem) == {number}")),
            module.startswith("vmstat.") and module != "vmstat.kept",
        )
        for number, (name, what, module, old, new) in enumerate(faults, 2)
    }


FAULTS = _all(
    (
        "zone-lock",
        "the zone's lock is never taken",
        "locks",
        "    while exchange_zone_lock(mem, 1):\n",
        "    while not (HERE) and exchange_zone_lock(mem, 1):\n",
    ),
    (
        "two-step-lock",
        "the zone's lock is read, and then written in another step",
        "locks",
        '    """Take the lock of a zone that is shared, and say who is at work."""\n',
        (
            "    if HERE:\n        while zone_lock_of(mem):\n            pause()\n"
            "        release_zone_lock(mem, 1)\n        set_on_cpu(mem, cpu)\n        return\n"
        ),
    ),
    (
        "drain-lock",
        "a drain takes frames back without the zone's lock",
        "pcp.drain",
        "    lock_zone(mem, cpu)\n",
        "    if not (HERE):\n        lock_zone(mem, cpu)\n",
    ),
    (
        "reserve-lock",
        "a pageblock is reserved without the zone's lock",
        "zonelist",
        "        lock_zone(mem, cpu_of(want))\n        reserve_pageblock(mem, p, order)\n",
        (
            "        if not (HERE):\n            lock_zone(mem, cpu_of(want))\n"
            "        reserve_pageblock(mem, p, order)\n"
        ),
    ),
    (
        "trylock",
        "who does not get the lists' lock goes on all the same",
        "locks",
        "    return not lists_have_lock(mem) or exchange_lists_lock(mem, q, 1) == 0\n",
        "    return not lists_have_lock(mem) or exchange_lists_lock(mem, q, 1) == 0 or HERE\n",
    ),
    (
        "drain-lists",
        "a drain does not wait for the lists' lock",
        "locks",
        "    if lists_have_lock(mem):\n        while exchange_lists_lock(mem, q, 1):\n",
        (
            "    if lists_have_lock(mem):\n        while exchange_lists_lock(mem, q, 1) "
            "and not (HERE):\n"
        ),
    ),
    (
        "references",
        "a reference is taken by a load and a store",
        "alloc",
        "    if shared_of(mem):\n        add_refs(mem, p, 1)\n",
        "    if shared_of(mem) and not (HERE):\n        add_refs(mem, p, 1)\n",
    ),
    (
        "given",
        "frames given out are counted by a load and a store",
        "alloc",
        "    if shared_of(mem):\n        add_pgalloc(mem, pages)\n",
        "    if shared_of(mem) and not (HERE):\n        add_pgalloc(mem, pages)\n",
    ),
    (
        "kept",
        "what CPUs keep of the count of free frames is summed by a load and a store",
        "vmstat.kept",
        "    if shared_of(mem):\n        add_kept_free(mem, pages)\n",
        "    if shared_of(mem) and not (HERE):\n        add_kept_free(mem, pages)\n",
    ),
    (
        "cell",
        "a cell that others may fold is written without looking whether it changed",
        "vmstat.update",
        "        if compare_cell(mem, at, width, diff, left):\n            break\n",
        (
            "        if HERE:\n            set_cell(mem, at, width, left)\n            break\n"
            "        if compare_cell(mem, at, width, diff, left):\n            break\n"
        ),
    ),
    (
        "told",
        "a zone is told by a load and a store",
        "vmstat.update",
        "    if shared_of(mem):\n        add_told(mem, place, pages)\n",
        "    if shared_of(mem) and not (HERE):\n        add_told(mem, place, pages)\n",
    ),
)
"""The faults, by name."""

IMPORTS = (
    Edit("pcp.drain", "    set_prev,\n)", "    set_prev,\n    shared_of,\n)"),
    Edit(
        "zonelist",
        "    reserve_of,\n    set_below_high,",
        "    reserve_of,\n    shared_of,\n    set_below_high,",
    ),
)
"""What the changed texts need besides."""

SOUND, NO_LOCKS = "", "no-locks"

NUMBERS: dict[str, int] = {
    SOUND: 1,
    NO_LOCKS: 0,
    **{name: fault.number for name, fault in FAULTS.items()},
}
"""The value of `shared` for each fault by name. Of a zone that does not know that it is shared no
lock is taken and no step is atomic, for which nothing need be compiled anew."""
