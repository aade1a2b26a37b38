"""Historical faults that take another CPU, a task or an interrupt at the wrong moment.

They are planted in the spec's own text. Each has a scenario of which every state is visited until
a law breaks.
"""

from pagefuzz.museum.mutant import Edit, between
from pagefuzz.schedule.scenarios_said import hardirq, machine_of, scenario_of, task
from pagespec.era import ERAS
from pagespec.migratetype import CMA

_DROP = """    compound = held.compound
    yield Step.REFERENCE
    last = drop_reference(zone, pfn)
    if last:
"""
_TAILS = "        zone.held[pfn] = zone.held[pfn]._replace(order=0)\n        zone.log"
_DIRECT = "    FREE_ONE_BLOCK[era.design](zone, pfn, order)\n"
_LISTED = "    if mt is not None and may_use_lists(zone, order, where):\n"
_READ_BEFORE = Edit("alloc", _LISTED, f"    free_to = pageblock_type(zone, pfn)\n{_LISTED}")
_IMPORT = Edit(
    "alloc",
    "from pagespec.buddy import free_by_type\n",
    "from pagespec.buddy import free_by_type, free_one_block\n",
)
_GUARDED = """    lost = yield Step.GUARD
    if lost:
        log_lost(zone, want.order)
        return None
    pcp = lists_for(zone, where)
"""
_WAITS = "    lost = False\n    yield Guard(zone.on_cpu)\n"
_SET = """            names = SIZE_NAMES[type(pcp.load)]
            yield from set_sizes(pcp, {name: said[name] for name in names}, zone.machine.era)
"""
_BUDDY = "        pfn = RMQUEUE[era.design](zone, want)\n"
_SPLITTING = """from pagespec.buddy import expand
from pagespec.choices import Design
from pagespec.frames import SIZES
from pagespec.migratetype import UNMOVABLE
"""
_REFILL = """    yield Step.LOCK
    got = rmqueue_bulk(zone, pcp, index, want, blocks, reverse=_from_tail(zone, where))
    yield Step.UNLOCK
    pcp.count += got * SIZES[want.order]
"""

