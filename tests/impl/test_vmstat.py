"""The counters' twin answers as the spec does, and holds the same state after every request."""

from random import Random

import numpy as np
import pytest
from tests.impl.counter_requests import DESIGNS, HUGE, LEVELS, any_op, machine_of, op_for

from pageimpl.vmstat.refine import counters_of
from pageimpl.vmstat.state import in_lists_of
from pageimpl.vmstat.twin import CounterTwin, perform_all
from pageimpl.vmstat.verbs import op_of, rows_of
from pagespec.era import ERAS, Era
from pagespec.machine import MAX_PAGES
from pagespec.types import Refusal
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.machine import (
    MAX_ZONES,
    ZONE_ITEMS,
    CountedZone,
    CounterMachine,
    Item,
)
from pagespec.vmstat.numa import NUMA_DESIGNS
from pagespec.vmstat.ops import perform
from pagespec.vmstat.reads import in_truth
from pagespec.vmstat.verbs import MOST_TIMES, CounterOp, CounterVerb

FORMS = pytest.mark.parametrize("jit", [False, True], ids=["plain", "compiled"])


def lockstep(machine: CounterMachine, rng: Random, jit: bool, count: int) -> set[CounterVerb]:
    """Compare outcome and state after each request; what is refused changes not a byte.

    Returns the verbs that were served.
    """
    counters, twin, served = boot_counters(machine), CounterTwin(machine, jit=jit), set()
    assert counters == counters_of(twin)
    for _ in range(count):
        op, before = op_for(counters, rng), twin.memory.array.copy()
        outcome = twin.perform(op)
        assert (op, outcome) == (op, perform(counters, op))
        assert counters == counters_of(twin), op
        for zone in range(len(machine.zones)):
            assert in_lists_of(twin.memory, zone) == in_truth(counters, zone)
        if outcome <= max(Refusal):
            assert np.array_equal(before, twin.memory.array[: len(before)])
        else:
            served.add(op.verb)
    return served


@pytest.mark.parametrize("era", ERAS.values(), ids=lambda era: era.name)
@FORMS
def test_every_era_and_design(era: Era, jit: bool) -> None:
    """On a few machines of each era and NUMA design, request by request, in both forms."""
    served = set()
    for numa in NUMA_DESIGNS:
        for seed in range(4):
            rng = Random(f"{era.name} {numa} {seed} {jit}")
            served |= lockstep(machine_of(era, numa, rng), rng, jit, 100)

    assert served == set(CounterVerb)


def test_two_forms_are_one_twin() -> None:
    """After each request both memories hold the same bytes."""
    for era, numa in DESIGNS[::3]:
        rng = Random(f"bytes {era.name} {numa}")
        machine = machine_of(era, numa, rng)
        counters = boot_counters(machine)
        plain, compiled = CounterTwin(machine, jit=False), CounterTwin(machine)
        for _ in range(150):
            op = op_for(counters, rng)
            assert perform(counters, op) == plain.perform(op) == compiled.perform(op)
            assert np.array_equal(plain.memory.array, compiled.memory.array)


@FORMS
def test_batches_are_single_requests(jit: bool) -> None:
    """Rows in one call give the same outcomes and state, also where the table must grow."""
    machine = CounterMachine(
        ERAS["6.1"], (0, 1), (CountedZone(0, 900), CountedZone(1, 40000)), normal=1
    )
    rng = Random(3)
    counters, twin, batch = (
        boot_counters(machine),
        CounterTwin(machine, jit=jit),
        CounterTwin(machine, jit=jit),
    )
    ops = [CounterOp(CounterVerb.MOD, 1, by=by, irqs_on=True, open=True) for by in range(2, 302)]
    ops += [CounterOp(CounterVerb.LAND, number=number) for number in (299, 299, 150, 150, 0, 0)]
    ops += [op_for(counters, rng) for _ in range(2000)]
    rows = rows_of(ops)
    before = rows.copy()

    outcomes = perform_all(batch, rows)

    assert outcomes.tolist() == [perform(counters, op) for op in ops]
    assert outcomes.tolist() == [twin.perform(op) for op in ops]
    assert counters == counters_of(twin) == counters_of(batch)
    assert len(counters.updates) > 250
    assert np.array_equal(before, rows)
    assert perform_all(batch, rows_of([])).tolist() == []


