"""From the results of a campaign's units to what it may say."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pagefuzz.campaign.floor import celled, floor_of
from pagefuzz.campaign.plan import Gear, Plan, Result
from pagefuzz.compaction.floor import compaction_floor
from pagefuzz.counters.floor import counter_floor
from pagefuzz.coverage import Met, Reached
from pagefuzz.exits import Exit
from pagefuzz.late import Late
from pagefuzz.schedule.floor import schedule_floor
from pagefuzz.slabs.floor import slab_floor
from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.laws.law import Level
from pagespec.verbs import Verb


@dataclass(frozen=True, slots=True)
class Offer:
    """What the allocator under test can be judged by: level, requests, and the laws that cannot."""

    level: Level
    verbs: frozenset[Verb]
    unshown: frozenset[str]


@dataclass(frozen=True, slots=True)
class Summary:
    """A campaign in figures.

    failures: the results with a broken law. reached: the events, per era. floor: how many events
    each era must reach, and missing: those that it did not. missed: gears that missed the canary.
    unsteady: units that came to nothing, since the allocator does not answer alike twice.
    """

    results: list[Result]
    failures: list[Result]
    reached: dict[str, Reached]
    floor: dict[str, int]
    missing: dict[str, list[Met]]
    missed: list[Gear]
    unsteady: list[Result]


TOP_OF_GEARS: dict[Gear, int] = {"stream": 10, "walk": 3, "hypothesis": 2, "hosts": 1}
"""The order up to which every event must be reached, by the most searching gear of a campaign.

A gear that is not here has no zones to meet them in."""

HOST_FLOOR: frozenset[Met] = frozenset({(Kind.LOWER, 0), (Kind.FAR, 0)})
"""What hosts must meet in every era besides."""


RESTED: Met = (Kind.RESTED, 0)
"""What hosts must meet besides in eras with cells: a single zone has no far CPU."""

CLOSELY: frozenset[Gear] = frozenset({"walk", "hypothesis"})
"""The gears that put each request once more to a zone that knows all."""

LATE_FLOOR: frozenset[Met] = frozenset((late, 0) for late in Late)
"""What these must meet in eras with cells."""


def summary_of(plan: Plan, offer: Offer, results: list[Result], missed: list[Gear]) -> Summary:
    """Add up the units."""
    reached: dict[str, Reached] = {era: Counter() for era in plan.eras}
    for result in results:
        reached[result.era].update(result.reached)
    floors = {era: floor_for(plan, offer, ERAS[era]) for era in plan.eras}
    return Summary(
        results=results,
        failures=[result for result in results if result.law is not None],
        reached=reached,
        floor={era: len(floor) for era, floor in floors.items()},
        missing={
            era: sorted(floor - reached[era].keys(), key=lambda event: (event[0].value, event[1]))
            for era, floor in floors.items()
        },
        missed=missed,
        unsteady=[result for result in results if result.law is None and result.complaint],
    )


def floor_for(plan: Plan, offer: Offer, era: Era) -> set[Met]:
    """The events that all gears of the plan together must reach in an era."""
    floor: set[Met] = set()
    tops = [TOP_OF_GEARS[gear] for gear in plan.gears if gear in TOP_OF_GEARS]
    if tops:
        floor |= floor_of(era, offer.level, max(tops), offer.verbs)
        if offer.level == "exact" and celled(era, offer.verbs) and CLOSELY & set(plan.gears):
            floor |= LATE_FLOOR
    if "hosts" in plan.gears:
        floor |= HOST_FLOOR | ({RESTED} if celled(era, offer.verbs) else set())
    if "counters" in plan.gears:
        floor |= counter_floor(era)
    if "slabs" in plan.gears:
        floor |= slab_floor(era)
    if "compaction" in plan.gears:
        floor |= compaction_floor(era)
    if "schedules" in plan.gears:
        floor |= schedule_floor(era)
    return floor


def exits_of(summary: Summary) -> Iterable[Exit]:
    """What the end of a campaign means; the gravest counts."""
    yield Exit.HELD
    if summary.missed:
        yield Exit.UNTRUSTWORTHY
    if summary.failures:
        yield Exit.BROKEN
    elif any(summary.missing.values()) or summary.unsteady:
        yield Exit.INCONCLUSIVE
