"""The buddy as a Hypothesis machine: it finds, it shrinks, it takes what an allocator offers."""

from collections import Counter

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from tests.fuzz.material import COUNT_OFF, NO_DOUBLE, NO_MERGE, Fault, planted
from tests.fuzz.targets import Least, Modern

from pagefuzz.campaign.floor import floor_of
from pagefuzz.campaign.walk import BEHAVIOURS, FUZZED_ERAS
from pagefuzz.coverage import OF_LISTS
from pagefuzz.lockstep import Lockstep
from pagefuzz.machines.buddy import buddy_machine
from pagefuzz.machines.judged import Ledger
from pagefuzz.machines.lists import list_machine
from pagefuzz.machines.running import run_machine
from pagefuzz.machines.strategies import machines, small_listed
from pagefuzz.replay import replay
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, MigrateType
from pagespec.trace import Trace, text_of
from pagespec.types import DomainError, Refusal
from pagespec.verbs import Op, Outcome, Verb

ERA = ERAS["6.1"]


def run_small(
    factory: Factory,
    level: Level = "exact",
    *,
    era: Era = ERA,
    examples: int = 40,
    shrink: bool = True,
) -> tuple[Ledger, list[Trace]]:
    """What the machine counted and found, with one seed."""
    found: list[Trace] = []
    ledger = Ledger(factory, level, found.append)
    try:
        run_machine(ledger, [era], 3, examples=examples, steps=30, shrink=shrink)
    except LawBroken:
        assert found
    else:
        assert not found
    return ledger, found


@pytest.mark.parametrize("fault", [NO_MERGE, COUNT_OFF, NO_DOUBLE], ids=lambda fault: fault.law)
def test_faults_are_found_and_shrunk(fault: Fault) -> None:
    """Hypothesis ends with a trace of a few requests that breaks the fault's law."""
    twin = planted(fault)
    # Without pageblocks there is less to shrink, and the faults are the same.
    _, found = run_small(twin, era=ERAS["2.6.11"])
    verdict = replay(found[-1], twin)

    assert verdict.broken is not None
    assert verdict.broken.law_id == found[-1].expect == fault.law
    assert len(found[-1].requests) <= 8


def test_one_seed_is_one_run() -> None:
    """The same seed draws the same examples, to the last byte of what they find."""
    twin = planted(NO_MERGE)
    runs = [run_small(twin, shrink=False) for _ in range(2)]

    assert [text_of(trace) for trace in runs[0][1]] == [text_of(trace) for trace in runs[1][1]]
    assert runs[0][0].reached == runs[1][0].reached


def test_right_allocators_pass() -> None:
    """Neither a twin nor one that offers the least breaks a law."""
    factories: tuple[Factory, ...] = (TwinFactory(), Least)
    for factory in factories:
        ledger, _ = run_small(factory, examples=8, shrink=False)
        assert ledger.operations > 100


def test_what_is_not_offered_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """An allocator without references is never asked for one."""
    asked: Counter[Verb] = Counter()
    step = Lockstep.step

    def counted(lockstep: Lockstep, op: Op) -> Outcome:
        asked[op.verb] += 1
        return step(lockstep, op)

    monkeypatch.setattr(Lockstep, "step", counted)
    run_small(Least, examples=20, shrink=False)

    assert set(asked) == {Verb.ALLOC, Verb.FREE}


def test_machines_may_be_declined() -> None:
    """An allocator that takes some machines is tried on those, and its refusal is no finding."""
    taken: Counter[bool] = Counter()

    def counting(machine: Machine) -> Modern:
        try:
            made = Modern(machine)
        except DomainError:
            taken[False] += 1
            raise
        taken[True] += 1
        return made

    ledger, _ = run_small(counting, examples=20, shrink=False)

    assert taken[True] > 5
    assert taken[False] > 5
    assert ledger.operations > 100


@pytest.mark.parametrize("level", ["outside", "exact"])
def test_a_burst_is_many_requests_in_one_step(level: Level) -> None:
    """Each byte of a burst is a request: an allocation, or a free of what is held."""
    ledger = Ledger(Spec, level, found=lambda trace: None)
    machine = buddy_machine(ledger, [ERA], st.just(16))()
    machine.begin(Machine(16, 3, ERA))
    machine.burst(bursts=bytes([0, 4, 6, 7, 200, 201, 0]), who=0)
    machine.teardown()

    assert machine.lockstep is not None
    done = [op for op, _ in machine.lockstep.done][:7]
    assert [op.verb for op in done] == [Verb.ALLOC] * 4 + [Verb.FREE] * 2 + [Verb.ALLOC]
    assert [op.order for op in done[:4]] == [0, 1, 2, 3]
    assert ledger.operations > 7


