"""The next request of a walk: mostly legal, now and then not."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from pagefuzz.counters.draw import has_threshold
from pagefuzz.counters.episodes import EPISODES
from pagespec.types import MAX_TOP
from pagespec.vmstat.counters import Counters, threshold_of
from pagespec.vmstat.machine import NUMA_ITEMS, CounterMachine, Item
from pagespec.vmstat.verbs import ALL, LEVELS, CounterOp, CounterVerb

STEPS = (1, 1, 2, 3, 7, 31, 512)
"""By how many pages a plain change of any size goes up or down."""

REPEATS, MANY_REPEATS = (1, 1, 1, 1, 2, 5, 40), 70_000
"""How often an increment is repeated, and how often an allocation that is to fill a cell of sixteen
bits, once a walk at most."""

OFTEN: dict[CounterVerb, int] = {
    CounterVerb.MOD: 6,
    CounterVerb.INC: 6,
    CounterVerb.DEC: 6,
    CounterVerb.LAND: 4,
    CounterVerb.COUNT: 4,
    CounterVerb.CHECK: 2,
    CounterVerb.TAKE: 2,
    CounterVerb.READ: 2,
}
"""Verbs that are drawn so many times as often as others."""


@dataclass(slots=True)
class Mix:
    """How often each kind of request is drawn in one walk, and what it prefers.

    verbs: weights. hot_places, hot_cpus: the counters and the CPUs to which changes mostly go.
    illegal, irqs_on, open, aimed, episodes: chances of one request. up: the chance that a change
    goes up, redrawn each phase of `phase` requests. many: whether a cell of sixteen bits is still
    to be filled. next: the rest of an episode.
    """

    verbs: dict[CounterVerb, int]
    hot_places: list[int]
    hot_cpus: list[int]
    illegal: float
    irqs_on: float
    open: float
    aimed: float
    episodes: float
    phase: int
    many: bool
    up: float = 0.5
    drawn: int = 0
    next: list[CounterOp] = field(default_factory=list)


Draw: TypeAlias = Callable[[Random, Counters, Mix], CounterOp]
"""Draws a request of one verb, probably legal."""


def random_mix(rng: Random, machine: CounterMachine) -> Mix:
    """A mix for one walk, some of whose kinds are switched off."""
    verbs = {verb: rng.choice((0, 1, 1, 2)) * OFTEN.get(verb, 1) for verb in CounterVerb}
    # Something must happen to the cells, whatever else is off.
    verbs[rng.choice((CounterVerb.MOD, CounterVerb.INC, CounterVerb.DEC))] += 4
    counts = range(sum(place.item not in NUMA_ITEMS for place in machine.places))
    return Mix(
        verbs=verbs,
        hot_places=[0, *rng.sample(counts, min(2, len(counts)))],
        hot_cpus=rng.sample(range(len(machine.cpus)), min(2, len(machine.cpus))),
        illegal=rng.choice((0.0, 0.1, 0.2)),
        irqs_on=rng.choice((0.0, 0.3, 1.0)),
        open=rng.choice((0.0, 0.1, 0.3)),
        aimed=rng.choice((0.0, 0.3, 0.6)),
        episodes=rng.choice((0.06, 0.12, 0.2)),
        phase=rng.choice((8, 32, 100)),
        many=has_threshold(machine.design) and machine.numa_threshold is None,
    )


def random_request(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    """The next request of a walk."""
    if mix.drawn % mix.phase == 0:
        mix.up = rng.choice((0.0, 0.2, 0.5, 0.8, 1.0))
    mix.drawn += 1
    if mix.next:
        return mix.next.pop(0)
    if rng.random() < mix.illegal:
        return illegal_request(rng, known, mix)
    if rng.random() < mix.episodes:
        mix.next = rng.choice(EPISODES)(rng, known, _cpu(rng, known, mix))
        return mix.next.pop(0)
    if known.updates and rng.random() < 0.8 and not _free_cpus(known):
        return _land(rng, known, mix)
    verb = rng.choices(list(mix.verbs), list(mix.verbs.values()))[0]
    return DRAW[verb](rng, known, mix)


def _cpu(rng: Random, known: Counters, mix: Mix) -> int:
    """A CPU that runs and, mostly, holds nothing up with interrupts off."""
    free = _free_cpus(known)
    hot = [cpu for cpu in mix.hot_cpus if cpu in free]
    return rng.choice((hot if rng.random() < 0.7 else []) or free or sorted(known.running))


def _free_cpus(known: Counters) -> list[int]:
    held_up = {update.cpu for update in known.updates if update.left is not None}
    return [cpu for cpu in sorted(known.running) if cpu not in held_up]


def _place(rng: Random, known: Counters, mix: Mix) -> int:
    """The number of a counter that may be changed by any amount."""
    if rng.random() < 0.8:
        return rng.choice(mix.hot_places)
    return rng.randrange(sum(place.item not in NUMA_ITEMS for place in known.places))


def _change(verb: CounterVerb) -> Draw:
    def draw(rng: Random, known: Counters, mix: Mix) -> CounterOp:
        place, cpu = _place(rng, known, mix), _cpu(rng, known, mix)
        op = CounterOp(
            verb,
            cpu,
            known.places[place].item,
            known.places[place].where,
            irqs_on=rng.random() < mix.irqs_on,
            open=rng.random() < mix.open,
        )
        if verb is CounterVerb.MOD:
            return op._replace(by=_amount(rng, known, mix, place, cpu))
        turned = CounterVerb.INC if rng.random() < mix.up else CounterVerb.DEC
        if mix.verbs[turned]:
            op = op._replace(verb=turned)
        return op if op.open else op._replace(times=rng.choice(REPEATS))

    return draw


def _amount(rng: Random, known: Counters, mix: Mix, place: int, cpu: int) -> int:
    """How many pages: any number, or as many as just reach or just pass a threshold or mark."""
    if rng.random() < mix.aimed:
        # What hurts a CPU's cell first is at its threshold, or one beyond, on either side.
        threshold = threshold_of(known, known.places[place])
        sign = 1 if rng.random() < mix.up else -1
        return sign * (threshold + rng.choice((0, 1))) - known.cells[cpu][place]
    if place < len(known.machine.zones) and rng.random() < mix.aimed / 2:
        marks = known.marks[place]
        near = rng.choice((marks.min, marks.low, marks.high, known.drift_marks[place]))
        return near + rng.randint(-2, 3) - known.told[place]
    return rng.choice(STEPS) * (1 if rng.random() < mix.up else -1)


def _land(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    if not known.updates:
        return DRAW[CounterVerb.INC](rng, known, mix)._replace(open=True, times=1)
    return CounterOp(CounterVerb.LAND, number=rng.randrange(len(known.updates)))


def _refresh(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    opened = rng.random() < mix.open
    return CounterOp(CounterVerb.REFRESH, _cpu(rng, known, mix), open=opened)


def _unplug(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    """One that keeps something, if it can be helped."""
    if len(known.running) == 1:
        return _plug(rng, known, mix)
    return CounterOp(CounterVerb.UNPLUG, _cpu(rng, known, mix))


def _plug(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    gone = [cpu for cpu in range(len(known.machine.cpus)) if cpu not in known.running]
    return CounterOp(CounterVerb.PLUG, rng.choice(gone)) if gone else _refresh(rng, known, mix)


def _kswapd(verb: CounterVerb) -> Draw:
    def draw(rng: Random, known: Counters, mix: Mix) -> CounterOp:
        return CounterOp(verb, where=rng.choice(known.machine.nodes))

    return draw


def _min_free(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    return CounterOp(CounterVerb.MIN_FREE, pages=rng.choice((0, 16, 64, 400, 4000, 60_000)))


def _resize(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    zone = _zone(rng, known)
    pages = rng.choice((1, 64, 1000, 40_000, 2**18, known.pages[zone] + 1))
    return CounterOp(CounterVerb.RESIZE, where=zone, pages=pages, silent=rng.random() < 0.3)


def _zone(rng: Random, known: Counters) -> int:
    return rng.randrange(len(known.machine.zones))


def _read(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    hot = known.places[rng.choice(mix.hot_places)]
    place = hot if rng.random() < 0.4 else rng.choice(known.places)
    where = ALL if rng.random() < 0.3 else place.where
    close = where != ALL and place.item not in NUMA_ITEMS and rng.random() < 0.5
    return CounterOp(CounterVerb.READ, item=place.item, where=where, close=close)


def _check(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    op = CounterOp(CounterVerb.CHECK, where=_zone(rng, known), level=rng.choice(LEVELS))
    return op._replace(order=rng.choice((0, 0, 0, 1, 3)), reclaim=rng.random() < 0.6)


def _take(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    op = CounterOp(CounterVerb.TAKE, _cpu(rng, known, mix), where=_zone(rng, known))
    return op._replace(level=rng.choice(LEVELS), order=rng.choice((0, 0, 1, 3, 9)))


def _count(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    times = rng.choice(REPEATS)
    if mix.many and rng.random() < 0.05:
        mix.many, times = False, MANY_REPEATS
    return CounterOp(
        CounterVerb.COUNT,
        _cpu(rng, known, mix),
        where=_zone(rng, known),
        preferred=_zone(rng, known),
        times=times,
        interleave=rng.random() < 0.2,
    )


def _numa(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    """Turned off seldom, and not for long: nothing is counted meanwhile."""
    if not known.machine.design.switch or (known.numa_on and rng.random() < 0.5):
        return _count(rng, known, mix)
    return CounterOp(CounterVerb.NUMA_OFF if known.numa_on else CounterVerb.NUMA_ON)


DRAW: dict[CounterVerb, Draw] = {
    CounterVerb.MOD: _change(CounterVerb.MOD),
    CounterVerb.INC: _change(CounterVerb.INC),
    CounterVerb.DEC: _change(CounterVerb.DEC),
    CounterVerb.LAND: _land,
    CounterVerb.REFRESH: _refresh,
    CounterVerb.UNPLUG: _unplug,
    CounterVerb.PLUG: _plug,
    CounterVerb.WAKE: _kswapd(CounterVerb.WAKE),
    CounterVerb.REST: _kswapd(CounterVerb.REST),
    CounterVerb.MIN_FREE: _min_free,
    CounterVerb.RESIZE: _resize,
    CounterVerb.READ: _read,
    CounterVerb.CHECK: _check,
    CounterVerb.TAKE: _take,
    CounterVerb.COUNT: _count,
    CounterVerb.NUMA_OFF: _numa,
    CounterVerb.NUMA_ON: _numa,
}
"""How a request of each verb is drawn, so that it is probably legal."""


def illegal_request(rng: Random, known: Counters, mix: Mix) -> CounterOp:
    """A request that is probably refused."""
    return rng.choice(WRONG)(rng, known, mix)


def _no_cpu(rng: Random, known: Counters) -> int:
    """A CPU that there is not, that is gone, or that holds an update up."""
    cpus = len(known.machine.cpus)
    gone = [cpu for cpu in range(cpus) if cpu not in known.running]
    held_up = [update.cpu for update in known.updates if update.left is not None]
    return rng.choice((cpus, *gone, *held_up))


def _turned(known: Counters) -> CounterVerb:
    """What turns NUMA statistics to what they are."""
    return CounterVerb.NUMA_ON if known.numa_on else CounterVerb.NUMA_OFF


_mod = DRAW[CounterVerb.MOD]
_TOO_LARGE = MAX_TOP + 1
_NOWHERE = 9
"""An order, and a zone, that no machine here has."""

WRONG: tuple[Draw, ...] = (
    lambda rng, known, mix: _mod(rng, known, mix)._replace(cpu=_no_cpu(rng, known)),
    lambda rng, known, mix: _mod(rng, known, mix)._replace(where=_NOWHERE),
    lambda rng, known, mix: _mod(rng, known, mix)._replace(by=2**31),
    lambda rng, known, mix: CounterOp(
        CounterVerb.MOD, _cpu(rng, known, mix), rng.choice(NUMA_ITEMS), known.machine.nodes[0], by=1
    ),
    lambda rng, known, mix: CounterOp(CounterVerb.INC, _cpu(rng, known, mix), times=0),
    lambda rng, known, mix: _take(rng, known, mix)._replace(cpu=_no_cpu(rng, known)),
    lambda rng, known, mix: _take(rng, known, mix)._replace(where=_NOWHERE),
    lambda rng, known, mix: _take(rng, known, mix)._replace(order=_TOO_LARGE),
    lambda rng, known, mix: _check(rng, known, mix)._replace(order=_TOO_LARGE),
    lambda rng, known, mix: _check(rng, known, mix)._replace(where=_NOWHERE),
    lambda rng, known, mix: _count(rng, known, mix)._replace(cpu=_no_cpu(rng, known)),
    lambda rng, known, mix: _count(rng, known, mix)._replace(preferred=_NOWHERE),
    lambda rng, known, mix: _count(rng, known, mix)._replace(times=0),
    *[lambda rng, known, mix: CounterOp(CounterVerb.LAND, number=len(known.updates))] * 2,
    lambda rng, known, mix: CounterOp(CounterVerb.REFRESH, _no_cpu(rng, known)),
    lambda rng, known, mix: CounterOp(CounterVerb.UNPLUG, _no_cpu(rng, known)),
    lambda rng, known, mix: CounterOp(CounterVerb.PLUG, _cpu(rng, known, mix)),
    lambda rng, known, mix: CounterOp(CounterVerb.WAKE, where=_NOWHERE),
    lambda rng, known, mix: CounterOp(CounterVerb.REST, where=_NOWHERE),
    lambda rng, known, mix: CounterOp(CounterVerb.MIN_FREE, pages=2**32),
    lambda rng, known, mix: CounterOp(CounterVerb.RESIZE, where=_NOWHERE, pages=64),
    lambda rng, known, mix: CounterOp(CounterVerb.RESIZE, pages=0),
    lambda rng, known, mix: CounterOp(CounterVerb.READ, item=Item.ISOLATED, where=_NOWHERE),
    lambda rng, known, mix: CounterOp(CounterVerb.READ, item=Item.ISOLATED, where=ALL),
    lambda rng, known, mix: CounterOp(_turned(known)),
)
"""Requests of which some part is wrong, at least most of the time."""
