"""Serving one request to the counters: its steps, and what comes of it as a number."""

from collections.abc import Callable

from pagespec.frames import SIZES
from pagespec.machine import MAX_PAGES
from pagespec.steps import Step, Steps, run
from pagespec.types import (
    MAX_TOP,
    BadCpu,
    BadNode,
    BadOrder,
    BadRange,
    Block,
    CpuBusy,
    NoCounter,
    NoUpdate,
    Order,
    Refused,
    UnsupportedRequest,
)
from pagespec.verbs import Outcome
from pagespec.vmstat import retune
from pagespec.vmstat.count import count
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import NUMA_ITEMS
from pagespec.vmstat.reads import in_truth, is_above, read, read_total
from pagespec.vmstat.refresh import refresh, refresh_zones
from pagespec.vmstat.update import Lean, begin, change, land
from pagespec.vmstat.verbs import ALL, MOST_TIMES, CounterOp, CounterVerb

LEAN: dict[CounterVerb, Lean] = {CounterVerb.MOD: 0, CounterVerb.INC: 1, CounterVerb.DEC: -1}
"""What kind of change each verb makes."""


def refusal(error: type[Refused], subject: str) -> Refused:
    """The error to raise: counters have no block to speak of."""
    return error(Block(0, 0), subject)


def check_cpu(counters: Counters, cpu: int) -> None:
    """Refuse a CPU that does not run, and one that holds an update up with interrupts off."""
    if cpu not in counters.running:
        raise refusal(BadCpu, f"cpu {cpu}")
    if any(update.cpu == cpu and update.left is not None for update in counters.updates):
        raise refusal(CpuBusy, f"cpu {cpu}")


def place_of(counters: Counters, op: CounterOp) -> int:
    """The number of the counter that the request names."""
    for number, place in enumerate(counters.places):
        if place.item is op.item and place.where == op.where:
            return number
    raise refusal(NoCounter, f"{op.item.value} of {op.where}")


def zone_of(counters: Counters, zone: int) -> int:
    """The zone of that number."""
    if not 0 <= zone < len(counters.machine.zones):
        raise refusal(NoCounter, f"zone {zone}")
    return zone


def node_of(counters: Counters, node: int) -> int:
    """The node of that number."""
    if node not in counters.machine.nodes:
        raise refusal(BadNode, f"node {node}")
    return node


def check_amount(name: str, amount: int, least: int, most: int) -> None:
    """Refuse an amount out of its range."""
    if not least <= amount <= most:
        raise refusal(BadRange, f"{name}={amount}")


def _change(counters: Counters, op: CounterOp) -> Steps[None]:
    check_cpu(counters, op.cpu)
    place = place_of(counters, op)
    if op.item in NUMA_ITEMS:
        raise refusal(UnsupportedRequest, f"{op.verb.value} {op.item.value}")
    lean = LEAN[op.verb]
    check_amount("by", op.by, -(2**31), 2**31 - 1)
    check_amount("times", op.times, 1, 1 if op.open or lean == 0 else MOST_TIMES)
    delta = lean or op.by
    if op.open:
        update = begin(counters, op.cpu, place, delta, lean, irqs_on=op.irqs_on)
        counters.updates += [] if update is None else [update]
        return
    if not op.irqs_on:
        yield Step.IRQS_OFF
    done = 0
    while done < op.times:
        yield from change(counters, place, delta, lean, irqs_on=op.irqs_on)
        done += 1
    if not op.irqs_on:
        yield Step.IRQS_ON


def _land(counters: Counters, op: CounterOp) -> Steps[None]:
    if not 0 <= op.number < len(counters.updates):
        raise refusal(NoUpdate, f"update {op.number}")
    land(counters, op.number)
    yield from iter(())


def _refresh(counters: Counters, op: CounterOp) -> Steps[int]:
    check_cpu(counters, op.cpu)
    if op.open:
        before = counters.told_times
        counters.updates += refresh_zones(counters, op.cpu)
        return counters.told_times - before
    told = yield from refresh(counters, op.cpu)
    return told


def _unplug(counters: Counters, op: CounterOp) -> Steps[None]:
    check_cpu(counters, op.cpu)
    if len(counters.running) == 1:
        raise refusal(BadCpu, f"cpu {op.cpu}")
    yield from retune.unplug(counters, op.cpu)


