"""Bounds of drift on up to 1,024 CPUs: any mix of requests stays within, and their ends are met."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pagespec.era import ERAS
from pagespec.machine import MAX_CPUS
from pagespec.types import Refusal
from pagespec.vmstat.counters import Counters, Stage, boot_counters
from pagespec.vmstat.drift import kept_by_cpus, kept_by_refresh, told_at_once
from pagespec.vmstat.machine import CountedZone, CounterMachine, Item
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp, CounterVerb

SIGNS = {CounterVerb.INC: 1, CounterVerb.DEC: -1}
MANY = st.integers(1, MAX_CPUS) | st.sampled_from((255, 256, MAX_CPUS))
PAGES = st.sampled_from((2**10, 2**18, 2**24))


def machine_of(cpus: int, pages: int, zones: int = 1) -> CounterMachine:
    """CPUs and zones of one node; marks of 0, so that the thresholds may fall to 1."""
    return CounterMachine(
        ERAS["6.1"],
        tuple(0 for _ in range(cpus)),
        tuple(CountedZone(0, pages) for _ in range(zones)),
    )


@st.composite
def requests(draw: st.DrawFn, busy: list[int], threshold: int) -> list[CounterOp]:
    """Changes by few CPUs among many, most of them up to the threshold or just beyond."""
    kinds = draw(st.lists(st.sampled_from("mmmmssssslrwu"), min_size=5, max_size=60))
    cpus, way = st.sampled_from(busy), draw(st.sampled_from((1, -1)))
    return [draw(KINDS[kind](cpus, threshold, way)) for kind in kinds]


@st.composite
def mods(draw: st.DrawFn, cpu: st.SearchStrategy[int], threshold: int, way: int) -> CounterOp:
    """A change by any number of pages, which often fills the cell."""
    by = draw(st.sampled_from((threshold, way * threshold // 2, way, 0)) | st.integers(-260, 260))
    stays_open = draw(st.booleans())
    return CounterOp(
        CounterVerb.MOD, draw(cpu), by=way * abs(by), irqs_on=draw(st.booleans()), open=stays_open
    )


@st.composite
def steps(draw: st.DrawFn, cpu: st.SearchStrategy[int], threshold: int, way: int) -> CounterOp:
    """Increments or decrements, of which only one alone stays open."""
    times = draw(st.sampled_from((1, threshold, threshold + threshold // 2, threshold + 1)))
    stays_open = times == 1 and draw(st.booleans())
    verb = CounterVerb.INC if way == 1 else CounterVerb.DEC
    return CounterOp(verb, draw(cpu), times=times, irqs_on=draw(st.booleans()), open=stays_open)


@st.composite
def landings(
    draw: st.DrawFn, _cpu: st.SearchStrategy[int], _threshold: int, _way: int
) -> CounterOp:
    """One of the oldest updates goes on."""
    return CounterOp(CounterVerb.LAND, number=draw(st.integers(0, 3)))


@st.composite
def refreshes(
    draw: st.DrawFn, cpu: st.SearchStrategy[int], _threshold: int, _way: int
) -> CounterOp:
    """A CPU reads its cells out."""
    return CounterOp(CounterVerb.REFRESH, draw(cpu), open=draw(st.booleans()))


@st.composite
def wakings(draw: st.DrawFn, _cpu: st.SearchStrategy[int], _threshold: int, _way: int) -> CounterOp:
    """Kswapd wakes or rests."""
    return CounterOp(draw(st.sampled_from((CounterVerb.WAKE, CounterVerb.REST))))


@st.composite
def plugs(draw: st.DrawFn, cpu: st.SearchStrategy[int], _threshold: int, _way: int) -> CounterOp:
    """A CPU goes or comes."""
    return CounterOp(draw(st.sampled_from((CounterVerb.UNPLUG, CounterVerb.PLUG))), draw(cpu))


KINDS = {"m": mods, "s": steps, "l": landings, "r": refreshes, "w": wakings, "u": plugs}


def changed_by(op: CounterOp) -> int:
    """By how much the zone changes in truth."""
    return SIGNS[op.verb] * op.times if op.verb in SIGNS else op.by


def off_by(counters: Counters, truth: int) -> tuple[int, int]:
    """By how much the zone and the total are off."""
    return truth - counters.told[0], truth - counters.totals[Item.FREE]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data())
def test_no_mix_of_requests_gets_further(data: st.DataObject) -> None:
    """By the largest threshold that ever was, where a few CPUs count and all others rest."""
    cpus = data.draw(MANY)
    counters = boot_counters(machine_of(cpus, data.draw(PAGES)))
    busy = data.draw(st.lists(st.integers(0, cpus - 1), min_size=1, max_size=8, unique=True))
    truth = counters.told[0]
    largest = counters.thresholds[0]
    sizes: list[int] = []
    for op in data.draw(requests(busy, largest)):
        under_way = len(counters.updates)
        outcome = perform(counters, op)
        if outcome <= max(Refusal):
            continue
        largest = max(largest, counters.thresholds[0])
        truth += changed_by(op)
        if op.verb is CounterVerb.LAND and len(counters.updates) < under_way:
            del sizes[op.number]
        sizes += [abs(changed_by(op))] * (len(counters.updates) - len(sizes))
        rest = kept_by_cpus([largest] * len(busy))
        held = [
            kept_by_refresh([largest])
            if size == 0 and update.stage is Stage.TOTAL
            else told_at_once(largest, size)
            for size, update in zip(sizes, counters.updates, strict=True)
        ]
        of_zone, of_total = off_by(counters, truth)

        assert rest.least - sum(held) <= of_zone <= rest.most + sum(held)
        assert rest.least - sum(held) <= of_total <= rest.most + sum(held)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(MANY, PAGES, st.booleans())
def test_many_cpus_reach_the_ends(cpus: int, pages: int, up: bool) -> None:
    """At rest, then with an update under way on each CPU, then with a refresh on each."""
    counters = boot_counters(machine_of(cpus, pages))
    sign, verb = (1, CounterVerb.INC) if up else (-1, CounterVerb.DEC)
    threshold = counters.thresholds[0]
    fill = CounterOp(CounterVerb.MOD, by=sign * threshold)
    ends = kept_by_cpus([threshold] * cpus)
    truth = counters.told[0]
    for cpu in range(cpus):
        perform(counters, fill._replace(cpu=cpu))
        truth += sign * threshold
    assert off_by(counters, truth)[0] == (ends.most if up else ends.least)

    for cpu in range(cpus):
        perform(counters, CounterOp(verb, cpu, irqs_on=True, open=True))
        perform(counters, CounterOp(CounterVerb.MOD, cpu, by=sign * (threshold + threshold // 2)))
        truth += sign * (1 + threshold + threshold // 2)
    held = cpus * told_at_once(threshold, 1)
    assert off_by(counters, truth)[0] == sign * (ends.most + held)

    for cpu in range(cpus):
        perform(counters, CounterOp(CounterVerb.REFRESH, cpu, open=True))
        perform(counters, fill._replace(cpu=cpu))
        truth += sign * threshold
    refreshes = cpus * kept_by_refresh([threshold])
    assert off_by(counters, truth)[1] == sign * (ends.most + held + refreshes)
