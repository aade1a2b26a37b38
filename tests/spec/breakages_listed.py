"""States and requests that break one law each, on machines with CPUs' lists or watermarks."""

from collections.abc import Callable
from typing import Any

from tests.spec.breakages_typed import forged, grouped
from tests.spec.rows import answer, lose, put, row, state, step, transition, zone_after

from pagespec.era import ERAS
from pagespec.events import Event, Kind
from pagespec.laws.exact import KEPT_LAWS, Kept
from pagespec.laws.step import STEP_LAWS
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.pcp.state import Pcp
from pagespec.pcp.tuning import Doubling, Tuned
from pagespec.schedule.windows import WINDOW_LAWS, Lists, Window
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Verb
from pagespec.watermark.levels import Levels
from pagespec.watermark.marks import Marks
from pagespec.zone import Held, Zone

ALLOC, FREE = Op(Verb.ALLOC), Op(Verb.FREE, 0, 0)


def listed(era: str, *ops: Op, **machine: Any) -> Zone:
    """A zone of 16 frames, TOP 3, with one CPU whose batch is 3, after some requests."""
    return zone_after(*ops, **{"era": ERAS[era], "cpus": 1, "batch": 3, **machine})


def pcp(zone: Zone, cpu: int = 0) -> Pcp:
    return zone.pcps[cpu][0]


def marks(zone: Zone) -> Levels:
    assert zone.levels is not None
    return zone.levels


def keep(zone: Zone, pfn: int, *, cpu: int = 0) -> None:
    """The buddy's free frame is on the CPU's first list, at its front."""
    if pfn in zone.free_area[0][UNMOVABLE]:
        lose(zone, pfn, 0)
    pcp(zone, cpu).lists[0][pfn] = UNMOVABLE
    pcp(zone, cpu).lists[0].move_to_end(pfn, last=False)
    pcp(zone, cpu).count += 1


def drop(zone: Zone, pfn: int, *, cpu: int = 0) -> None:
    """The frame of the CPU's list is free in the buddy, unmerged."""
    del pcp(zone, cpu).lists[0][pfn]
    pcp(zone, cpu).count -= 1
    put(zone, pfn, 0)


# --- the state between requests ----------------------------------------------------------------

KEPT = listed("6.12", ALLOC)  # 0 is held, 1 and 2 are on the list, 3 to 15 are free
TYPED = grouped("6.12", "MMUU", Op(Verb.ALLOC, mt=MOVABLE), cpus=1, batch=3)
MARKED = grouped("5.15", "MMMM", min_free=8)
LATER = grouped("6.12", "MMMM", min_free=8)


def to_another_type(zone: Zone) -> None:
    pfn, mt = pcp(zone).lists[1].popitem()
    pcp(zone).lists[0][pfn] = mt


def to_another_order(zone: Zone) -> None:
    pfn, mt = pcp(zone).lists[0].popitem()
    pcp(zone).lists[3][pfn] = mt
    zone.given.discard(pfn)


state("PCP-count", "one too many", lambda z: setattr(pcp(z), "count", 3), KEPT)
state("PCP-count", "a movable block is not", to_another_type, TYPED)
state("BUD-partition", "it is on two lists", lambda z: pcp(z).lists[1].update({1: MOVABLE}), KEPT)
state("BUD-partition", "it is kept and free", lambda z: put(z, 1, 0), KEPT)
state("BUD-partition", "it is kept and held", lambda z: z.held.update({1: z.held[0]}), KEPT)
state("BUD-partition", "it is lost", lambda z: pcp(z).lists[0].clear(), KEPT)
state("PCP-off", "something goes round", lambda z: setattr(z, "disabled", True), KEPT)
state("PCP-unplugged", "something stays", lambda z: z.unplugged.add(0), KEPT)


def marked(what: str, zone: Zone, **fields: Any) -> None:
    """A row of marks of which a field is another."""

    def change(broken: Zone) -> None:
        for name, value in fields.items():
            setattr(marks(broken), name, value)

    state("WM-formula", what, change, zone)


marked("a mark too low", MARKED, marks=Marks(1, 2, 2))
marked("a boost too large", MARKED, boost=5)
marked("a boost below zero", MARKED, boost=-1)
marked("a boost of an era that has none", grouped("4.10", "MMMM", min_free=8), boost=1)
marked("below high in an era that does not ask", MARKED, below_high=True)

# --- who touches which lists -------------------------------------------------------------------

TWO = listed("6.12", ALLOC, cpus=2)
FOUR = listed("5.15", *[ALLOC] * 4)  # 0 to 3 are held, 4 and 5 are on the list
GET, BARRED = Op(Verb.GET, pfn=0), Op(Verb.ALLOC, contended=True)


