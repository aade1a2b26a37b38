"""A law judges whatever an allocator does: it holds or it is broken, it never stumbles."""

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from tests.strategies import machines, ops

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.laws.holdings import Book, due_refusal, settle
from pagespec.laws.law import Transition
from pagespec.laws.outside import OUTSIDE_LAWS, Promises, Sight
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import swept
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.types import FAULT, NO_MEMORY, Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import copy_of

OUTCOMES = st.sampled_from([0, NO_MEMORY, FAULT, *map(int, Refusal)]) | st.integers(-200, 200)
PROMISES = st.builds(Promises, st.booleans(), st.booleans(), st.booleans())


@given(machines(most_pages=20), PROMISES, st.data())
def test_any_outcome_is_judged_from_outside(
    machine: Machine, promises: Promises, data: DataObject
) -> None:
    """Also those of an allocator that refuses nothing and hands out frames that are not there."""
    zone, book = boot(machine), Book(machine)
    for _ in range(6):
        op, outcome = data.draw(ops(zone)), data.draw(OUTCOMES)
        sight = Sight(book, promises, op, outcome)
        due = due_refusal(book, op)
        broken = [law.law_id for law in OUTSIDE_LAWS.broken(machine.era, sight)]
        if not broken:
            settle(book, op, outcome)

        assert due is None or set(broken) <= {"OUT-refuse", "OUT-fault"}


@given(machines(most_pages=20), st.data())
def test_any_transition_is_judged(machine: Machine, data: DataObject) -> None:
    """Also one whose states, request and outcome have nothing to do with each other."""
    zone = boot(machine)
    states = [swept(copy_of(zone))]
    for _ in range(4):
        perform(zone, data.draw(ops(zone)))
        states.append(swept(copy_of(zone)))
    before, after = (data.draw(st.sampled_from(states)) for _ in range(2))
    op, outcome = data.draw(ops(zone)), data.draw(OUTCOMES)
    step = Transition(before, op, outcome, after)

    assert all(broken.complaint for broken in STEP_LAWS.broken(machine.era, step))


def test_a_book_forgets_what_should_have_been_refused() -> None:
    """An allocator that answers an order that does not exist with nothing may serve others."""
    book = Book(Machine(pages=8, top=3, era=ERAS["6.1"]))
    for op, outcome in [(Op(Verb.ALLOC, 40), NO_MEMORY), (Op(Verb.FREE, 0, 3), 0)]:
        settle(book, op, outcome)

    assert book == Book(book.machine)
