"""Allocators as sides: what one of them does wrong is named by the law that it breaks."""

import pytest

from pagefuzz.diff.parting import Group, Parting
from pagefuzz.diff.search import Found, search
from pagefuzz.diff.target_side import TargetSide
from pagefuzz.errors import UsageError
from pagefuzz.target.builtin import Spec
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone

SMALL = Machine(pages=4, top=2, era=ERAS["6.1"], pageblock=1)


class Forgetful(Spec):
    """Answers a free of a single frame and forgets it."""

    def serve(self, op: Op) -> Outcome:
        return 0 if op.verb is Verb.FREE and op.order == 0 else super().serve(op)


class Crashing(Spec):
    """Answers no free."""

    def serve(self, op: Op) -> Outcome:
        if op.verb is Verb.FREE:
            raise RuntimeError("free")
        return super().serve(op)


class Miscounting(Spec):
    """Counts a free block for each that is held."""

    def state(self) -> Zone:
        zone = super().state()
        zone.nr_free[0] += len(zone.held)
        return zone


class Unreadable(Spec):
    """Shows nothing that reads as lists."""

    def state(self) -> Zone:
        raise RuntimeError("state")


class Contrary(Spec):
    """Shows lists of two blocks from the other end, and serves from there."""

    def serve(self, op: Op) -> Outcome:
        outcome = super().serve(op)
        for lists in self.zone.free_area:
            for blocks in lists.values():
                if len(blocks) == 2:
                    blocks.move_to_end(next(iter(blocks)))
        return outcome


class Unmade(Spec):
    """Cannot be made."""

    def __init__(self, machine: Machine) -> None:
        raise RuntimeError(str(machine.pages))


def partings(factory: Factory, machine: Machine, bound: int) -> list[Parting]:
    """The first parting of each group, the shortest first."""
    sides = TargetSide("spec", Spec, machine), TargetSide("mine", factory, machine)
    found = Found()
    search(sides, bound, found)
    return sorted(found.first.values(), key=lambda parting: parting.length)


@pytest.mark.parametrize(
    ("factory", "length", "group"),
    [
        (Forgetful, 2, Group("ZONE-frame, broken by mine", "free blocks", Verb.FREE, ("", ""))),
        (Crashing, 2, Group("OUT-fault, broken by mine", "success", Verb.FREE, ("", ""))),
        (Miscounting, 1, Group("BUD-count, broken by mine", "count", Verb.ALLOC, ("", ""))),
        (Unreadable, 0, Group("BUD-links, broken by mine", "free blocks", None, ("", ""))),
    ],
)
def test_a_fault_is_named_by_its_law(factory: Factory, length: int, group: Group) -> None:
    first = partings(factory, SMALL, 2)[0]

    assert (first.length, first.group) == (length, group)


def test_what_no_law_forbids_is_allowed_to_both() -> None:
    """Another order of the lists breaks no law of a state or a step."""
    first = partings(Contrary, Machine(6, 1, ERAS["6.1"], pageblock=1), 1)[0]

    assert first.length == 1
    assert first.group == Group("", "place in a list", Verb.ALLOC, ("", ""))


def test_the_same_allocator_never_parts_from_itself() -> None:
    """Walked anew for every request, it shows the same."""
    assert partings(Spec, SMALL, 2) == []


def test_what_cannot_be_made_is_said_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="target mine: OUT-fault: no allocator was made"):
        TargetSide("mine", Unmade, SMALL)