def test_rows_tell_the_request() -> None:
    """A request becomes a row and a request again, as far as the spec reads it."""
    rng = Random(4)
    for era, numa in DESIGNS[::5]:
        machine = machine_of(era, numa, rng)
        first, second = boot_counters(machine), boot_counters(machine)
        ops = [any_op(machine, rng) for _ in range(200)]
        for op, row in zip(ops, rows_of(ops).tolist(), strict=True):
            told, result = op_of(row)
            assert (told.verb, result) == (op.verb, 0)
            assert perform(first, op) == perform(second, told)
            assert first == second


@pytest.mark.parametrize("verb", CounterVerb)
@FORMS
def test_numbers_beyond_machine_words(verb: CounterVerb, jit: bool) -> None:
    """Numbers of any size are refused as the spec refuses them, each in every place."""
    machine = CounterMachine(ERAS["6.1"], (0, 0), (CountedZone(0, 900),), numa="u16")
    counters, twin = boot_counters(machine), CounterTwin(machine, jit=jit)
    words = ("cpu", "where", "by", "times", "number", "order", "preferred", "pages")
    plain = CounterOp(verb, pages=900)
    bounds = (MOST_TIMES + 1, MAX_PAGES, MAX_PAGES + 1, 2**32 - 1, 2**32)
    for word in words:
        for huge in (*HUGE, *bounds, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**64):
            # The fields of a request have several types, and a dict has one.
            op = plain._replace(**{word: huge})  # type: ignore[arg-type]
            assert (op, perform(counters, op)) == (op, twin.perform(op))
            assert counters == counters_of(twin)


@pytest.mark.parametrize("name", ["2.6.37", "2.6.39", "6.1"])
@FORMS
def test_only_below_the_drift_mark_does_anybody_look_closely(name: str, jit: bool) -> None:
    """Around the mark, where four CPUs keep back all that keeps the zone above its high mark."""
    machine = CounterMachine(ERAS[name], (0,) * 4, (CountedZone(0, 4000),), min_free=40, normal=5)
    for beyond in (-1, 0, 1):
        counters, twin = boot_counters(machine), CounterTwin(machine, jit=jit)
        wanted = counters.drift_marks[0] + beyond
        assert counters.drift_marks[0] == counters.marks[0].high + 4 * 5
        ops = [CounterOp(CounterVerb.MOD, by=wanted - 4000)]
        ops += [CounterOp(CounterVerb.MOD, cpu, by=-5) for cpu in range(4)]
        asked = [
            CounterOp(CounterVerb.CHECK, level=level, reclaim=reclaim)
            for level in LEVELS
            for reclaim in (False, True)
        ]
        ops += [*asked, CounterOp(CounterVerb.WAKE), *asked, CounterOp(CounterVerb.REST), *asked]
        outcomes = [twin.perform(op) for op in ops]

        assert outcomes == [perform(counters, op) for op in ops]
        assert counters_of(twin).told[0] == wanted
        high = outcomes[-2:] if name != "2.6.37" else outcomes[-9:-7]
        assert high == [1 if name != "2.6.37" or beyond >= 0 else 0, int(beyond >= 0)]


@FORMS
def test_the_largest_machine(jit: bool) -> None:
    """1,024 CPUs and 256 zones of the widest cells: the first and last of each count apart."""
    zones = tuple(CountedZone(number % 64, 2**24) for number in range(MAX_ZONES))
    machine = CounterMachine(ERAS["6.1"], tuple(n % 64 for n in range(1024)), zones, numa="events")
    counters, twin = boot_counters(machine), CounterTwin(machine, jit=jit)
    places = [(item, where) for item in ZONE_ITEMS for where in (0, 255)] + [(Item.ISOLATED, 63)]
    ops = [
        CounterOp(verb, cpu, item, where, times=3 if verb is not CounterVerb.MOD else 1, by=-7)
        for cpu in (0, 1, 1023)
        for verb in (CounterVerb.MOD, CounterVerb.INC, CounterVerb.DEC)
        for item, where in places
    ]
    ops += [CounterOp(CounterVerb.COUNT, 1023, preferred=0, where=255, times=5)]
    ops += [CounterOp(CounterVerb.UNPLUG, 1023), CounterOp(CounterVerb.READ, item=Item.HIT)]
    ops += [CounterOp(CounterVerb.READ, item=item, where=at, close=True) for item, at in places]
    for op in ops:
        assert (op, perform(counters, op)) == (op, twin.perform(op))
    assert counters == counters_of(twin)
    assert counters.thresholds == [125] * MAX_ZONES
