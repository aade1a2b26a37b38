"""An allocator is judged by what it offers and promises, no more and no less."""

import pytest
from tests.target.allocators import (
    ExactLists,
    Lazy,
    LazyForGood,
    LazyInSecret,
    LazyOverlap,
    Lists,
    Trusting,
)
from tests.target.material import SMALL, first_break, machines, walked

from pagefuzz.lockstep import Lockstep
from pagefuzz.target.builtin import Spec
from pagefuzz.target.protocol import Factory
from pagespec.laws.law import Level
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Op, Verb

UNTOLD = {"LIVE-ends", "EVT-order", "EVT-refill", "EVT-drain"}
FIELDS = {"BUD-tag", "BUD-bitmap", "EVT-count", "TWIN-counts"}


@pytest.mark.parametrize(
    ("factory", "level", "unshown"),
    [
        (Spec, "exact", UNTOLD),
        (ExactLists, "exact", UNTOLD | FIELDS | {"BUD-count"}),
        (Lists, "refines", UNTOLD | FIELDS | {"BUD-count"}),
        (Lazy, "outside", UNTOLD | FIELDS | {"BUD-count", "SPLIT-pieces"}),
    ],
)
def test_level_follows_from_what_is_shown(
    factory: Factory, level: Level, unshown: set[str]
) -> None:
    """Lists let the BUD laws judge, and the promise to be exact the order of lists as well."""
    lockstep = Lockstep(SMALL, factory)

    assert lockstep.level == level
    assert set(lockstep.target.unshown) == unshown


@pytest.mark.parametrize("factory", [Spec, Lists, ExactLists, Lazy, Trusting])
def test_a_right_allocator_keeps_the_laws(factory: Factory) -> None:
    """Nothing that is offered or left out makes a correct allocator fail, in any era."""
    for seed, machine in enumerate(machines(60)):
        walked(factory, machine, seed)


@pytest.mark.parametrize(
    ("factory", "laws"),
    [
        (LazyForGood, ["OUT-return"]),
        (LazyInSecret, ["OUT-return"]),
        (LazyOverlap, ["OUT-disjoint", "OUT-inside"]),
    ],
)
def test_a_faulty_lazy_allocator_cannot_hide(factory: Factory, laws: list[str]) -> None:
    """From outside alone it is found, whatever its laziness excuses."""
    assert first_break(factory).law_id in laws


def test_lazy_failure_is_excused_until_all_is_back() -> None:
    """Two free halves stay apart, and the request that needs both fails without a complaint."""
    lockstep = Lockstep(SMALL, Lazy)
    for _ in range(16):
        lockstep.step(Op(Verb.ALLOC, 0))
    lockstep.step(Op(Verb.FREE, 0, 0))
    lockstep.step(Op(Verb.FREE, 0, 1))

    assert lockstep.step(Op(Verb.ALLOC, 1)) == NO_MEMORY
    lockstep.finish()


def test_without_the_promise_no_illegal_request_is_made() -> None:
    """They are refused in the allocator's place, for the spec's own reasons."""
    lockstep = Lockstep(SMALL, Trusting)
    pfn = lockstep.step(Op(Verb.ALLOC, 1))
    illegal = [Op(Verb.FREE, 1, 99), Op(Verb.FREE, 0, pfn), Op(Verb.ALLOC, 4)]

    answers = [lockstep.step(op) for op in illegal]

    assert answers == [Refusal.OUTSIDE, Refusal.WRONG_ORDER, Refusal.BAD_ORDER]
    assert lockstep.step(Op(Verb.FREE, 1, pfn)) == 0
    assert lockstep.step(Op(Verb.FREE, 1, pfn)) == Refusal.DOUBLE