def _plug(counters: Counters, op: CounterOp) -> Steps[None]:
    if not 0 <= op.cpu < len(counters.machine.cpus) or op.cpu in counters.running:
        raise refusal(BadCpu, f"cpu {op.cpu}")
    retune.plug(counters, op.cpu)
    yield from iter(())


def _wake(counters: Counters, op: CounterOp) -> Steps[None]:
    retune.wake(counters, node_of(counters, op.where))
    yield from iter(())


def _rest(counters: Counters, op: CounterOp) -> Steps[None]:
    retune.rest(counters, node_of(counters, op.where))
    yield from iter(())


def _min_free(counters: Counters, op: CounterOp) -> Steps[None]:
    check_amount("kbytes", op.pages, 0, 2**32 - 1)
    retune.change_min_free(counters, op.pages)
    yield from iter(())


def _resize(counters: Counters, op: CounterOp) -> Steps[None]:
    zone = zone_of(counters, op.where)
    check_amount("pages", op.pages, 1, MAX_PAGES)
    retune.resize(counters, zone, op.pages, silent=op.silent)
    yield from iter(())


def _read(counters: Counters, op: CounterOp) -> Steps[int]:
    yield from iter(())
    if op.where != ALL:
        return read(counters, place_of(counters, op), close=op.close)
    if op.item not in counters.totals:
        raise refusal(NoCounter, op.item.value)
    return read_total(counters, op.item)


def _check(counters: Counters, op: CounterOp) -> Steps[int]:
    yield from iter(())
    zone = zone_of(counters, op.where)
    check_order(op.order)
    return int(is_above(counters, zone, op.level, op.order, reclaim=op.reclaim))


def _take(counters: Counters, op: CounterOp) -> Steps[int]:
    """A request for a block, where the zone has one and is thought to keep above its mark."""
    check_cpu(counters, op.cpu)
    zone = zone_of(counters, op.where)
    check_order(op.order)
    pages = SIZES[op.order]
    if in_truth(counters, zone) < pages:
        return 0
    if not is_above(counters, zone, op.level, op.order, reclaim=False):
        return 0
    yield Step.IRQS_OFF
    yield from change(counters, zone, -pages)
    yield Step.IRQS_ON
    return 1


def check_order(order: Order) -> None:
    """Refuse an order that no zone has."""
    if not 0 <= order <= MAX_TOP:
        raise refusal(BadOrder, f"order {order}")


def _count(counters: Counters, op: CounterOp) -> Steps[None]:
    check_cpu(counters, op.cpu)
    preferred, zone = zone_of(counters, op.preferred), zone_of(counters, op.where)
    check_amount("times", op.times, 1, MOST_TIMES)
    yield from count(
        counters, preferred, zone, op.times, interleave=op.interleave, irqs_on=op.irqs_on
    )


def _numa(counters: Counters, op: CounterOp) -> Steps[None]:
    on = op.verb is CounterVerb.NUMA_ON
    if not counters.machine.design.switch or counters.numa_on is on:
        raise refusal(UnsupportedRequest, op.verb.value)
    retune.set_numa(counters, on=on)
    yield from iter(())


COUNTER_STEPS: dict[CounterVerb, Callable[[Counters, CounterOp], Steps[None] | Steps[int]]] = {
    CounterVerb.MOD: _change,
    CounterVerb.INC: _change,
    CounterVerb.DEC: _change,
    CounterVerb.LAND: _land,
    CounterVerb.REFRESH: _refresh,
    CounterVerb.UNPLUG: _unplug,
    CounterVerb.PLUG: _plug,
    CounterVerb.WAKE: _wake,
    CounterVerb.REST: _rest,
    CounterVerb.MIN_FREE: _min_free,
    CounterVerb.RESIZE: _resize,
    CounterVerb.READ: _read,
    CounterVerb.CHECK: _check,
    CounterVerb.TAKE: _take,
    CounterVerb.COUNT: _count,
    CounterVerb.NUMA_OFF: _numa,
    CounterVerb.NUMA_ON: _numa,
}
"""The steps of each request."""


def perform(counters: Counters, op: CounterOp) -> Outcome:
    """Serve the request with nothing in between; a refusal becomes its code.

    REFRESH answers how many cells had something, READ a number, CHECK and TAKE 1 for yes.
    """
    counters.on_cpu = op.cpu
    try:
        got: int | None = run(COUNTER_STEPS[op.verb](counters, op))
    except Refused as refused:
        return refused.refusal
    return 0 if got is None else got
