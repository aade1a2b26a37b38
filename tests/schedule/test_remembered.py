"""A step that was judged before is judged again by no more laws than look at others."""

from collections import deque
from collections.abc import Hashable, Iterator
from random import Random

from pagefuzz.schedule.draw import random_scenario
from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.frozen import Freezer, State
from pagespec.era import ERAS
from pagespec.events import Event, Kind
from pagespec.laws.law import Complaint, Law, LawBook, LawBroken
from pagespec.schedule.contexts import Move, Scenario
from pagespec.schedule.laws import AMONG_ALL, AT_EVERY_STEP
from pagespec.schedule.moment import Moment
from pagespec.schedule.opening import opened
from pagespec.schedule.silence import silent_about
from pagespec.zone import Zone

STEPS = 600
"""Steps of a scenario that are looked at, those first that are found first."""

PLANTED: LawBook[Moment] = LawBook()


@PLANTED.law("BUD-alone", source="planted")
def alone(moment: Moment) -> Complaint:
    """Nobody else is in the middle of a request."""
    others = [
        number
        for number, context in enumerate(moment.world.contexts)
        if number != moment.mover and context.rest is not None
    ]
    return f"{others} as well" if others else None


def moments_like(moment: Moment) -> Iterator[Moment]:
    """The moment, and some that break laws in each way that the moment itself tells of."""
    yield moment
    yield moment._replace(nexts=())
    if isinstance(moment.world.shared, Zone):
        yield moment._replace(unguarded=(0,))
        yield moment._replace(twice=1)
        yield moment._replace(before=0, flight=0)
        for kind in (Kind.ALLOC, Kind.FAIL):
            yield moment._replace(log=(*moment.log, Event(kind, 0, 0)))


def judged(laws: list[Law[Moment]], moment: Moment) -> dict[str, list[Complaint]]:
    """What each law says of a moment, and of those like it."""
    return {law.id: [law.complaint(each) for each in moments_like(moment)] for law in laws}


def steps_in(freezer: Freezer) -> Iterator[tuple[Hashable, Moment]]:
    """Steps, breadth first, each with what is remembered of where it was taken."""
    start = freezer.freeze()
    pending: deque[tuple[State, tuple[Move, ...]]] = deque(
        [(start, freezer.moves_in(freezer.world))]
    )
    seen, taken, own = {start}, 0, len(freezer.shared) + 1
    while pending and taken < STEPS:
        state, nexts = pending.popleft()
        holds = [
            each.holds[number] for each, number in zip(freezer.contexts, state[own:], strict=True)
        ]
        for move in nexts:
            taken += 1
            try:
                moment, after, _ = freezer.step_from(state, move)
            except LawBroken:
                continue
            yield (state[:own], move, state[own + move.context], *holds), moment
            if after not in seen:
                seen.add(after)
                pending.append((after, moment.nexts))


def unlike(scenario: Scenario, book: LawBook[Moment]) -> tuple[int, set[str]]:
    """How many steps were taken again beside others, and the laws that answered otherwise then."""
    freezer = Freezer(opened(scenario, BY_FRAMES))
    silent = silent_about(scenario)
    era = scenario.machine.era
    laws = [law for law in book.laws if law.eras(era) and law.id not in silent]
    first: dict[Hashable, dict[str, list[Complaint]]] = {}
    again, found = 0, set[str]()
    for step, moment in steps_in(freezer):
        said = judged(laws, moment)
        again += step in first
        was = first.setdefault(step, said)
        found |= {law for law in said if said[law] != was[law]}
    return again, found


def drawn() -> Iterator[Scenario]:
    """Scenarios of eras with every kind of guard."""
    rng = Random(5)
    for era in ("2.6.11", "4.10", "4.11-rc", "5.15", "6.1", "6.12"):
        for _ in range(8):
            yield random_scenario(rng, ERAS[era])


def test_only_laws_among_all_answer_otherwise_beside_others() -> None:
    """All others said of the step what they say of it wherever the others stand."""
    again, found = 0, set[str]()
    for scenario in drawn():
        more, laws = unlike(scenario, AT_EVERY_STEP)
        again, found = again + more, found | laws
    assert again > 5000
    assert found <= AMONG_ALL
    assert "LIVE-ends" in found


def test_a_law_that_looks_at_others_is_found_out() -> None:
    """Who adds such a law and leaves it out of those among all is told."""
    assert any("BUD-alone" in unlike(scenario, PLANTED)[1] for scenario in drawn())
