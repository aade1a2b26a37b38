"""Requests to counters that break one law each."""

from copy import deepcopy

from tests.spec.counter_rows import Change, broken, moves, sets, stepped
from tests.spec.counters import FREE, HIT, ISOLATED, counters_of
from tests.spec.rows import row

from pagespec.types import Refusal
from pagespec.vmstat.counters import Counters, Stage, copy_of_counters
from pagespec.vmstat.laws.book import CounterBook
from pagespec.vmstat.laws.judge import TWIN_COUNTER_LAWS
from pagespec.vmstat.laws.readings import READING_LAWS
from pagespec.vmstat.laws.refused import REFUSAL_LAWS
from pagespec.vmstat.laws.sums import SUM_LAWS
from pagespec.vmstat.machine import Item
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb

MOD, INC, DEC = (
    CounterOp(verb, item=ISOLATED) for verb in (CounterVerb.MOD, CounterVerb.INC, CounterVerb.DEC)
)
COUNT, REFRESH, LAND = map(CounterOp, (CounterVerb.COUNT, CounterVerb.REFRESH, CounterVerb.LAND))
WAKE, REST, OFF = map(CounterOp, (CounterVerb.WAKE, CounterVerb.REST, CounterVerb.NUMA_OFF))
CHECK, READ = CounterOp(CounterVerb.CHECK), CounterOp(CounterVerb.READ)
UNPLUG, PLUG = CounterOp(CounterVerb.UNPLUG, 1), CounterOp(CounterVerb.PLUG, 1)
MIN_FREE = CounterOp(CounterVerb.MIN_FREE, pages=2000)
RESIZE = CounterOp(CounterVerb.RESIZE, pages=40_000)

TWO = counters_of((0, 64), (1, 64), cpus=(0, 1), normal=5, pressure=2, min_free=64)
ONE = counters_of(normal=5)
PLAIN_END = [INC._replace(times=5), INC._replace(open=True)]  # the next cell has interrupts off

# --- who may ask, and what is set ---------------------------------------------------------------


def refusal(what: str, *ops: CounterOp, outcome: int | None = None, change: Change = id) -> None:
    broken("VM-refused", what, TWO, *ops, outcome=outcome, change=change, laws=REFUSAL_LAWS)


refusal("a CPU that is gone counts", UNPLUG, INC._replace(cpu=1), outcome=0)
refusal("a CPU counts with interrupts off", *PLAIN_END, INC, outcome=0)
refusal("the last CPU goes", UNPLUG, UNPLUG._replace(cpu=0), outcome=0)
refusal("a CPU that runs is refused", INC, outcome=Refusal.BAD_CPU)
refusal("the wrong reason", INC._replace(where=7), outcome=Refusal.BAD_CPU)
refusal("a refused one counts", INC._replace(where=7), change=moves(("cell", 1)))
refusal("what is done answers a number", INC, outcome=2)


broken("VM-settings", "a CPU that is gone runs", TWO, UNPLUG, change=sets("running", {0, 1}))
broken("VM-settings", "kswapd stays asleep", TWO, WAKE, change=sets("reclaiming", set()))
broken("VM-settings", "marks do not follow", TWO, MIN_FREE, change=sets("marks", TWO.marks))
broken(
    "VM-settings",
    "marks follow what boot frees late",
    TWO,
    RESIZE._replace(silent=True),
    change=sets("marks", stepped(TWO, [RESIZE]).after.marks),
)
FORMULA = counters_of((0, 65536), cpus=(0,) * 8, min_free=2048)


def thresholds(what: str, *ops: CounterOp, zone: int, node: int = 24) -> None:
    """A row of another threshold; 8 CPUs have one of 24, 7 have 18, and under pressure it is 16."""

    def change(counters: Counters) -> None:
        counters.thresholds, counters.node_thresholds = [zone], {0: node}

    broken("VM-threshold", what, FORMULA, *ops, change=change)


thresholds("a CPU goes and the others keep as much", UNPLUG, zone=24)
thresholds("kswapd wakes and nobody tells sooner", WAKE, zone=24)
thresholds("kswapd lowers that of the node", WAKE, zone=16, node=16)
thresholds("kswapd rests and thresholds stay low", WAKE, REST, zone=16)
thresholds("they follow min_free_kbytes", WAKE, MIN_FREE, zone=15)
thresholds("they stay low when a CPU goes", WAKE, UNPLUG, zone=18, node=16)

AMPLE = MIN_FREE._replace(pages=8192)
broken("VM-mark", "it follows the marks", FORMULA, AMPLE, change=sets("drift_marks", [0]))
broken("VM-mark", "it is taken away", FORMULA, AMPLE, UNPLUG, change=sets("drift_marks", [0]))
broken("VM-mark", "from the low mark", FORMULA, UNPLUG, PLUG, change=sets("drift_marks", [832]))

# --- how much there is --------------------------------------------------------------------------

