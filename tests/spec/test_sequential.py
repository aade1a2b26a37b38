"""The sequential spec under Hypothesis: every law after every request, on any machine."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.strategies import DataObject
from tests.spec.walk import Walk
from tests.strategies import legal_frees, machines, ops

from pagespec.era import ERAS
from pagespec.events import Kind
from pagespec.machine import Machine
from pagespec.verbs import Op, Verb


class Sequential(RuleBasedStateMachine):
    """Requests of any kind, one by one and in bursts."""

    @initialize(machine=machines())
    def boot(self, machine: Machine) -> None:
        self.walk = Walk(machine)

    @rule(data=st.data(), count=st.integers(1, 8))
    def mixed(self, data: DataObject, count: int) -> None:
        for _ in range(count):
            self.walk.step(data.draw(ops(self.walk.zone)))

    @rule(data=st.data(), count=st.integers(2, 12))
    def burst_of_allocs(self, data: DataObject, count: int) -> None:
        top = self.walk.zone.machine.top
        order = data.draw(st.integers(0, min(2, top)) | st.just(top))
        for _ in range(count):
            if self.walk.step(Op(Verb.ALLOC, order)) < 0:
                break

    @precondition(lambda self: len(self.walk.zone.held) > 1)
    @rule(data=st.data(), count=st.integers(2, 12))
    def burst_of_frees(self, data: DataObject, count: int) -> None:
        for _ in range(min(count, len(self.walk.zone.held))):
            self.walk.step(data.draw(legal_frees(self.walk.zone)))

    def teardown(self) -> None:
        if hasattr(self, "walk"):
            self.walk.give_everything_back()


TestSequential = Sequential.TestCase
TestSequential.settings = settings(max_examples=100, stateful_step_count=20)


@pytest.mark.parametrize("era", ERAS)
@given(data=st.data())
@settings(max_examples=25)
def test_everything_out_and_back(era: str, data: DataObject) -> None:
    """A zone that was given out to the last frame is whole again after any order of frees."""
    machine = data.draw(machines(most_pages=40, eras=[era]))
    walk = Walk(machine)
    for order in [*range(min(3, machine.top), -1, -1), 0]:
        while walk.step(Op(Verb.ALLOC, order)) >= 0:
            pass
    for pfn in data.draw(st.permutations(sorted(walk.zone.held))):
        walk.step(Op(Verb.FREE, walk.zone.held[pfn].order, pfn))
    walk.give_everything_back()

    assert walk.zone.held == {}


EVERYWHERE = {
    *(Kind.ALLOC, Kind.FREE, Kind.ZONE_LOCKED, Kind.SPLIT, Kind.MERGE, Kind.HEAD, Kind.TAIL),
    *(Kind.FAIL, Kind.GET, Kind.KEPT, Kind.TAILS, Kind.PIECES, Kind.REFUSE),
}
"""The kinds of events that need no pageblocks, and nothing that only some eras have."""


def test_walks_reach_every_kind_of_event() -> None:
    """The laws above are judged on runs that took every branch: none of it is vacuous."""
    walk = Walk(Machine(pages=13, top=3, era=ERAS["6.1"], start=3))
    pfns = [walk.step(Op(Verb.ALLOC, order)) for order in (1, 0, 0, 3, 2)]
    walk.step(Op(Verb.FREE, 0, pfns[0]))
    for op in (Op(Verb.GET, pfn=pfns[0]), Op(Verb.FREE, 1, pfns[0]), Op(Verb.PUT, pfn=pfns[0])):
        walk.step(op)
    walk.give_everything_back()
    walk.step(Op(Verb.SPLIT, 1, walk.step(Op(Verb.ALLOC, 1))))
    while walk.step(Op(Verb.ALLOC)) >= 0:
        pass
    for pfn in sorted(walk.zone.held):
        walk.step(Op(Verb.FREE, 0, pfn))

    assert walk.reached == EVERYWHERE
