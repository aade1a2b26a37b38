"""A law judges whatever an allocator does: it holds or it is broken, it never stumbles."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject
from tests.spec import listed
from tests.spec.typed import machine_of, op_of
from tests.strategies import machines, ops

from pagespec.boot import boot
from pagespec.era import ERAS
from pagespec.events import Event
from pagespec.laws.holdings import Book, due_refusal, settle
from pagespec.laws.law import Transition
from pagespec.laws.outside import OUTSIDE_LAWS, Promises, Sight
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import swept
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.machine import Machine
from pagespec.migratetype import MigrateType
from pagespec.ops import perform
from pagespec.types import FAULT, NO_MEMORY, Refusal
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone, copy_of

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


@given(st.integers(0, 2**32), st.data())
@settings(max_examples=60)
def test_any_typed_transition_is_judged(seed: int, data: DataObject) -> None:
    """The same on machines with pageblocks, with requests of every verb, also strange ones."""
    rng = Random(seed)
    era = ERAS[rng.choice([name for name, era in ERAS.items() if era.numbering])]
    zone = boot(machine_of(rng, era))
    states, logs = [swept(copy_of(zone))], list[tuple[Event, ...]]()
    for _ in range(12):
        zone.log.clear()
        perform(zone, op_of(rng, zone))
        states.append(swept(copy_of(zone)))
        logs.append(tuple(zone.log))
    for _ in range(8):
        before, after = rng.choice(states), rng.choice(states)
        op = op_of(rng, rng.choice(states).zone)._replace(
            order=rng.choice((0, 1, 3, 9, -1)), pfn=rng.choice((-7, 0, 5, 16, 33, 2**40))
        )
        step = Transition(before, op, data.draw(OUTCOMES), after, 0, rng.choice(logs))
        book = Book(zone.machine, before.zone.held.copy(), before.zone.given.copy(), before.held)
        sight = Sight(book, data.draw(PROMISES), op, step.outcome)

        assert all(broken.complaint for broken in STEP_LAWS.broken(era, step))
        if not list(OUTSIDE_LAWS.broken(era, sight)):
            settle(book, op, step.outcome)


@given(st.integers(0, 2**32))
@settings(max_examples=60)
def test_any_typed_state_is_judged(seed: int) -> None:
    """Also one whose lists, types and places were stirred at random."""
    rng = Random(seed)
    era = ERAS[rng.choice([name for name, era in ERAS.items() if era.numbering])]
    zone = boot(machine_of(rng, era))
    for _ in range(20):
        perform(zone, op_of(rng, zone))
    frames = range(max(0, zone.machine.start - 4), zone.machine.end + 4)
    for _ in range(6):
        pfn, mt = rng.choice(frames), rng.choice(era.types)
        order = rng.randint(0, zone.machine.top)
        zone.free_area[order][mt][pfn] = None
        zone.pageblocks[rng.randrange(len(zone.pageblocks))] = mt
        rng.choice((zone.poisoned, zone.offline)).add(pfn)
        zone.held.pop(rng.choice([*zone.held, pfn]), None)
        zone.guards[rng.choice(frames)] = order
    stirred = swept(zone)

    for book in (STATE_LAWS, BOOT_LAWS, RETURN_LAWS):
        assert all(broken.complaint for broken in book.broken(era, stirred))


@given(st.integers(0, 2**32), st.data())
@settings(max_examples=60)
def test_any_listed_transition_is_judged(seed: int, data: DataObject) -> None:
    """The same on machines with CPUs' lists and marks; some of the states were stirred."""
    rng = Random(seed)
    era = rng.choice(list(ERAS.values()))
    zone = boot(listed.machine_of(rng, era))
    states, logs = [copy_of(zone)], list[tuple[Event, ...]]()
    for _ in range(16):
        zone.log.clear()
        perform(zone, listed.op_of(rng, zone))
        states.append(copy_of(zone))
        logs.append(tuple(zone.log))
    for state in states[::3]:
        stir(rng, state)
    seen = list(map(swept, states))
    for _ in range(10):
        before, after = rng.choice(seen), rng.choice(seen)
        op = listed.op_of(rng, rng.choice(states))
        step = Transition(before, op, data.draw(OUTCOMES), after, 0, rng.choice(logs))
        book = Book(zone.machine, before.zone.held.copy(), before.zone.given.copy(), before.held)
        sight = Sight(book, data.draw(PROMISES), op, step.outcome, after.zone.slots)

        assert all(broken.complaint for broken in STEP_LAWS.broken(era, step))
        if not list(OUTSIDE_LAWS.broken(era, sight)):
            settle(book, op, step.outcome, after.zone.slots)
    for sweep in seen:
        for laws in (STATE_LAWS, BOOT_LAWS, RETURN_LAWS):
            assert all(broken.complaint for broken in laws.broken(era, sweep))


def stir(rng: Random, zone: Zone) -> None:
    """Change what CPUs keep, what slots hold, and the marks, at random."""
    frames = range(max(0, zone.machine.start - 4), zone.machine.end + 4)
    for pcps in zone.pcps:
        for pcp in pcps:
            blocks = rng.choice(pcp.lists)
            blocks[rng.choice(frames)] = rng.choice(list(MigrateType))
            pcp.count = rng.randint(-2, 9)
    if zone.machine.cpus:
        zone.unplugged ^= {rng.randrange(zone.machine.cpus)}
    zone.slots[rng.choice(frames)] = rng.randint(0, 3)
    zone.disabled = rng.random() < 0.5
    if zone.levels is not None:
        zone.levels.boost, zone.levels.below_high = rng.randint(-3, 40), rng.random() < 0.5
