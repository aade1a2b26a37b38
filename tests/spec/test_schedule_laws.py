"""Each law at every step can fail: a moment that breaks it first, beside the same unbroken."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from tests.spec.worlds import COUNT, REFRESH, alloc, counter_scenario, free, task, zone_scenario

from pagespec.events import Event, Kind
from pagespec.schedule.contexts import OWN_CPU, Hold, Level, Move, Place, Scenario
from pagespec.schedule.laws import AT_EVERY_STEP
from pagespec.schedule.moment import Moment
from pagespec.schedule.moments import moment_of
from pagespec.schedule.opening import opened
from pagespec.schedule.running import BY_GENERATORS, Ended, Stopped
from pagespec.schedule.silence import silent_about
from pagespec.steps import Guard, Step, Stop
from pagespec.trace import Request
from pagespec.verbs import Verb
from pagespec.vmstat.machine import Item
from pagespec.vmstat.trace import CounterRequest
from pagespec.vmstat.verbs import CounterOp, CounterVerb

LOCK = Hold(None, locks=True, irqs_off=True)
LISTS = Hold(0, locks=False, irqs_off=True)
OWN = Hold(OWN_CPU, locks=False, irqs_off=True)
INC = CounterRequest(CounterOp(CounterVerb.INC, irqs_on=True))

TWO = zone_scenario("4.10", task(alloc("a"), free("a")), task(alloc("b"), cpu=1), cpus=2)
FULL = zone_scenario(
    *("4.10", task(alloc("a")), task(alloc("b"), cpu=1)),
    cpus=2,
    setup=(alloc("c")._replace(cpu=1), free("c")._replace(cpu=1)),
)
"""The second CPU's list holds two blocks."""
RC = zone_scenario("4.11-rc", task(alloc("a")), task(alloc("b"), cpu=1), cpus=2)
CELLS = zone_scenario(
    "4.10",
    task(Request(Verb.REFRESH), alloc("a")),
    task(alloc("b"), cpu=1),
    cpus=2,
    cells=True,
    setup=(alloc("c"),),
)
COUNTERS = counter_scenario("6.1", task(INC, REFRESH), task(COUNT, cpu=1), cpus=2, setup=(INC,))


def after(scenario: Scenario, steps: int) -> Moment:
    """What the last of so many steps of the first context came to."""
    world = opened(scenario, BY_GENERATORS)
    moment = moment_of(world, Move(0))
    for _ in range(steps - 1):
        moment = moment_of(world, Move(0))
    return moment


def at(scenario: Scenario, stop: Stop | None) -> Moment:
    """The moment in which the first context comes to that stop, or to the end of a request."""
    world = opened(scenario, BY_GENERATORS)
    while True:
        moment = moment_of(world, Move(0))
        if world.contexts[0].stop == stop and not world.contexts[0].ready:
            return moment
        if world.contexts[0].stop == stop and stop not in (Step.LOCK, Step.GUARD):
            return moment


Change = Callable[[Moment], Moment | None]


class Row(NamedTuple):
    """A law, how it is broken, a sound moment, and what breaks it."""

    law_id: str
    what: str
    sound: Callable[[], Moment]
    change: Change


ROWS: list[Row] = []


def row(law_id: str, what: str, sound: Callable[[], Moment]) -> Callable[[Change], Change]:
    """Enter a row."""

    def enter(change: Change) -> Change:
        ROWS.append(Row(law_id, what, sound, change))
        return change

    return enter


def holding(*holds: Hold, by: int = 0) -> Change:
    """Lets a context hold something besides."""

    def change(moment: Moment) -> None:
        context = moment.world.contexts[by]
        context.holds = (*holds, *context.holds)

    return change


def owing(*owed: int) -> Change:
    """Lets the mover have something in flight."""

    def change(moment: Moment) -> None:
        moment.context.owes = owed

    return change


def said_to_stop(stop: Stop) -> Change:
    """Lets the mover stand before something else, with a lock held."""

    def change(moment: Moment) -> None:
        moment.context.stop = stop
        moment.context.holds = (LOCK,)

    return change


row("LOCK-order", "the lists' guard inside of the lock", lambda: at(TWO, Step.GUARD))(holding(LOCK))
row("LOCK-order", "the lock twice", lambda: at(TWO, Step.LOCK))(holding(LOCK))
row("LOCK-order", "the guard twice", lambda: at(TWO, Step.GUARD))(holding(LISTS))
row("LOCK-order", "another CPU's inside of the lock", lambda: at(TWO, Step.GUARD))(
    said_to_stop(Guard(1))
)
for hold in (LOCK, LISTS, OWN):
    row("LOCK-released", f"kept: {hold}", lambda: at(TWO, None))(holding(hold))
row("PCP-owner", "two at one CPU's lists", lambda: after(TWO, 2))(holding(LISTS, by=1))


