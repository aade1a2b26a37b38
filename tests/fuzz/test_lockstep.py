"""The comparison at the heart: what it must pass, and what it must not."""

from random import Random

import pytest
from tests.fuzz.material import FAULTS, NO_MERGE, SMALL, Fault, failure, planted
from tests.target.allocators import Called

from pagefuzz import lockstep as module
from pagefuzz.campaign.walk import FUZZED_ERAS, random_machine, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.events import Kind
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.types import FAULT, NO_MEMORY, Order, Pfn
from pagespec.verbs import Op, Verb

LEVELS: tuple[Level, ...] = ("outside", "refines", "exact")


class Raises(Called):
    """Fails to answer every free."""

    def free(self, pfn: Pfn, order: Order) -> None:
        raise KeyError(pfn)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("factory", [Spec, TwinFactory()], ids=["spec", "twin"])
def test_right_allocators_pass(factory: Factory, level: Level) -> None:
    """Neither the spec nor the twin breaks a law, in any era, at any level."""
    for seed, era in enumerate(FUZZED_ERAS):
        rng = Random(seed)
        lockstep = Lockstep(random_machine(rng, era), factory, level)
        walk(lockstep, rng, 40)
        assert lockstep.level == level


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.law)
def test_a_fault_breaks_the_law_that_names_it(fault: Fault) -> None:
    """A planted fault breaks the law about what it spoils, not just any."""
    assert failure(planted(fault)).expect == fault.law


def test_what_hides_inside_shows_outside_too() -> None:
    """Blocks that no longer merge are found by alloc and free alone."""
    assert failure(planted(NO_MERGE), "outside").expect == "OUT-return"


def test_the_level_is_no_stricter_than_the_target() -> None:
    """An allocator that shows nothing is judged from outside, whatever was asked."""

    class Mute(Spec):
        # No method at all, which is how a target says that it shows nothing.
        state = None  # type: ignore[assignment]

    assert Lockstep(SMALL, Mute, "exact").level == "outside"


def test_the_request_that_broke_is_on_record() -> None:
    """The last request done is the one that broke the law, with what came of it and why."""
    lockstep = Lockstep(SMALL, Raises)
    pfn = lockstep.step(Op(Verb.ALLOC, 1))
    with pytest.raises(LawBroken, match="OUT-fault") as caught:
        lockstep.step(Op(Verb.FREE, 1, pfn))

    assert lockstep.done[-1] == (Op(Verb.FREE, 1, pfn), FAULT)
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_allocator_that_cannot_be_made_is_a_finding() -> None:
    """A fault at boot is a broken law, not a crash of the harness."""

    def broken(machine: Machine) -> Spec:
        raise ZeroDivisionError

    with pytest.raises(LawBroken, match="OUT-fault"):
        Lockstep(SMALL, broken)


def test_everything_is_given_back_in_the_end() -> None:
    """After the end the largest block has been had again, however the blocks were held."""
    lockstep = Lockstep(SMALL, Spec)
    pfn = lockstep.step(Op(Verb.ALLOC, 2, compound=True))
    lockstep.step(Op(Verb.GET, 0, pfn))
    lockstep.step(Op(Verb.ALLOC, 0))
    lockstep.finish()

    assert lockstep.reached[Kind.ALLOC, SMALL.top] == 1
    assert lockstep.done[-SMALL.top - 1][0] == Op(Verb.ALLOC, SMALL.top)


def test_stamps_judge_the_spec_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spec and a twin that err alike are caught by the oracle that shares no code with them."""
    monkeypatch.setattr(module, "foretell", lambda stamps, op, log: NO_MEMORY)
    lockstep = Lockstep(SMALL, TwinFactory())

    with pytest.raises(LawBroken, match="SPEC-stamps"):
        lockstep.step(Op(Verb.ALLOC, 0))
    assert lockstep.done[-1][1] != NO_MEMORY
