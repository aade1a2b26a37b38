"""States of hosts and requests to them that break one law each."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.spec.hosts import (
    DMA,
    DMA32,
    MOVABLE_ZONE,
    NORMAL,
    host_of,
    state_of,
    step_of,
    system_after,
)
from tests.spec.rows import row

from pagespec import ops
from pagespec.era import ERAS
from pagespec.host import Numa
from pagespec.laws.hostmarks import HOST_STATE_LAWS
from pagespec.laws.hosts import HOST_LAWS, TWIN_HOST_LAWS, HostStep, HostTwins
from pagespec.system import System, copy_of_system
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import copy_of

ALLOC, FAR = Op(Verb.ALLOC, 0), Op(Verb.ALLOC, 0, node=1)
LARGE = Op(Verb.ALLOC, 3)
LOW = ALLOC._replace(highest=DMA32)
ALONE = ALLOC._replace(only_node=True)
BULK = Op(Verb.BULK, pages=3)
LISTS = {"batch": 2, "high": 4}

PLAIN = system_after(host_of())
USED_UP = system_after(host_of(), *[LARGE] * 4)  # node 0 has nothing left
ONE_OUT = system_after(host_of(), ALLOC)  # frame 16 is held
LISTED = system_after(host_of(cpus=(0, 1), machine=LISTS), FAR, ALLOC, LOW)
FILLED = system_after(host_of(cpus=(0, 1), machine=LISTS), BULK._replace(pages=2))
SMALL = system_after(host_of((NORMAL, 0), numa=False))
EMPTIABLE = system_after(host_of((NORMAL, 0), (MOVABLE_ZONE, 0), era="6.12"))
OLD = host_of((DMA, 0), (NORMAL, 0), (NORMAL, 1), era="2.6.11", min_free=48)
MARKED = system_after(OLD)
# Zone 1 has 6 frames left, its marks are 4, 5 and 6; a pair would leave it below its low mark.
CLOSE = system_after(OLD, Op(Verb.ALLOC, 3), ALLOC, ALLOC)
KEPT = system_after(
    host_of((NORMAL, 0), cpus=(0, 0), min_free=0, machine={"batch": 16, "high": 16}),
    *[ALLOC._replace(cpu=1)],
)  # CPU 1 keeps all that is left


def step(
    law_id: str,
    what: str,
    change: Callable[[System], object],
    before: System,
    op: Op,
    outcome: int | None = None,
) -> None:
    """A row of a request: with the change to the state after it, or that outcome, it is broken."""
    era = before.host.era
    row(HOST_LAWS, law_id, what, step_of(before, op, outcome, change), step_of(before, op), era)


def answer(law_id: str, what: str, outcome: int, before: System, op: Op) -> None:
    """A row of a request that changed nothing and was answered wrongly."""
    same = state_of(before)
    broken = HostStep(same, op, outcome, same)
    row(HOST_LAWS, law_id, what, broken, step_of(before, op), before.host.era)


def state(law_id: str, what: str, change: Callable[[System], object], on: System) -> None:
    """A row of a state: with the change it is broken."""
    broken = copy_of_system(on)
    change(broken)
    row(HOST_STATE_LAWS, law_id, what, state_of(broken), state_of(on), on.host.era)


def served_by(number: int, before: System, op: Op) -> Callable[[System], object]:
    """Lets another zone serve than the one that did."""

    def change(after: System) -> None:
        after.zones[:] = [copy_of(zone) for zone in before.zones]
        assert ops.perform(after.zones[number], op) >= 0

    return change


def adds(field: str, number: int) -> Callable[[System], object]:
    """Adds one to a field of a zone."""

    def change(after: System) -> None:
        setattr(after.zones[number], field, getattr(after.zones[number], field) + 1)

    return change


def counts(number: int, **counts: int) -> Callable[[System], object]:
    """Gives a zone other counts."""

    def change(after: System) -> None:
        after.numa[number] = after.numa[number]._replace(**counts)

    return change


# --- which requests are refused, and what the others leave alone -------------------------------

MOVABLE_FOR_ALL = ALLOC._replace(highest=MOVABLE_ZONE)

answer("NUMA-refuse", "no such node, and yet served", 16, PLAIN, ALLOC._replace(node=5))
answer("NUMA-refuse", "memory for movable blocks alone", 16, EMPTIABLE, MOVABLE_FOR_ALL)
answer("NUMA-refuse", "a legal node is refused", Refusal.BAD_NODE, PLAIN, FAR)
answer("NUMA-refuse", "a double free is served", 0, ONE_OUT, Op(Verb.FREE, 0, 17))
answer("NUMA-refuse", "the wrong reason", Refusal.BAD_TYPE, PLAIN, ALLOC._replace(node=5))

FREE = Op(Verb.FREE, 0, 16)
step("ZONE-untouched", "a free counts next door", adds("pgfree", 0), ONE_OUT, FREE)
step("ZONE-untouched", "a refusal counts", adds("pgalloc", 1), PLAIN, ALLOC._replace(node=5))
step("ZONE-untouched", "a zone above the highest", adds("free_pages", 1), PLAIN, LOW)
step("ZONE-untouched", "another node although one will do", adds("free_pages", 2), PLAIN, ALONE)
step(
    "ZONE-untouched",
    "a CPU's own zone expires",
    lambda system: ops.perform(system.zones[1], Op(Verb.EXPIRE)),
    LISTED,
    Op(Verb.EXPIRE),
)

# --- which zone serves -------------------------------------------------------------------------

PAIR = Op(Verb.ALLOC, 1)

step("NUMA-zonelist", "the other node", served_by(2, PLAIN, ALLOC), PLAIN, ALLOC, 32)
step("NUMA-zonelist", "the lower zone", served_by(0, PLAIN, ALLOC), PLAIN, ALLOC, 0)
step("NUMA-zonelist", "a zone behind is touched", adds("nr_reserved", 2), PLAIN, ALLOC)
step("NUMA-zonelist", "a zone that is below its mark", served_by(1, CLOSE, PAIR), CLOSE, PAIR, 26)
step("NUMA-zonelist", "nothing, with memory left", served_by(0, PLAIN, ALLOC), PLAIN, ALLOC, -1)
step("NUMA-zonelist", "a zone in vain gives frames", adds("free_pages", 1), CLOSE, PAIR)
step(
    "NUMA-zonelist",
    "nothing, although a drain has brought enough",
    lambda system: served_by(0, KEPT, Op(Verb.DRAIN_ALL))(system),
    KEPT,
    Op(Verb.ALLOC, 2),
    NO_MEMORY,
)

# --- arrays ------------------------------------------------------------------------------------


def slot(pfn: int, number: int, zone: int = 1) -> Callable[[System], object]:
    """Puts a frame in a slot."""
    return lambda system: system.zones[zone].slots.__setitem__(pfn, number)


def other_zone(system: System) -> None:
    """Takes one of several frames from the zone below."""
    slots = system.zones[1].slots
    del slots[max(slots)]
    system.zones[0].slots[8] = 4


step("BULK-host", "a count too high", id, FILLED, BULK, 4)
step("BULK-host", "a count too low", id, FILLED, BULK, 1)
step("BULK-host", "a slot is changed", slot(16, 2), FILLED, BULK)
step("BULK-host", "a slot beyond the count", slot(24, 7), FILLED, BULK)
step("BULK-host", "frames of two zones", other_zone, FILLED, BULK._replace(pages=5))
step(
    "BULK-host",
    "the lists of the lower zone",
    served_by(0, LISTED, BULK),
    LISTED,
    BULK,
    3,
)

# --- what is counted ---------------------------------------------------------------------------

step("NUMA-count", "a miss as a hit", counts(2, hit=1, miss=0), USED_UP, LARGE)
step("NUMA-count", "a miss that is foreign nowhere", counts(1, foreign=0), USED_UP, LARGE)
step("NUMA-count", "not at all", counts(1, hit=0, other=0), PLAIN, ALLOC)
step("NUMA-count", "local, though asked from afar", counts(2, local=1), LISTED, FAR)
step("NUMA-count", "a whole array once", counts(1, hit=1, local=1), FILLED, BULK)
step("NUMA-count", "without NUMA", counts(0, hit=1), SMALL, ALLOC)
step("NUMA-count", "a free", counts(1, hit=2), ONE_OUT, FREE)

# --- between requests --------------------------------------------------------------------------


def levels(number: int, **fields: Any) -> Callable[[System], object]:
    """Gives a zone other marks."""

    def change(system: System) -> None:
        had = system.zones[number].levels
        system.zones[number].levels = None if had is None else replace(had, **fields)

    return change


MARKS = MARKED.zones[1].levels
assert MARKS is not None
state("WM-host", "a low mark too low", levels(1, marks=MARKS.marks._replace(low=4)), MARKED)
state("WM-host", "nothing kept", levels(0, reserve=(0, 0, 9, 9)), MARKED)
state("WM-host", "no marks", lambda system: setattr(system.zones[2], "levels", None), MARKED)
state("WM-host", "marks unasked", lambda s: setattr(s.zones[2], "levels", MARKS), PLAIN)
state("NUMA-sum", "a hit that nobody asked for", counts(1, hit=2), ONE_OUT)
state("NUMA-sum", "a miss that nobody missed", counts(1, miss=1, hit=0), ONE_OUT)
state("NUMA-sum", "counted without NUMA", counts(0, hit=1, local=1), SMALL)

SAME = HostTwins("alloc of order 0", 16, 16, (Numa(),), (Numa(),))
row(TWIN_HOST_LAWS, "TWIN-host", "another frame", SAME._replace(outcome=17), SAME, ERAS["6.1"])
row(TWIN_HOST_LAWS, "TWIN-host", "other counts", SAME._replace(view=(Numa(1),)), SAME)