def by_another(zone: Zone) -> None:
    pfn = pcp(zone).lists[0].popitem(last=False)[0]
    pcp(zone).count -= 1
    keep(zone, pfn, cpu=1)


def back(pfn: int) -> Op:
    return Op(Verb.FREE, 0, pfn)


def all_back(zone: Zone) -> None:
    """Nothing was drained."""
    for pfn in (0, 1, 2):
        keep(zone, pfn)


def undrained(zone: Zone) -> None:
    for pfn in (4, 5):
        keep(zone, pfn)


def pushed(what: str, era: str, said: Op) -> None:
    """A row of a free by way of a list, as if another had asked for it."""
    forged("PCP-owner", what, listed(era, ALLOC), Op(Verb.FREE, 0, said.pfn), said)


step("PCP-owner", "a free goes to another CPU", by_another, TWO, FREE)
step("PCP-owner", "a reference takes a block", lambda z: drop(z, 1), TWO, GET)
step("PCP-owner", "another CPU is drained", lambda z: drop(z, 1), TWO, Op(Verb.DRAIN, cpu=1))
step("PCP-owner", "a request that is barred takes one", lambda z: drop(z, 1), TWO, BARRED)
pushed("an interrupt uses lists", "4.11-rc", Op(Verb.FREE, 0, 8, irq=True))
pushed("without the lock", "6.1", FREE._replace(contended=True))
pushed("a cold one uses the hot set", "2.6.11", Op(Verb.FREE, 0, 8, cold=True))

TWO_BACK = listed("5.15", *[ALLOC] * 3, back(0), back(1), high=3)
step(
    "PCP-bound",
    "what is at the limit is not drained",
    all_back,
    TWO_BACK,
    back(2),
)
step("PCP-leak", "a block stays behind", undrained, FOUR, Op(Verb.DRAIN_ALL))
step("PCP-leak", "one CPU's blocks stay", undrained, FOUR, Op(Verb.DRAIN))
step("PCP-leak", "a frame is lost on the way", lambda z: lose(z, 4, 2), FOUR, Op(Verb.DISABLE))

# --- what moves, in which order, and what is learnt ---------------------------------------------

NEW = listed("5.15")
LAST = listed("5.15", *[ALLOC] * 6)  # 0 to 5 are held, nothing is listed


def one_too_few(zone: Zone) -> None:
    drop(zone, 2)


def at_tail(zone: Zone) -> None:
    pcp(zone).lists[0].move_to_end(next(iter(pcp(zone).lists[0])))


def from_tail(zone: Zone) -> None:
    """The last block of the list was given out, not the first."""
    keep(zone, 4)
    del pcp(zone).lists[0][5]
    pcp(zone).count -= 1
    zone.held[5] = zone.held.pop(4)


def not_free_before(zone: Zone) -> None:
    """The refill brought a frame that somebody holds, in place of a free one."""
    drop(zone, 7)
    keep(zone, 0)


step("PCP-refill", "one too few", one_too_few, NEW, ALLOC)
step("PCP-refill", "one more", lambda z: keep(z, 3), NEW, ALLOC)
step("PCP-refill", "a list that has some is filled", lambda z: keep(z, 6), FOUR, ALLOC)
step("PCP-lifo", "freed to the tail", at_tail, FOUR, FREE)
step(
    "PCP-lifo",
    "what is freed cold is at the front",
    lambda z: pcp(z).lists[0].move_to_end(8, last=False),
    listed("4.10", ALLOC),
    Op(Verb.FREE, 0, 8, cold=True),
)
tail = transition(FOUR, ALLOC, outcome=5, change=from_tail)
row(STEP_LAWS, "PCP-lifo", "served from the tail", tail, transition(FOUR, ALLOC), FOUR.machine.era)
step("PCP-lifo", "a refill brings a held frame", not_free_before, LAST, ALLOC)

HIGH = listed("5.15", *[ALLOC] * 6, back(0), back(2), high=3, batch=1)  # 2 and 0 are on the list


def from_front(zone: Zone) -> None:
    """The drain took the block that was freed last, not the one that was freed first."""
    keep(zone, 0)
    pcp(zone).lists[0].move_to_end(0)
    drop(zone, 4)


step("PCP-drain", "from the front", from_front, HIGH, back(4))
step("PCP-drain", "two for one", lambda z: drop(z, 4), HIGH, back(4))
step("PCP-drain", "nothing expires", undrained, FOUR, Op(Verb.EXPIRE))


def learns(what: str, zone: Zone, op: Op, **fields: Any) -> None:
    """A row of lists that have learnt something else."""

    def change(broken: Zone) -> None:
        load = pcp(broken).load
        assert isinstance(load, Doubling | Tuned)
        pcp(broken).load = load._replace(**fields)

    step("PCP-tune", what, change, zone, op)