def test_every_verb_is_asked_and_served() -> None:
    """Some examples ask for all that there is, on CPUs and places alike, and break no law."""
    ledger = Ledger(Spec, "exact", found=lambda trace: None)
    run_machine(ledger, [ERAS["6.12"]], 5, examples=100, shrink=False)

    assert {verb for verb, _ in ledger.reached if isinstance(verb, Verb)} == set(Verb)


@pytest.mark.parametrize("eras", BEHAVIOURS, ids=lambda eras: eras[0].name)
def test_lists_alone_are_refilled_and_drained_at_each_order(eras: tuple[Era, ...]) -> None:
    """A few examples of CPUs with lists meet all that lists do in the era, and break no law."""
    era = eras[0]
    ledger = Ledger(Spec, "exact", found=lambda trace: None)
    run_machine(ledger, [era], 1, examples=25, shrink=False, make=list_machine)

    events = OF_LISTS | {Kind.BULK, Kind.FILLED, Kind.BARRED, Kind.BELOW_MARK, Kind.KSWAPD}
    due = {met for met in floor_of(era, "exact", 3, frozenset(Verb)) if met[0] in events}
    assert due <= ledger.reached.keys()


@settings(max_examples=200, database=None, deadline=None)
@given(machine=small_listed(FUZZED_ERAS, st.integers(16, 80)))
def test_machines_for_lists_alone_have_them(machine: Machine) -> None:
    """One to four CPUs, in the domain of every era."""
    assert 1 <= machine.cpus <= 4


def test_an_unplugged_cpu_asks_for_nothing() -> None:
    """What would come from it comes from the next CPU that runs."""
    ledger = Ledger(Spec, "exact", found=lambda trace: None)
    machine = list_machine(ledger, [ERA], st.just(16))()
    machine.begin(Machine(16, 3, ERA, cpus=3))
    machine.on_cpus(verb=Verb.UNPLUG, cpu=2)
    machine.burst(bursts=bytes([0, 200, 0]), who=2)

    assert machine.lockstep is not None
    assert [op.cpu for op, _ in machine.lockstep.done] == [2, 0, 0, 0]
    assert {outcome >= 0 for _, outcome in machine.lockstep.done} == {True}


def test_ranges_are_in_the_state_that_the_verb_expects() -> None:
    """One that is isolated is restored or taken offline, and brought online again from there."""
    ledger = Ledger(Spec, "exact", found=lambda trace: None)
    machine = buddy_machine(ledger, [ERA], st.just(16))()
    machine.begin(Machine(16, 3, ERA, pageblock=2))
    for verb, which in ((Verb.ISOLATE, 2), (Verb.OFFLINE, 0), (Verb.ONLINE, 0), (Verb.RESTORE, 1)):
        machine.change_range(verb=verb, which=which, ranges=1, mt=MOVABLE)

    assert machine.lockstep is not None
    assert [(op.verb, op.pfn, outcome) for op, outcome in machine.lockstep.done] == [
        (Verb.ISOLATE, 8, 0),
        (Verb.OFFLINE, 8, 0),
        (Verb.ONLINE, 8, 0),
        # None is isolated, so one that is not must be refused.
        (Verb.RESTORE, 4, Refusal.NOT_ISOLATED),
    ]


@settings(max_examples=300, database=None, deadline=None)
@given(machine=machines(FUZZED_ERAS, st.integers(1, 80)))
def test_machines_are_as_long_as_drawn(machine: Machine) -> None:
    """Holes lie in the zone and do not change its length; every description is in the domain."""
    assert 1 <= machine.pages <= 80
    assert machine.guard <= (machine.pageblock or 0)


@pytest.mark.parametrize("mt", ERA.types, ids=lambda mt: mt.name)
def test_machines_with_pageblocks_of_every_type_are_drawn(mt: MigrateType) -> None:
    """Each type that the era has can be there from the start, beside another."""
    machine = find(
        machines([ERA], st.just(64)),
        lambda machine: mt in machine.types and len(set(machine.types)) > 1,
        settings=settings(database=None, deadline=None),
    )

    assert machine.pageblock is not None


@pytest.mark.parametrize("holes", [0, 1, 3])
def test_machines_with_holes_are_drawn(holes: int) -> None:
    """Zones without and with several holes, whole and long, can all come up."""
    machine = find(
        machines([ERA], st.just(64)),
        lambda machine: len(machine.holes) == holes,
        settings=settings(database=None),
    )

    assert machine.pages == 64