NUMA = counters_of((0, 64), (1, 64), cpus=(0, 1), normal=5, numa="u16")
FAR = COUNT._replace(preferred=1)


def statistics(what: str, op: CounterOp, *counted: tuple[Item, int, int]) -> None:
    """A row of a CPU's cells that count otherwise; each an item, a zone, and what is added."""

    def change(counters: Counters) -> None:
        for item, where, pages in counted:
            moves(("cell", pages), item=item, where=where, cpu=op.cpu)(counters)

    broken("VM-numa", what, NUMA, COUNT, op, change=change)


statistics("a miss as a hit", FAR, (HIT, 0, 1), (Item.MISS, 0, -1))
statistics("foreign where it was served", FAR, (Item.FOREIGN, 0, 1), (Item.FOREIGN, 1, -1))
statistics("local to who wanted it", FAR, (Item.LOCAL, 0, -1), (Item.OTHER, 0, 1))
statistics("the frames, not the allocation", COUNT, (HIT, 0, 7), (Item.LOCAL, 0, 7))
statistics("what is off", OFF, (HIT, 0, 1))

broken("VM-conserve", "a page less is told", ONE, MOD._replace(by=9), change=moves(("told", -1)))
broken(
    "VM-conserve", "the machine is not told", ONE, MOD._replace(by=9), change=moves(("total", -9))
)
broken("VM-conserve", "a check takes one", ONE, CHECK, change=moves(("told", -1), item=FREE))
broken("VM-conserve", "it is lost on the way", ONE, *PLAIN_END, LAND, change=moves(("told", -8)))
broken(
    "VM-conserve",
    "a CPU takes along what it kept",
    TWO,
    INC._replace(cpu=1),
    UNPLUG,
    change=moves(("told", -1), ("total", -1)),
)
broken(
    "VM-conserve",
    "an update is forgotten",
    ONE,
    MOD._replace(by=9, open=True, irqs_on=True),
    change=sets("updates", []),
)
broken(
    "VM-width",
    "a cell wraps",
    ONE,
    MOD._replace(by=3),
    change=moves(("told", 256), ("total", 256), ("cell", -256)),
)
broken(
    "VM-width",
    "a cell without a sign is below 0",
    NUMA,
    COUNT,
    change=moves(("told", 2), ("total", 2), ("cell", -2), item=HIT),
)
broken(
    "VM-width",
    "there is no room past the threshold",
    ONE,
    INC,
    change=sets("thresholds", [127]),
    laws=SUM_LAWS,
)
broken(
    "VM-cell",
    "more than the threshold",
    ONE,
    MOD._replace(by=3),
    change=moves(("told", -3), ("total", -3), ("cell", 3)),
)
broken(
    "VM-cell",
    "below what increments leave behind",
    ONE,
    INC._replace(times=6),
    change=moves(("told", 1), ("total", 1), ("cell", -1)),
)
broken(
    "VM-cell",
    "more than the threshold that was lowered, after the cell was told",
    TWO,
    CounterOp(CounterVerb.INC, times=5),
    WAKE,
    REFRESH,
    CounterOp(CounterVerb.INC),
    change=moves(("told", -4), ("total", -4), ("cell", 4), item=FREE),
)
broken(
    "VM-drift",
    "an update holds what the zone has had",
    ONE,
    MOD._replace(by=9, open=True),
    change=moves(("told", -20), ("total", -20), ("update", 20)),
)
broken(
    "VM-drift",
    "an update holds so much that even a close look is off",
    ONE,
    MOD._replace(by=9, open=True, irqs_on=True),
    change=moves(("cell", -5), ("told", -1), ("total", -1), ("update", 6)),
)
broken(
    "VM-drift",
    "a refresh holds what the machine has had",
    TWO,
    INC,
    REFRESH._replace(open=True),
    change=moves(("total", -30), ("update", 30)),
)

# --- what is told -------------------------------------------------------------------------------


def told_at_once(counters: Counters) -> None:
    """The refresh has come to its end."""
    counters.totals[ISOLATED] += counters.updates.pop().pages


KEEPS = moves(("told", -2), ("total", -2), ("cell", 2))
broken("VM-fold", "a refresh leaves some", ONE, INC._replace(times=2), REFRESH, change=KEEPS)
broken("VM-fold", "a refresh counts all cells", ONE, INC, REFRESH, outcome=3)
broken(
    "VM-fold",
    "a refresh tells the machine at once",
    ONE,
    INC,
    REFRESH._replace(open=True),
    change=told_at_once,
)
EVENTS = counters_of(cpus=(0, 0), numa="events")
LATE = moves(("told", -1), ("total", -1), ("cell", 1), item=HIT, cpu=1)
broken("VM-fold", "a CPU leaves its events", EVENTS, COUNT._replace(cpu=1), UNPLUG, change=LATE)
broken(
    "VM-fold",
    "a reader leaves events",
    EVENTS,
    COUNT._replace(cpu=1),
    READ._replace(item=HIT),
    change=LATE,
)
broken(
    "VM-fold",
    "a refresh tells events",
    EVENTS,
    COUNT,
    REFRESH,
    change=moves(("told", 1), ("total", 1), ("cell", -1), item=HIT),
)


