"""Slips of the hand with guards and locks, which take others at the wrong moment to be seen."""

from pagefuzz.museum.mutant import SLIP, Edit, between
from pagefuzz.schedule.scenarios_lists import FOUR
from pagefuzz.schedule.scenarios_said import hardirq, machine_of, scenario_of, task
from pagespec.era import ERAS

_LOST_ON_FREE = """    if lost:
        log_lost(zone, order)
        return False
"""
_TAKEN = "    pfn = yield from take_from_list(zone, pcp, index, want, where)\n"
_DRAIN = """            yield Guard(cpu)
            pages = min(pcp.count, pcp.load.batch << SCALE) if era.drains_in_parts else pcp.count
            more = pages < pcp.count
            if pages:
                yield Step.LOCK
                drain(zone, pcp, pages)
                yield Step.UNLOCK
            yield Step.UNGUARD
"""
_BUDDY = "        pfn = RMQUEUE[era.design](zone, want)\n"
_VISIT = """        if not remotely:
            yield Visit(cpu)
            zone.on_cpu = cpu
"""
_BACK = """        if not remotely:
            yield Step.BACK
            zone.on_cpu = wanted_by
"""
_DISABLE = """    zone.disabled = True
    yield from resize(zone)
    yield from drain_all(zone)
"""
_BULK_LOST = """    if lost:
        log_lost(zone, 0)
        return Filled(populated, 0, 0, settled=False)
"""
_BETWEEN_READ_AND_WRITE = "Two are at the lists, and one writes what the other has read before."

ONE_KEPT = ("a = alloc order=0",)
"""A refill of two of which one is taken: one frame stays on the first CPU's list."""

MUTANTS = (
    between(
        "lost-guard-is-done",
        SLIP,
        "A free that loses the trylock ends as if the block were on the list.",
        Edit("pcp.lists", _LOST_ON_FREE, _LOST_ON_FREE.replace("False", "True")),
        scenario=scenario_of(
            machine_of(ERAS["6.1"], 2), (task(0, "free a"), task(1, "drainall")), ONE_KEPT
        ),
        laws=("BUD-partition",),
        fits="The frame is in no place any more.",
    ),
    between(
        "free-goes-on-without-the-guard",
        SLIP,
        "A free that loses the trylock puts the block on the list all the same.",
        Edit("pcp.lists", _LOST_ON_FREE, _LOST_ON_FREE.replace("        return False\n", "")),
        scenario=scenario_of(
            machine_of(ERAS["6.12"], 1),
            (task(0, "free s"), hardirq(0, "free p")),
            (*FOUR, "free q"),
        ),
        laws=("PCP-owner", "PCP-count"),
        fits=_BETWEEN_READ_AND_WRITE,
    ),
    between(
        "bulk-goes-on-without-the-guard",
        SLIP,
        "A bulk request that loses the trylock fills its array from the lists all the same.",
        Edit("bulk", _BULK_LOST, "    if lost:\n        log_lost(zone, 0)\n"),
        scenario=scenario_of(
            machine_of(ERAS["6.12"], 1),
            (task(0, "b = alloc order=0"), hardirq(0, "bulk pages=2")),
            ONE_KEPT,
        ),
        laws=("PCP-owner", "OUT-disjoint", "PCP-count"),
        fits=_BETWEEN_READ_AND_WRITE,
    ),
    between(
        "guard-released-twice",
        SLIP,
        "A request lets go of the guard when the list is filled, before it takes its block, and "
        "once more behind that.",
        Edit("pcp.lists", _TAKEN, f"    yield Step.UNGUARD\n{_TAKEN}"),
        scenario=scenario_of(
            machine_of(ERAS["6.1"], 1),
            (task(0, "b = alloc order=0"), hardirq(0, "c = alloc order=0")),
            ONE_KEPT,
        ),
        laws=("PCP-owner", "OUT-disjoint", "PCP-count"),
        fits=_BETWEEN_READ_AND_WRITE,
    ),
    between(
        "drain-without-the-guard",
        SLIP,
        "A drain takes the zone's lock, and no guard.",
        Edit(
            "pcp.cpus",
            _DRAIN,
            _DRAIN.replace("            yield Guard(cpu)\n", "").replace(
                "            yield Step.UNGUARD\n", ""
            ),
        ),
        scenario=scenario_of(
            machine_of(ERAS["6.12"], 2),
            (task(0, "b = alloc order=0"), task(1, "drainall")),
            ONE_KEPT,
        ),
        laws=("PCP-owner", "OUT-disjoint", "PCP-count"),
        fits=_BETWEEN_READ_AND_WRITE,
    ),
    between(
        "drain-under-its-own-guard",
        SLIP,
        "A drain from afar takes the guard of the CPU that it runs on.",
        Edit("pcp.cpus", _DRAIN, _DRAIN.replace("Guard(cpu)", "Guard(zone.on_cpu)")),
        scenario=scenario_of(
            machine_of(ERAS["6.1"], 2),
            (task(0, "b = alloc order=0"), task(1, "drainall")),
            ONE_KEPT,
        ),
        laws=("PCP-owner", "OUT-disjoint", "PCP-count"),
        fits=_BETWEEN_READ_AND_WRITE,
    ),
    between(
        "drain-visits-nobody",
        SLIP,
        "Before drains take a lock, one drains the lists of all CPUs from where it is.",
        Edit("pcp.cpus", _VISIT, ""),
        Edit("pcp.cpus", _BACK, ""),
        scenario=scenario_of(
            machine_of(ERAS["5.15"], 2),
            (task(0, "b = alloc order=0"), task(1, "drainall")),
            ONE_KEPT,
        ),
        laws=("PCP-owner",),
        fits="Interrupts that are off on one CPU keep nobody off the lists of another.",
    ),
    between(
        "locks-in-the-other-order",
        SLIP,
        "A drain takes the zone's lock and then the guard, requests take them the other way round.",
        Edit(
            "pcp.cpus",
            _DRAIN,
            "            yield Step.LOCK\n"
            "            yield Guard(cpu)\n"
            "            more = False\n"
            "            drain(zone, pcp, pcp.count)\n"
            "            yield Step.UNGUARD\n"
            "            yield Step.UNLOCK\n",
        ),
        scenario=scenario_of(
            machine_of(ERAS["6.12"], 2),
            (task(0, "b = alloc order=0"), task(1, "drainall")),
        ),
        laws=("LOCK-order",),
        fits="Each holds what the other waits for.",
    ),
    between(
        "lock-kept-without-a-block",
        SLIP,
        "A request that finds no block ends with the zone's lock.",
        Edit(
            "zonelist",
            _BUDDY,
            f"{_BUDDY}        if pfn is None:\n            return None\n",
        ),
        scenario=scenario_of(
            machine_of(ERAS["5.15"], 2, top=4),
            (task(0, "a = alloc order=4"), task(1, "b = alloc order=4")),
        ),
        laws=("LOCK-released",),
        fits="Nobody else can have it any more.",
    ),
    between(
        "disabled-after-the-drain",
        SLIP,
        "Lists are drained first and disabled then: what is freed in between stays.",
        Edit(
            "pcp.cpus",
            _DISABLE,
            "    yield from drain_all(zone)\n"
            "    zone.disabled = True\n"
            "    yield from resize(zone)\n",
        ),
        scenario=scenario_of(
            machine_of(ERAS["5.15"], 2), (task(0, "free a"), task(1, "disable")), ONE_KEPT
        ),
        laws=("PCP-off",),
        fits="The lists are disabled, drained, and keep something.",
    ),
)