learns("a drain does not double the next", HIGH, back(4), factor=0)
learns("a refill does not double the next", listed("6.12"), ALLOC, factor=0)
learns("a free is forgotten", listed("6.12", ALLOC), FREE, freed=0)
learns("high does not decay", listed("6.12"), Op(Verb.AGE), high=9)
learns("a reference teaches", FOUR, GET, factor=2)
learns("lists that are off keep their high", FOUR, Op(Verb.DISABLE), high=40)
learns("CPUs do not share anew", listed("5.15", cpus=2), Op(Verb.UNPLUG, cpu=1), batch=4)

# --- bulk requests ------------------------------------------------------------------------------

BULK = Op(Verb.BULK, pages=4)
ARRAY = listed("6.12", Op(Verb.BULK, pages=2))  # 0 and 1 are in the slots, 2 is on the list
GAP = listed("6.12", Op(Verb.BULK, pages=3), Op(Verb.FREE, 0, 0))  # slots 1 and 2 are filled
ALONE = listed("6.12", Op(Verb.BULK, pages=1))


def into(slots: dict[int, int]) -> Callable[[Zone], None]:
    """The array holds these frames."""
    return lambda zone: setattr(zone, "slots", slots)


def bulk(law_id: str, what: str, before: Zone, op: Op, outcome: int) -> None:
    """A row of a bulk request that returns something else."""
    broken = transition(before, op, outcome=outcome)
    row(STEP_LAWS, law_id, what, broken, transition(before, op), before.machine.era)


step("BULK-prefix", "a filled slot loses its frame", into({2: 0, 1: 1, 3: 2, 4: 3}), ARRAY, BULK)
step("BULK-prefix", "two frames for one slot", into({0: 0, 1: 1, 2: 2, 3: 2}), ARRAY, BULK)
bulk("BULK-prefix", "it returns too little", ARRAY, BULK, 3)
bulk("BULK-prefix", "it returns more than there are", ARRAY, BULK, 5)


def only_one(zone: Zone) -> None:
    """The request took the first of three frames and no more."""
    for pfn in (2, 1):
        del zone.held[pfn], zone.slots[pfn]
        keep(zone, pfn)


def one_more(zone: Zone) -> None:
    """The request took a second frame, past the first that it settles for."""
    lose(zone, 1, 0)
    zone.held[1], zone.slots[1] = zone.held[0], 1


BULK3, OUTSIDE = Op(Verb.BULK, pages=3), listed("6.1")
LOST = BULK3._replace(contended=True)
short = transition(NEW, BULK3, outcome=1, change=only_one)
row(STEP_LAWS, "BULK-settle", "it stops short", short, transition(NEW, BULK3), NEW.machine.era)
long = transition(OUTSIDE, LOST, outcome=2, change=one_more)
row(STEP_LAWS, "BULK-settle", "two without the lists", long, transition(OUTSIDE, LOST))
bulk("BULK-settle", "it returns what it filled, not how far it is", GAP, BULK3, 1)


def below_the_mark(zone: Zone) -> None:
    """The request took a frame that is kept for others."""
    lose(zone, 0, 3)
    for pfn, order in ((1, 0), (2, 1), (4, 2)):
        put(zone, pfn, order)
    zone.held[0], zone.slots[0] = Held(0, 1, compound=False), 0
    zone.given.add(0)


DRY, URGENTLY = listed("6.12", min_free=200), Op(Verb.BULK, pages=1, atomic=True)
dry = transition(DRY, URGENTLY, outcome=1, change=below_the_mark)
row(STEP_LAWS, "BULK-settle", "below every mark", dry, transition(DRY, URGENTLY), DRY.machine.era)

# --- watermarks ---------------------------------------------------------------------------------


def marked_zone(kbytes: int, *ops: Op, era: str = "6.12", **machine: Any) -> Zone:
    """A zone of 16 frames, of which a quarter of so many must be left."""
    return zone_after(*ops, era=ERAS[era], min_free=kbytes, **machine)


def kswapd(runs: bool) -> Callable[[Zone], None]:
    return lambda zone: setattr(marks(zone), "reclaiming", runs)


def is_below(below: bool) -> Callable[[Zone], None]:
    return lambda zone: setattr(marks(zone), "below_high", below)


AMPLE, SHORT, NONE_LEFT = marked_zone(20), marked_zone(60), marked_zone(100)
URGENT, LAST_RESORT = ALLOC._replace(atomic=True), ALLOC._replace(emergency=True)
SPREAD = marked_zone(40, ALLOC._replace(cpu=1, order=2), cpus=2, batch=8, high=20)