MUTANTS = (
    between(
        "compound-read-after-the-drop",
        "LNX-FREE-02",
        "Whether a block is compound is read after the owner's reference is dropped, when somebody "
        "else may have freed it as a whole: then its tails are freed a second time.",
        Edit(
            "alloc",
            _DROP,
            _DROP.replace("    compound = held.compound\n", "").replace(
                "    if last:\n",
                "    yield Step.EDIT\n"
                "    compound = pfn in zone.held and zone.held[pfn].compound\n    if last:\n",
            ),
        ),
        Edit("alloc", _TAILS, "        zone.log"),
        scenario=scenario_of(
            machine_of(ERAS["5.15"], 2),
            (task(0, "free a"), task(1, "put a")),
            ("a = alloc order=2 compound=1", "get a"),
        ),
        laws=("BUD-partition",),
        fits="Whoever frees the tails does not have them.",
    ),
    between(
        "type-before-the-lock",
        "LNX-PCP-02",
        "A block that goes to the buddy is freed to the list of the type that its pageblock had "
        "before the lock was had; meanwhile the pageblock has been isolated.",
        _IMPORT,
        _READ_BEFORE,
        Edit("alloc", _DIRECT, "    free_one_block(zone, pfn, order, free_to)\n"),
        scenario=scenario_of(
            machine_of(ERAS["4.10"], 2, pageblock=3),
            (task(0, "free a"), task(1, "isolate pfn=8 pages=8")),
            ("a = alloc order=1 mt=M",),
        ),
        laws=("MT-list", "BUD-count"),
        fits="A block of an isolated pageblock is listed, and counted, as one of another type.",
    ),
    between(
        "type-again-for-isolation-only",
        "LNX-PCP-09",
        "The type that was read before the lock is read again with it only while some pageblock is "
        "isolated, not when a fallback has claimed this one.",
        _IMPORT,
        _READ_BEFORE,
        Edit(
            "alloc",
            _DIRECT,
            "    if ISOLATE in zone.pageblocks:\n"
            "        free_to = pageblock_type(zone, pfn)\n"
            "    free_one_block(zone, pfn, order, free_to)\n",
        ),
        Edit(
            "alloc",
            "import REQUESTED, UNMOVABLE\n",
            "import ISOLATE, REQUESTED, UNMOVABLE\n",
        ),
        scenario=scenario_of(
            machine_of(ERAS["6.12"], 2, pages=32, top=5, pageblock=5),
            (task(0, "free a"), task(1, "b = alloc order=4")),
            ("a = alloc order=4 mt=M",),
        ),
        laws=("MT-list",),
        fits="A free block is on a list of another type than its pageblock's.",
    ),
    between(
        "sizes-stored-plainly",
        "LNX-PCP-04",
        "The batch and the high of lists in use are set by plain stores, the batch first and "
        "without a batch of 1 meanwhile.",
        Edit(
            "pcp.resize",
            'if era.stores_sizes == "one-first":',
            'if era.stores_sizes == "none":',
        ),
        Edit("pcp.resize", "STORE_ORDER[era.stores_sizes]", 'STORE_ORDER["batch-first"]'),
        scenario=scenario_of(
            machine_of(ERAS["4.10"], 2, high=2),
            (task(0, "free b"), task(1, "sizes batch=8 high=24")),
            ("a = alloc order=0", "b = alloc order=0", "free a"),
        ),
        laws=("LIVE-ends",),
        fits="The drain asks for more frames than there are, and walks round empty lists.",
    ),
    between(
        "count-read-outside-the-guard",
        "LNX-PCP-06",
        "A drain from another CPU reads the count before it has the guard, and skips lists that a "
        "refill has filled and not counted yet.",
        Edit(
            "pcp.cpus",
            "more = pcp.count > 0 or not era.looks_before_guard",
            "more = pcp.count > 0",
        ),
        scenario=scenario_of(
            machine_of(ERAS["6.12"], 2),
            (task(0, "a = alloc order=0"), task(1, "disable")),
        ),
        laws=("PCP-off",),
        fits="The lists are disabled, drained, and keep something.",
    ),
    between(
        "label-before-the-trylock",
        "LNX-PCP-08",
        "A block whose type has no list of its own is labelled movable before the trylock; if that "
        "is lost, it goes to the buddy as movable.",
        _IMPORT,
        Edit(
            "alloc",
            _DIRECT,
            "    if mt is None or not may_use_lists(zone, order, where):\n"
            f"    {_DIRECT}"
            "    else:\n"
            "        free_one_block(zone, pfn, order, mt)\n",
        ),
        scenario=scenario_of(
            machine_of(ERAS["6.1"], 2, pageblock=3, types=(CMA, CMA)),
            (task(0, "free a"), task(1, "drainall")),
            ("a = alloc order=0 mt=M",),
        ),
        laws=("MT-list", "BUD-count"),
        fits="A CMA frame is free on the movable list, where unmovable requests find it.",
    ),
    between(
        "lists-shared-at-first",
        "LNX-PCP-11",
        "A zone is there for all CPUs before it has lists for each: all use those of the first.",
        Edit("pcp.lists", "pcps = zone.pcps[zone.on_cpu]", "pcps = zone.pcps[0]"),
        scenario=scenario_of(
            machine_of(ERAS["5.15"], 2),
            (task(0, "b = alloc order=0"), task(1, "c = alloc order=0")),
            ("a = alloc order=0",),
        ),
        laws=("PCP-owner", "OUT-disjoint", "PCP-count"),
        fits="Two CPUs take from one list, each without keeping the other off.",
    ),
    between(
        "guard-dropped-for-the-refill",
        "UMA-01",
        "A refill lets go of the guard, and what it brings goes on the list when the guard is had "
        "again, although the lists have been disabled meanwhile.",
        Edit(
            "pcp.lists",
            _REFILL,
            "    fetched: list[Pfn] = []\n"
            "    yield Step.UNGUARD\n"
            "    yield Step.LOCK\n"
            "    while len(fetched) < blocks:\n"
            "        fetched.append(RMQUEUE_ONE[zone.machine.era.design](zone, want) or 0)\n"
            "    yield Step.UNLOCK\n"
            "    yield Step.GUARD\n"
            "    pcp.lists[index].update(dict.fromkeys(fetched, want.mt))\n"
            "    pcp.count += len(fetched) * SIZES[want.order]\n",
        ),
        scenario=scenario_of(
            machine_of(ERAS["5.15"], 2),
            (task(0, "a = alloc order=0"), task(1, "disable")),
        ),
        laws=("PCP-off",),
        fits="The lists are disabled, drained, and keep something.",
    ),
    between(
        "written-with-interrupts-on",
        "LNX-PCP-15",
        "What requests read is written under a lock that leaves interrupts on, the lists' sizes "
        "here, and requests wait as long as it is held, from interrupts too.",
        Edit("pcp.resize", "import Step, Steps\n", "import Guard, Step, Steps\n"),
        Edit(
            "pcp.resize",
            _SET,
            f"            yield Guard(cpu)\n{_SET}            yield Step.UNGUARD\n",
        ),
        Edit("pcp.lists", "import Step, Steps\n", "import Guard, Step, Steps\n"),
        Edit(
            "pcp.lists",
            _GUARDED,
            _GUARDED.replace("    lost = yield Step.GUARD\n", _WAITS),
        ),
        scenario=scenario_of(
            machine_of(ERAS["6.12"], 1),
            (task(0, "sizes batch=4 high=8"), hardirq(0, "a = alloc order=0")),
        ),
        laws=("LIVE-ends",),
        fits="The interrupt waits for whom it has interrupted.",
    ),
    between(
        "merge-without-the-lock",
        "ZEP-04",
        "A free lets go of the lock between two levels of its merge, with the block that has "
        "merged so far on no list.",
        Edit("alloc", "import free_by_type\n", "import del_from_free_list, free_by_type\n"),
        Edit("alloc", "import SIZES\n", "import SIZES, buddy_of, parent_of\n"),
        Edit("alloc", "import Held, Zone\n", "import Held, Zone, account\n"),
        Edit(
            "alloc",
            _DIRECT,
            "    buddy = buddy_of(pfn, order)\n"
            "    while order < zone.machine.top and zone.tag.get(buddy) == order:\n"
            "        account(zone, -SIZES[order], del_from_free_list(zone, buddy, order))\n"
            "        pfn = parent_of(pfn, order)\n"
            "        order += 1\n"
            "        yield Step.UNLOCK\n"
            "        yield Step.LOCK\n"
            "        buddy = buddy_of(pfn, order)\n"
            f"{_DIRECT}",
        ),
        scenario=scenario_of(
            machine_of(ERAS["4.10"], 2, pages=4, top=2),
            (task(0, "free a"), task(1, "b = alloc order=2")),
            ("a = alloc order=1",),
        ),
        laws=("BUD-success",),
        fits="Somebody goes without although all that he asks for is free.",
    ),
    between(
        "split-without-the-lock",
        "ZEP-05",
        "A request takes a larger block off its list, and lets go of the lock before it lists what "
        "it leaves of it.",
        Edit("zonelist", "from pagespec.choices import Design\n", _SPLITTING),
        Edit("zonelist", "import Zone\n", "import Zone, account\n"),
        Edit(
            "zonelist",
            _BUDDY,
            "        orders = range(want.order, zone.machine.top + 1)\n"
            "        whole = next((n for n in orders if zone.nr_free[n]), want.order)\n"
            "        pfn = RMQUEUE[era.design](zone, want._replace(order=whole))\n"
            "        yield Step.UNLOCK\n"
            "        yield Step.LOCK\n"
            "        if pfn is not None:\n"
            "            account(zone, SIZES[whole] - SIZES[want.order], UNMOVABLE)\n"
            "            expand(zone, pfn, want.order, whole, UNMOVABLE)\n",
        ),
        scenario=scenario_of(
            machine_of(ERAS["4.10"], 2, pages=4, top=2),
            (task(0, "a = alloc order=1"), task(1, "b = alloc order=1")),
        ),
        laws=("BUD-success",),
        fits="Somebody goes without although half of what is off the lists will be free.",
    ),
    between(
        "cpu-read-before-it-is-pinned",
        "SLO-01",
        "Which CPU's lists to use is read before the guard keeps the task on it; it moves, and "
        "works on the lists of the CPU that it has left.",
        Edit(
            "pcp.lists",
            _GUARDED,
            "    pcp = lists_for(zone, where)\n"
            + _GUARDED.replace("    pcp = lists_for(zone, where)\n", ""),
        ),
        scenario=scenario_of(
            machine_of(ERAS["5.15"], 2),
            (task(0, "b = alloc order=0", moves=True), task(0, "c = alloc order=0")),
            ("a = alloc order=0",),
        ),
        laws=("PCP-owner", "OUT-disjoint", "PCP-count"),
        fits="Two CPUs take from one list, each without keeping the other off.",
    ),
    between(
        "lock-leaves-interrupts-on",
        "AST-05",
        "The allocator's lock does not keep interrupts off, and interrupts allocate.",
        Edit("schedule.rules", "irqs_off=not scenario.lock_irqs_on", "irqs_off=False"),
        Edit("schedule.rules", "not (nmi or scenario.lock_irqs_on)", "False"),
        scenario=scenario_of(
            machine_of(ERAS["6.12"], 1),
            (task(0, "a = alloc order=3"), hardirq(0, "b = alloc order=3")),
        ),
        laws=("LIVE-ends",),
        fits="The interrupt waits for whom it has interrupted.",
    ),
    between(
        "allocates-under-its-own-lock",
        "EBB-01",
        "With the lock held a fault is taken whose handler asks the same allocator for a frame.",
        Edit(
            "zonelist",
            _BUDDY,
            f"        yield from get_page_from_freelist(zones, ask, 'min', NO_RIGHTS)\n{_BUDDY}",
        ),
        scenario=scenario_of(machine_of(ERAS["6.12"], 1, top=4), (task(0, "a = alloc order=4"),)),
        laws=("LOCK-order", "LIVE-ends"),
        fits="It asks for the lock that it has itself.",
    ),
)