@row("PCP-owner", "from another CPU without a lock", lambda: after(TWO, 2))
def _from_afar(moment: Moment) -> None:
    moment.context.place = Place(1, Level.TASK)


@row("PCP-owner", "an interrupt where the guard bars them", lambda: after(RC, 2))
def _interrupts(moment: Moment) -> None:
    moment.context.place = Place(0, Level.SOFTIRQ)


@row("PCP-owner", "a change without the guard", lambda: after(TWO, 2))
def _unguarded(moment: Moment) -> Moment:
    return moment._replace(unguarded=(0,))


@row("PCP-owner", "two blocks of another CPU's list swapped", lambda: after(FULL, 2))
def _swapped(moment: Moment) -> Moment:
    """The count stays as it is, and so do the blocks; only who will get which does not."""
    world = moment.world

    def swaps(rest: object, lost: bool) -> Stopped | Ended:
        kept = next(blocks for blocks in world.zone.pcps[1][0].lists if len(blocks) > 1)
        kept.move_to_end(next(iter(kept)))
        return BY_GENERATORS.resumed(rest, lost)

    world.engine = BY_GENERATORS._replace(resumed=swaps)
    return moment_of(world, Move(0))


@row("OUT-disjoint", "a frame of somebody", lambda: after(TWO, 2))
def _given_out(moment: Moment) -> Moment:
    return moment._replace(log=(Event(Kind.ALLOC, 3, 0),))


@row("BUD-success", "without, while another has all the rest", lambda: after(TWO, 2))
def _goes_without(moment: Moment) -> Moment:
    other = moment.world.contexts[1]
    other.rest, other.flight = object(), 6
    return moment._replace(log=(Event(Kind.FAIL, 0, 0),))


@row("BUD-partition", "in two places", lambda: after(TWO, 2))
def _twice(moment: Moment) -> Moment:
    return moment._replace(twice=1 << 5)


@row("BUD-partition", "put without being had", lambda: after(TWO, 2))
def _put(moment: Moment) -> Moment:
    return moment._replace(before=moment.before & ~2, placed=moment.placed | 2, flight=0)


@row("BUD-partition", "lost", lambda: at(TWO, None))
def _lost(moment: Moment) -> None:
    moment.context.flight = 4


@row("LIVE-ends", "all wait", lambda: after(TWO, 2))
def _waits(moment: Moment) -> Moment:
    return moment._replace(nexts=())


row("EVT-count", "one too few allocated", lambda: at(TWO, None))(owing(1, 0))
row("EVT-count", "one too many freed", lambda: at(TWO, None))(owing(0, -1))
row("VM-conserve", "cells told too little", lambda: at(CELLS, None))(owing(0, 0, 3, 0))
row("VM-conserve", "an increment lost", lambda: at(COUNTERS, None))(
    owing(1, *[0] * (2 * len(COUNTERS.machine.places) - 1))  # type: ignore[union-attr]
)


@row("VM-conserve", "in flight by no refresh", lambda: at(CELLS, Step.TELL))
def _astray(moment: Moment) -> Moment:
    assert moment.context.owes
    return moment._replace(asked=1)


@row("VM-width", "a cell that would wrap", lambda: at(COUNTERS, Step.TELL))
def _wraps(moment: Moment) -> None:
    moment.world.counters.cells[1][0] = 128


@row("VM-cell", "more than the threshold and all changes", lambda: at(COUNTERS, Step.TELL))
def _keeps(moment: Moment) -> None:
    moment.world.counters.cells[1][0] = -4


@row("VM-drift", "more in flight than a cell holds", lambda: at(COUNTERS, Step.TELL))
def _flies(moment: Moment) -> None:
    owes = moment.context.owes
    assert moment.world.counters.places[0].item is Item.FREE
    moment.context.owes = (9, *owes[1:])


@pytest.mark.parametrize("row", ROWS, ids=[f"{row.law_id}: {row.what}" for row in ROWS])
def test_the_law_speaks_first(row: Row) -> None:
    """A broken moment is named by the law that fits, and its unbroken sibling by none."""
    sound = row.sound()
    era = sound.world.scenario.machine.era
    assert row.law_id not in silent_about(sound.world.scenario)
    assert list(AT_EVERY_STEP.broken(era, sound)) == []

    broken = row.change(sound) or sound
    assert [law.law_id for law in AT_EVERY_STEP.broken(era, broken)][:1] == [row.law_id]


def test_no_law_is_without_a_row() -> None:
    """Whoever adds a law adds a row that it names; each says what holds, why, and where from."""
    assert {law.id for law in AT_EVERY_STEP.laws} == {row.law_id for row in ROWS}
    assert len({law.id for law in AT_EVERY_STEP.laws}) == len(AT_EVERY_STEP.laws)
    for law in AT_EVERY_STEP.laws:
        assert law.sentence.endswith(".")
        assert law.reason
        assert law.source
