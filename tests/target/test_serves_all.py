"""Allocators that serve the whole vocabulary by one method, and those that do not."""

from dataclasses import replace

import pytest
from tests.target.allocators import Called, Lists, Trusting
from tests.target.material import any_machines, walked

from pagefuzz.errors import UsageError
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.adapter import Adapter
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.migratetype import CMA, MOVABLE
from pagespec.types import FAULT, NO_MEMORY, Block, DomainError, Refusal, WrongOrder
from pagespec.verbs import BLOCK_VERBS, Op, Outcome, Verb

PLAIN = Machine(pages=16, top=3, era=ERAS["6.1"])
GROUPED = Machine(pages=16, top=3, era=ERAS["6.1"], pageblock=2)


@pytest.mark.parametrize("factory", [Spec, TwinFactory()], ids=["spec", "twin"])
def test_what_comes_with_the_project_serves_all(factory: Factory) -> None:
    """Every verb, at the strictest level, with pageblocks and without."""
    for machine in (PLAIN, GROUPED):
        adapter = Adapter(factory, machine)
        assert adapter.verbs == frozenset(Verb)
        assert adapter.level == "exact"


@pytest.mark.parametrize("factory", [Called, Lists, Trusting])
def test_who_is_asked_by_calls_declines_pageblocks(factory: Factory) -> None:
    """And guard pages; it is no finding, and no other machine is declined."""
    for machine in (GROUPED, replace(PLAIN, guard=1)):
        with pytest.raises(DomainError, match=r"declined: .* has no serve\(op\)"):
            Lockstep(machine, factory)

    assert Adapter(factory, PLAIN).verbs <= BLOCK_VERBS


def test_a_type_that_no_call_can_say_is_refused_here() -> None:
    """alloc(order) has no word for it, and the law about refusals knows of it."""
    lockstep = Lockstep(PLAIN, Called)

    assert lockstep.step(Op(Verb.ALLOC, 1, mt=CMA)) == Refusal.BAD_TYPE
    assert lockstep.step(Op(Verb.ALLOC, 1, mt=MOVABLE)) >= 0


def test_without_state_it_is_judged_from_outside() -> None:
    """Lists would have no place for types, so they are not asked for."""

    class Quiet(Spec):
        state = None  # type: ignore[assignment]

        def free_lists(self) -> None:
            raise AssertionError("lists were asked for")

    for seed, machine in enumerate(any_machines(40)):
        assert walked(Quiet, machine, seed).level == "outside"


def test_who_serves_all_refuses_too() -> None:
    """Which requests about pageblocks are legal, nobody else can tell."""

    class Careless(Spec):
        promises = Promises(exact=True, refuses=False)

    with pytest.raises(UsageError, match="does not promise to refuse"):
        Lockstep(GROUPED, Careless)


def answering(answer: object) -> Factory:
    """An allocator that gives this, or raises it, for every request."""

    class Answering(Spec):
        def serve(self, op: Op) -> Outcome:
            if isinstance(answer, BaseException):
                raise answer
            return answer  # type: ignore[return-value]

    return Answering


@pytest.mark.parametrize(
    ("answer", "verb", "outcome"),
    [
        (8, Verb.ALLOC, 8),
        (8, Verb.CONTIG, 8),
        (8, Verb.FREE, FAULT),
        (8, Verb.ISOLATE, FAULT),
        (0, Verb.ISOLATE, 0),
        (NO_MEMORY, Verb.UNRESERVE, NO_MEMORY),
        (NO_MEMORY, Verb.FREE, FAULT),
        (NO_MEMORY, Verb.OFFLINE, FAULT),
        (Refusal.NOT_FREE, Verb.OFFLINE, Refusal.NOT_FREE),
        (-77, Verb.ALLOC, FAULT),
        ("8", Verb.ALLOC, FAULT),
        (None, Verb.ALLOC, FAULT),
        (ValueError("no"), Verb.HEAL, Refusal.UNSAID),
        (WrongOrder(Block(0, 0)), Verb.SPLIT, Refusal.WRONG_ORDER),
        (KeyError("no"), Verb.HEAL, FAULT),
        (SystemExit(), Verb.HEAL, FAULT),
    ],
)
def test_only_outcomes_come_through(answer: object, verb: Verb, outcome: Outcome) -> None:
    """A number that the verb can't have is a fault of the allocator, like whatever it raises."""
    adapter = Adapter(answering(answer), GROUPED)

    assert adapter.serve(Op(verb)) == outcome
    assert (adapter.fault is None) == (outcome != FAULT)


def test_who_ignores_isolation_is_found_from_outside() -> None:
    """What says that it isolated a range must not give out its frames; undone, it may again."""

    class Ignores(Spec):
        state = None  # type: ignore[assignment]

        def serve(self, op: Op) -> Outcome:
            return 0 if op.verb in (Verb.ISOLATE, Verb.RESTORE) else super().serve(op)

    range_ops = [Op(verb, pfn=0, pages=16) for verb in (Verb.ISOLATE, Verb.RESTORE)]
    lockstep = Lockstep(GROUPED, Ignores)
    lockstep.step(range_ops[0])
    with pytest.raises(LawBroken, match="OUT-isolated: alloc gave"):
        lockstep.step(Op(Verb.ALLOC, 0, mt=MOVABLE))

    undone = Lockstep(GROUPED, Ignores)
    for op in range_ops:
        undone.step(op)
    assert undone.step(Op(Verb.ALLOC, 0, mt=MOVABLE)) >= 0