MOVING = ALLOC._replace(mt=MOVABLE)
GUARDING = grouped(
    "6.1", "MMMM", MOVING._replace(emergency=True), cpus=1, batch=3, high=9, guard=1, min_free=80
)
HOARDED = listed("6.12", ALLOC._replace(cpu=1), cpus=2, batch=2, high=9, pages=2, top=1, min_free=0)
CMA_ALONE = grouped(
    "6.12", "MMCC", ALLOC._replace(emergency=True), cpus=1, batch=3, high=9, min_free=40
)

forged("WM-sound", "below every mark", NONE_LEFT, LAST_RESORT, ALLOC)
forged("WM-sound", "for who cannot wait", marked_zone(200), LAST_RESORT, URGENT)
forged("WM-sound", "guards would not make up for it", GUARDING, LAST_RESORT, MOVING)
forged("WM-sound", "with CMA memory that is not for it", CMA_ALONE, LAST_RESORT, ALLOC)
forged("WM-sound", "an emergency gets what a CPU kept", HOARDED, ALLOC, LAST_RESORT)
forged("WM-serve", "CPUs keep what they must give back first", SPREAD, LAST_RESORT, ALLOC)
answer("WM-serve", "it fails above its mark", NO_MEMORY, AMPLE, ALLOC)
step("WM-serve", "kswapd sleeps on", kswapd(False), SHORT, ALLOC)
step("WM-serve", "kswapd is woken for nothing", kswapd(True), AMPLE, ALLOC)
step("WM-serve", "a free wakes kswapd", kswapd(True), marked_zone(20, ALLOC), FREE)
step("WM-serve", "kswapd never rests", kswapd(True), SHORT, Op(Verb.REST))
gathered = transition(SPREAD, Op(Verb.DRAIN_ALL), change=kswapd(True))
row(
    STEP_LAWS,
    "WM-serve",
    "it fails with what CPUs gave back",
    gathered._replace(op=ALLOC, outcome=NO_MEMORY),
    transition(SPREAD, ALLOC),
    SPREAD.machine.era,
)
step("WM-high", "a zone below it counts as above", is_below(False), SHORT, ALLOC)
step("WM-high", "a zone above it counts as below", is_below(True), AMPLE, ALLOC)
step("WM-high", "a free without a drain mends it", is_below(False), marked_zone(60, ALLOC), FREE)

# --- counts and tracepoints ---------------------------------------------------------------------


def counts(what: str, before: Zone, op: Op, **fields: int) -> None:
    """A row of a request that counts something else."""

    def change(zone: Zone) -> None:
        for name, value in fields.items():
            setattr(zone, name, value)

    step("EVT-count", what, change, before, op)


counts("frames, where operations are counted", NEW, Op(Verb.ALLOC, 2), pgalloc=4)
counts("an operation, where frames are counted", listed("6.1"), Op(Verb.ALLOC, 2), pgalloc=1)
counts("a free counts as allocated", KEPT, FREE, pgalloc=2)
counts("a bulk request counts once", NEW, BULK3, pgalloc=1)
counts("a drain counts", FOUR, Op(Verb.DRAIN), pgfree=2)


def swapped(law_id: str, what: str, kind: Kind, before: Zone, op: Op) -> None:
    """A row of a request of which two lines of a kind have changed places."""
    sound = transition(before, op)
    first, second = [n for n, event in enumerate(sound.log) if event.kind is kind][-2:]
    log: list[Event] = list(sound.log)
    log[first], log[second] = log[second], log[first]
    broken = sound._replace(log=tuple(log))
    row(STEP_LAWS, law_id, what, broken, sound, before.machine.era)


swapped("EVT-drain", "the front goes first", Kind.PCPU_DRAIN, FOUR, Op(Verb.DRAIN))
swapped("EVT-refill", "two blocks changed places", Kind.ZONE_LOCKED, NEW, ALLOC)

# --- beside the stamps --------------------------------------------------------------------------

SAME = Kept("alloc order 0", [[[[1, 2]]]], [[[[1, 2]]]], {0: 0}, {0: 0})
row(KEPT_LAWS, "ORACLE-lists", "another order", SAME._replace(pcps=[[[[2, 1]]]]), SAME)
row(KEPT_LAWS, "ORACLE-lists", "another slot", SAME._replace(slots={0: 1}), SAME)

# --- how long interrupts are off -----------------------------------------------------------------

# Two frames off their lists; each merges three times, and is listed.
drained = Window(listed("2.6.37").machine, Op(Verb.DRAIN), Lists((Doubling(4, 3),), 2), 2 * 8)
row(
    WINDOW_LAWS,
    "IRQ-window",
    "a drain that does more than it was to",
    drained._replace(visited=drained.visited + 1),
    drained,
)
