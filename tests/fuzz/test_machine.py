"""The buddy as a Hypothesis machine: it finds, it shrinks, it takes what an allocator offers."""

from collections import Counter

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st
from tests.fuzz.material import COUNT_OFF, NO_DOUBLE, NO_MERGE, Fault, planted
from tests.fuzz.targets import Least, Modern

from pagefuzz.lockstep import Lockstep
from pagefuzz.machines.buddy import Ledger, buddy_machine, run_machine
from pagefuzz.machines.strategies import machines
from pagefuzz.replay import replay
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.trace import Trace, text_of
from pagespec.types import DomainError
from pagespec.verbs import Op, Outcome, Verb

ERA = ERAS["6.1"]


def run_small(
    factory: Factory, level: Level = "exact", *, examples: int = 40, shrink: bool = True
) -> tuple[Ledger, list[Trace]]:
    """What the machine counted and found, with one seed."""
    found: list[Trace] = []
    ledger = Ledger(factory, level, found.append)
    try:
        run_machine(ledger, [ERA], 3, examples=examples, steps=30, shrink=shrink)
    except LawBroken:
        assert found
    else:
        assert not found
    return ledger, found


@pytest.mark.parametrize("fault", [NO_MERGE, COUNT_OFF, NO_DOUBLE], ids=lambda fault: fault.law)
def test_faults_are_found_and_shrunk(fault: Fault) -> None:
    """Hypothesis ends with a trace of a few requests that breaks the fault's law."""
    twin = planted(fault)
    _, found = run_small(twin)
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
    machine.boot(machine=Machine(16, 3, ERA))  # type: ignore[attr-defined]
    machine.burst(bursts=bytes([0, 4, 6, 7, 200, 201, 0]))  # type: ignore[attr-defined]
    machine.teardown()

    done = [op for op, _ in machine.lockstep.done][:7]  # type: ignore[attr-defined]
    assert [op.verb for op in done] == [Verb.ALLOC] * 4 + [Verb.FREE] * 2 + [Verb.ALLOC]
    assert [op.order for op in done[:4]] == [0, 1, 2, 3]
    assert ledger.operations > 7


@settings(max_examples=200, database=None)
@given(machine=machines([ERA], st.integers(1, 80)))
def test_machines_are_as_long_as_drawn(machine: Machine) -> None:
    """Holes lie in the zone and do not change its length; every description is in the domain."""
    assert 1 <= machine.pages <= 80


@pytest.mark.parametrize("holes", [0, 1, 3])
def test_machines_with_holes_are_drawn(holes: int) -> None:
    """Zones without and with several holes, whole and long, can all come up."""
    machine = find(
        machines([ERA], st.just(64)),
        lambda machine: len(machine.holes) == holes,
        settings=settings(database=None),
    )

    assert machine.pages == 64