def telling(what: str, start: Counters, *ops: CounterOp, told: int, item: Item = ISOLATED) -> None:
    """A row of a change that tells so much more than it should, out of the CPU's cell."""
    change = moves(("told", told), ("total", told), ("cell", -told), item=item)
    broken("VM-told", what, start, *ops, change=change)


telling("at the threshold, not beyond", ONE, MOD._replace(by=5), told=5)
telling("a plain change leaves a half", ONE, MOD._replace(by=6), told=2)
telling("an increment leaves nothing", ONE, INC._replace(times=6), told=-2)
telling("an increment leaves a half above 0", ONE, MOD, INC._replace(times=6), told=-4)
telling("a decrement leaves nothing", ONE, DEC._replace(times=6), told=2)
telling("a new size tells", ONE, INC, RESIZE, told=1)

FILLED = [CounterOp(CounterVerb.DEC, times=5), WAKE]
telling(
    "a plain way looks at both ends", TWO, *FILLED, CounterOp(CounterVerb.INC), told=-4, item=FREE
)
telling(
    "an exchange looks at one end",
    TWO,
    *FILLED,
    CounterOp(CounterVerb.INC, irqs_on=True),
    told=3,
    item=FREE,
)


def at_once(counters: Counters) -> None:
    """The update goes two steps on."""
    counters.totals[ISOLATED] += counters.updates[0].pages
    counters.updates[0] = counters.updates[0]._replace(stage=Stage.CELL)


broken(
    "VM-told",
    "a zone and the machine at once",
    ONE,
    *PLAIN_END,
    LAND,
    change=at_once,
)

# --- what readers see ---------------------------------------------------------------------------

BELOW = [MOD._replace(by=-9), READ._replace(item=ISOLATED)]
ABOVE = [MOD._replace(by=5), READ._replace(item=ISOLATED)]
broken("VM-read", "less than nothing", ONE, *BELOW, outcome=-9)
broken("VM-read", "what a CPU keeps, cheaply", ONE, *ABOVE, outcome=5)
broken(
    "VM-read", "only what is told, closely", ONE, ABOVE[0], ABOVE[1]._replace(close=True), outcome=0
)
broken(
    "VM-read", "a total that is exact", NUMA, COUNT, READ._replace(item=HIT, where=ALL), outcome=1
)
DRAFT = counters_of((0, 64), (1, 64), cpus=(0, 1), numa="s16-draft")
broken(
    "VM-read",
    "a draft's total that is exact",
    DRAFT,
    COUNT,
    READ._replace(item=HIT, where=ALL),
    outcome=1,
)
broken("VM-read", "a zone's that is late", NUMA, COUNT, READ._replace(item=HIT), outcome=0)

DRAINED = counters_of(cpus=(0, 0), normal=20, min_free=64)  # marks 16, 20 and 24, drift mark 64
LESS = [CounterOp(CounterVerb.MOD, cpu, by=-20) for cpu in (0, 1)]
ONE_LESS = CounterOp(CounterVerb.MOD, by=-1)  # told are 43, and there are 23
HIGH = CHECK._replace(level="high", reclaim=True)


def too_few(book: CounterBook) -> None:
    """There are fewer than anybody knows."""
    book.truth[0] -= 1


broken("VM-sound", "reclaim goes by what is told", DRAINED, *LESS, ONE_LESS, HIGH, outcome=1)
broken("VM-sound", "a drift mark too low", DRAINED, *LESS, HIGH, entered=too_few, laws=READING_LAWS)
broken("VM-check", "reclaim sees too few", DRAINED, *LESS, HIGH, outcome=0)
broken(
    "VM-check",
    "a request looks closely",
    DRAINED,
    *LESS,
    ONE_LESS,
    CHECK._replace(order=3, level="low"),
    outcome=0,
)
broken(
    "VM-check",
    "at its mark it is above",
    DRAINED,
    CounterOp(CounterVerb.MOD, by=-48),
    CHECK,
    outcome=1,
)

# --- two who are asked the same -----------------------------------------------------------------


def twins(what: str, change: Change = id, outcome: int = 0) -> None:
    """A row of another who was asked the same."""
    sound = stepped(TWO, [INC])
    sound = sound._replace(twin=copy_of_counters(sound.after), twin_outcome=0)
    other = deepcopy(sound.after)
    change(other)
    wrong = sound._replace(twin=other, twin_outcome=outcome)
    row(TWIN_COUNTER_LAWS, "TWIN-counters", what, wrong, sound)


twins("another answer", outcome=1)
twins("another cell", moves(("cell", 1)))
twins("another drift mark", sets("drift_marks", [0, 0]))
