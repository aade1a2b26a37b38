"""Counters in lockstep: spec and twin keep every law on random machines, and faults are named."""

from dataclasses import replace

import pytest
from tests.fuzz.counters import (
    NAMES,
    LosesOnUnplug,
    NeverBusy,
    Raises,
    ReadsCheaply,
    TellsTwice,
    failure,
    walked,
)

from pagefuzz.counters.record import counter_trace_of
from pagefuzz.counters.replay import replay_counters
from pagefuzz.counters.shrink import counter_size_of, shrink_counters
from pagefuzz.counters.target import CounterFactory, SpecCounters
from pagefuzz.counters.twin import TwinCounterFactory
from pagespec.era import ERAS
from pagespec.host_trace import any_text_of, parse_any
from pagespec.laws.law import LawBroken
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.trace import CounterTrace, counter_text_of
from pagespec.vmstat.trace_reader import parse_counters


@pytest.mark.parametrize("era", NAMES)
@pytest.mark.parametrize("factory", [SpecCounters, TwinCounterFactory()], ids=["spec", "twin"])
def test_right_counters_keep_every_law(factory: CounterFactory, era: str) -> None:
    """Of every era, on machines with other CPUs, zones and designs each time."""
    done = [walked(f"{era} {number}", factory, era) for number in range(2)]

    assert len({each.machine for each in done}) == 2
    assert all(len(each.done) > 150 for each in done)
    assert all(each.seen.updates == [] for each in done)


def test_a_seed_gives_the_same_requests() -> None:
    """Also the same machine, the same answers and the same events."""
    first, second = walked("same"), walked("same")

    assert first.machine == second.machine
    assert first.done == second.done
    assert first.reached == second.reached
    assert first.done != walked("other").done


def test_whatever_a_walk_asks_can_be_written_and_read() -> None:
    """Strange numbers included: a finding that does not replay would be none."""
    broken = LawBroken("VM-conserve", "made up")
    for number in range(20):
        lockstep = walked(f"text {number}")
        trace = counter_trace_of(lockstep.machine, lockstep.done, broken)
        assert parse_any(any_text_of(trace)) == trace


FAULTS: list[tuple[type[SpecCounters], str, str, int]] = [
    (LosesOnUnplug, "VM-conserve", "2.6.37", 2),
    (TellsTwice, "VM-conserve", "6.1", 2),
    (NeverBusy, "VM-refused", "6.12", 3),
    (ReadsCheaply, "VM-sound", "2.6.39", 3),
    (Raises, "OUT-fault", "5.15", 1),
]


@pytest.mark.parametrize(("fault", "law", "era", "requests"), FAULTS)
def test_faults_are_named_and_shrink(
    fault: type[SpecCounters], law: str, era: str, requests: int
) -> None:
    """To a short trace on a small machine, which breaks the same law again."""
    found = failure(fault, era)
    small = shrink_counters(found, fault)

    assert found.expect == small.expect == law
    assert len(small.requests) <= requests
    assert counter_size_of(small) < counter_size_of(found)
    again = replay_counters(parse_counters(counter_text_of(small)), fault)
    assert again.broken is not None
    assert again.broken.law_id == law
    assert replay_counters(small, SpecCounters).broken is None


def test_shrinking_gives_the_same_bytes() -> None:
    """What it costs is counted, never timed."""
    found = failure(TellsTwice, "6.1")

    assert shrink_counters(found, TellsTwice) == shrink_counters(found, TellsTwice)


def test_shrinking_leaves_no_cpu_zone_or_number_too_many() -> None:
    """By hand: one CPU and one zone are enough, since cells are read out at the end of a run."""
    machine = CounterMachine(
        ERAS["6.1"],
        cpus=(0, 0, 1, 1),
        zones=(CountedZone(0, 500), CountedZone(1, 500), CountedZone(1, 9000)),
        min_free=400,
        normal=4,
        pressure=1,
    )
    text = counter_text_of(CounterTrace(machine, ())) + (
        "inc free zone=0 cpu=1 times=3\n"
        "dec cma zone=2 cpu=3\n"
        "count zone=2 preferred=1 cpu=3 times=4\n"
        "wake node=1\n"
        "refresh cpu=1\n"
        "refresh cpu=3\n"
    )
    small = shrink_counters(parse_counters(text), TellsTwice)

    assert counter_text_of(replace(small, comments=())) == (
        "pagefuzz-trace 1\n"
        "counters era=6.1 cpus=0\n"
        "zone node=0 pages=1\n"
        "inc free zone=0\n"
        "expect VM-conserve\n"
    )


def test_a_trace_that_breaks_no_law_is_not_shrunk() -> None:
    """There is nothing to keep."""
    machine = CounterMachine(ERAS["6.1"], (0,), (CountedZone(0, 500),))

    with pytest.raises(ValueError, match="breaks no law"):
        shrink_counters(CounterTrace(machine, ()), SpecCounters)


class WrongAtBoot(SpecCounters):
    """Boot forgets the last zone's frames."""

    def __init__(self, machine: CounterMachine) -> None:
        super().__init__(machine)
        self.counters.told[len(machine.zones) - 1] = 0


class Unreadable(SpecCounters):
    """Its memory cannot be read."""

    def state(self) -> Counters:
        """See `CounterTarget`."""
        raise KeyError("stage 7")


@pytest.mark.parametrize(
    ("fault", "law", "step"), [(WrongAtBoot, "VM-conserve", 1), (Unreadable, "OUT-fault", 0)]
)
def test_what_is_wrong_before_the_first_request_is_a_finding(
    fault: type[SpecCounters], law: str, step: int
) -> None:
    """Its trace has no request: the refresh at the end shows it, if the state can be read."""
    machine = CounterMachine(ERAS["6.1"], (0,), (CountedZone(0, 500),))
    verdict = replay_counters(CounterTrace(machine, ()), fault)

    assert verdict.step == step
    assert verdict.broken is not None
    assert verdict.broken.law_id == law
