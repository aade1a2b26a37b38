"""Allocators that serve the whole vocabulary by one method, and those that do not."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.target.allocators import Called, Lists, Trusting
from tests.target.material import any_machines, walked

from pagefuzz.errors import UsageError
from pagefuzz.lockstep import Lockstep
from pagefuzz.target.adapter import Adapter
from pagefuzz.target.builtin import Spec, TwinFactory
from pagefuzz.target.protocol import Factory, Serves
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.migratetype import CMA, MOVABLE
from pagespec.types import FAULT, NO_MEMORY, Block, DomainError, Pfn, Refusal, WrongOrder
from pagespec.verbs import BLOCK_VERBS, Op, Outcome, Verb
from pagespec.zone import Zone

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


LISTED = replace(PLAIN, cpus=2, batch=2)
MARKED = replace(PLAIN, min_free=4)
OF_CPUS = frozenset(
    {Verb.DRAIN, Verb.DRAIN_ALL, Verb.DISABLE, Verb.ENABLE, Verb.AGE, Verb.EXPIRE}
    | {Verb.UNPLUG, Verb.PLUG, Verb.BULK}
)


UNCELLED = frozenset(Verb) - {Verb.REFRESH}


def serving(serves: object) -> Factory:
    """The spec, which says that it serves this."""

    class Serving(Spec):
        pass

    # Also what is no Serves, which the adapter must refuse.
    Serving.serves = serves  # type: ignore[assignment]
    return Serving


@pytest.mark.parametrize(
    ("serves", "verbs", "declined"),
    [
        (Serves(), UNCELLED - OF_CPUS - {Verb.REST}, [LISTED, MARKED]),
        (Serves(lists=True), UNCELLED - {Verb.REST}, [MARKED]),
        (Serves(marks=True), UNCELLED - OF_CPUS, [LISTED]),
        (Serves(lists=True, marks=True), UNCELLED, []),
        (Serves(lists=True, marks=True, cells=True), frozenset(Verb), []),
        (
            Serves(lists=True, marks=True, without=frozenset({Verb.AGE, Verb.SPLIT})),
            UNCELLED - {Verb.AGE, Verb.SPLIT},
            [],
        ),
    ],
)
def test_it_is_asked_for_what_it_says_that_it_serves(
    serves: Serves, verbs: frozenset[Verb], declined: list[Machine]
) -> None:
    """Who says nothing goes on as before there were CPUs and watermarks."""
    factory = serving(serves)
    for machine in (PLAIN, GROUPED, LISTED, MARKED):
        if machine in declined:
            with pytest.raises(DomainError, match=r"declined: the machine has (CPUs|watermarks)"):
                Lockstep(machine, factory)
        else:
            assert Adapter(factory, machine).verbs == verbs
    for seed in range(6):
        for machine in (GROUPED, LISTED, MARKED):
            if machine not in declined:
                lockstep = walked(factory, machine, seed)
                assert {op.verb for op, _ in lockstep.done} <= verbs


def test_who_said_nothing_before_goes_on_as_it_was() -> None:
    """A target that has no word for what it serves, as all were once."""

    class Old:
        promises = Promises(exact=True)

        def __init__(self, machine: Machine) -> None:
            self.spec = Spec(machine)

        def serve(self, op: Op) -> Outcome:
            assert op.verb not in OF_CPUS
            return self.spec.serve(op)

        def state(self) -> Zone:
            return self.spec.state()

    for seed in range(6):
        assert walked(Old, GROUPED, seed).level == "exact"
    with pytest.raises(DomainError, match=r"has no serves=Serves\(lists=True\)"):
        Lockstep(LISTED, Old)


@pytest.mark.parametrize(
    ("serves", "told"),
    [
        ("all", r"serves is 'all'; expected pagefuzz.target.protocol.Serves\(...\)"),
        (Serves(without=frozenset({Verb.FREE})), "serves no alloc or no free; expected both"),
    ],
)
def test_what_it_says_that_it_serves_must_make_sense(serves: object, told: str) -> None:
    """One sentence for a slip of whoever writes a target."""
    with pytest.raises(UsageError, match=told):
        Lockstep(PLAIN, serving(serves))


class Mute(Spec):
    """Shows no state, but its array."""

    state = None  # type: ignore[assignment]


def test_bulk_needs_something_to_be_seen() -> None:
    """The state or the array: what came of a bulk request nobody else can tell."""

    class Blind(Mute):
        slots = None  # type: ignore[assignment]

    class Whole(Spec):
        slots = None  # type: ignore[assignment]

    assert Verb.BULK not in Adapter(Blind, LISTED).verbs
    for factory in (Mute, Whole, Spec):
        lockstep = Lockstep(LISTED, factory)
        assert lockstep.step(Op(Verb.BULK, pages=3)) == 3
        assert sorted(lockstep.book.slots.values()) == [0, 1, 2]
        assert lockstep.filled == {0: lockstep.book.slots}


@pytest.mark.parametrize(
    "shown", [None, {0: 0, 1: 0}, {0: 256}, {0: -1}, {"a": 0}, {0: "a"}, KeyError("no")]
)
def test_an_array_that_cannot_be_read_is_a_finding(shown: object) -> None:
    """Like free lists that are none."""

    class Torn(Mute):
        def slots(self) -> Mapping[Pfn, int]:
            if isinstance(shown, BaseException):
                raise shown
            return shown  # type: ignore[return-value]

    with pytest.raises(LawBroken, match="BUD-links"):
        Lockstep(LISTED, Torn).step(Op(Verb.BULK, pages=2))


@pytest.mark.parametrize(
    ("answer", "outcome"), [(0, 0), (3, 3), (4, FAULT), (-1, FAULT), (Refusal.BAD_CPU, -20)]
)
def test_a_bulk_request_counts_slots(answer: int, outcome: Outcome) -> None:
    """No more than it asked for."""
    assert Adapter(answering(answer), LISTED).serve(Op(Verb.BULK, pages=3)) == outcome


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
