"""Small cases whose schedules can be exhausted, by name."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from pagefuzz.schedule.twin.scenes import Ask, CounterScene, MakeScene, ZoneScene
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE
from pagespec.verbs import Op, Verb
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item
from pagespec.vmstat.verbs import CounterOp, CounterVerb


class TwinCase(NamedTuple):
    """What contexts do, in one sentence, and the scene in which they do it."""

    what: str
    scene: MakeScene


def _alloc(block: str, order: int = 0, cpu: int = 0) -> Ask:
    return Ask(Op(Verb.ALLOC, order=order, mt=MOVABLE, cpu=cpu), block)


def _free(block: str, cpu: int = 0) -> Ask:
    return Ask(Op(Verb.FREE, cpu=cpu), block)


def _put(block: str, cpu: int = 0) -> Ask:
    return Ask(Op(Verb.PUT, cpu=cpu), block)


BARE = Machine(4, 2, ERAS["6.1"])
"""Four frames and nothing but the buddy."""

TYPED = Machine(8, 2, ERAS["6.12"], pageblock=1)

LISTED = Machine(8, 3, ERAS["6.1"], cpus=2, batch=1, high=2)
"""CPUs with lists that hold little, and no cells."""

OWNED = Machine(8, 3, ERAS["4.10"], cpus=2, batch=2, high=2, cells=True, min_free=0)
"""CPUs whose lists only they themselves touch."""

COUNTED = Machine(8, 3, ERAS["6.1"], cpus=2, batch=2, high=2, cells=True, min_free=0)

EVENTS = CounterMachine(ERAS["6.1"], (0, 0), (CountedZone(0, 64),), normal=1)
"""Two CPUs whose NUMA statistics whoever reads them folds."""

ITEMS = CounterMachine(ERAS["4.10"], (0, 0), (CountedZone(0, 64),), normal=1)


def _zone(what: str, machine: Machine, before: list[Ask], *tasks: list[Ask]) -> TwinCase:
    return TwinCase(what, partial(ZoneScene, machine, before, tasks))


def _counters(
    what: str, machine: CounterMachine, before: list[CounterOp], *tasks: list[CounterOp]
) -> TwinCase:
    return TwinCase(what, partial(CounterScene, machine, before, tasks))


def _inc(cpu: int, item: Item = Item.FREE, times: int = 1) -> CounterOp:
    return CounterOp(CounterVerb.INC, cpu, item, times=times)


TWIN_CASES: Mapping[str, TwinCase] = {
    "alloc-alloc": _zone(
        "two take the last of a split block", BARE, [], [_alloc("a")], [_alloc("b")]
    ),
    "alloc-free": _zone(
        "one takes what another gives back", BARE, [_alloc("a")], [_alloc("b", 1)], [_free("a")]
    ),
    "free-free": _zone(
        "two give back buddies, which merge",
        BARE,
        [_alloc("a"), _alloc("b")],
        [_free("a")],
        [_free("b")],
    ),
    "put-put": _zone(
        "two drop the references of one block",
        BARE,
        [_alloc("a"), Ask(Op(Verb.GET), "a")],
        [_put("a")],
        [_put("a")],
    ),
    "refill-drain": _zone(
        "one refills its lists while another drains all",
        LISTED,
        [_alloc("a"), _free("a")],
        [_alloc("b"), _alloc("c")],
        [Ask(Op(Verb.DRAIN_ALL, cpu=1))],
    ),
    "list-drain": _zone(
        "one frees to its lists while another drains all",
        LISTED,
        [_alloc("a"), _alloc("b"), _free("b")],
        [_free("a")],
        [Ask(Op(Verb.DRAIN_ALL, cpu=1))],
    ),
    "count-tell": _zone(
        "one counts what it gives back while another tells what it kept",
        COUNTED,
        [_alloc("a"), _alloc("b", 2, cpu=1)],
        [_free("b")],
        [Ask(Op(Verb.REFRESH, cpu=1))],
    ),
    "gather-count": _zone(
        "one refills while another gives back to the buddy",
        COUNTED,
        [_alloc("b", 2, cpu=1)],
        [_alloc("a")],
        [_free("b", cpu=1)],
    ),
    "refill-refill": _zone(
        "two CPUs refill lists that are their own alone",
        OWNED,
        [],
        [_alloc("a")],
        [_alloc("b", cpu=1)],
    ),
    "bulk-drain": _zone(
        "one fills an array from its lists while another drains all",
        replace(LISTED, batch=2, high=4),
        [],
        [Ask(Op(Verb.BULK, pages=3))],
        [Ask(Op(Verb.DRAIN_ALL, cpu=1))],
    ),
    "free-isolate": _zone(
        "one gives back a block of a range that another isolates",
        TYPED,
        [_alloc("a")],
        [_free("a")],
        [Ask(Op(Verb.ISOLATE, pfn=0, pages=2))],
    ),
    "alloc-isolate": _zone(
        "one takes a block of a range that another isolates",
        TYPED,
        [],
        [_alloc("a"), _free("a")],
        [Ask(Op(Verb.ISOLATE, pfn=0, pages=2))],
    ),
    "three": _zone(
        "two take blocks while a third gives one back",
        BARE,
        [_alloc("a")],
        [_alloc("b")],
        [_alloc("c")],
        [_free("a")],
    ),
    "count-fold": _counters(
        "one counts while another reads, and so folds its cell",
        EVENTS,
        [],
        [CounterOp(CounterVerb.COUNT, 0, times=2)],
        [CounterOp(CounterVerb.READ, item=Item.HIT)],
    ),
    "fold-fold": _counters(
        "two CPUs tell one total what they kept",
        ITEMS,
        [_inc(0), _inc(1)],
        [CounterOp(CounterVerb.REFRESH, 0)],
        [CounterOp(CounterVerb.REFRESH, 1)],
    ),
    "inc-inc": _counters(
        "two CPUs pass their thresholds", ITEMS, [], [_inc(0, times=2)], [_inc(1, times=2)]
    ),
}
"""The cases, by name."""
