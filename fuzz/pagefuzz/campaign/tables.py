"""A campaign's end on the screen: gears, laws, events, and for each failure how to repeat it."""

import shlex
from collections import Counter

from pagefuzz.campaign.plan import Gear, Plan
from pagefuzz.campaign.verdict import Offer, Summary
from pagefuzz.coverage import name_of_event
from pagefuzz.lockstep import STRICTER
from pagefuzz.report import console
from pagespec.laws.books import A_STEP, LAWS_OF, Entry, all_laws
from pagespec.laws.exact import EXACT_LAWS, KEPT_LAWS, ORACLE_LAWS
from pagespec.laws.hostmarks import HOST_STATE_LAWS
from pagespec.laws.hosts import HOST_LAWS, TWIN_HOST_LAWS
from pagespec.laws.state import STATE_LAWS
from pagespec.slab.laws.judge import SLAB_LAWS, SLAB_REST_LAWS, TWIN_SLAB_LAWS
from pagespec.slab.laws.refused import HELD_LAWS, SLAB_REFUSAL_LAWS
from pagespec.vmstat.laws.judge import COUNTER_LAWS, TWIN_COUNTER_LAWS
from pagespec.vmstat.laws.refused import REFUSAL_LAWS

NAMED = 6
"""How many missing events are named before the rest is only counted."""

ASKED_OF_STREAMS = frozenset({"BUD-links", "BUD-place", "TWIN-equal"})
"""The laws that a stream asks after every batch; the others it asks at its end."""

ASKED_OF_HOSTS = frozenset(
    law.id for book in (HOST_STATE_LAWS, HOST_LAWS, TWIN_HOST_LAWS) for law in book.laws
)
"""The laws about hosts of several zones."""

ASKED_OF_COUNTERS = frozenset(
    law.id for book in (REFUSAL_LAWS, COUNTER_LAWS, TWIN_COUNTER_LAWS) for law in book.laws
)
"""The laws about counters, which are kept without any zone's lists."""

ASKED_OF_SLABS = frozenset(
    law.id
    for book in (SLAB_REFUSAL_LAWS, HELD_LAWS, SLAB_REST_LAWS, SLAB_LAWS, TWIN_SLAB_LAWS)
    for law in book.laws
)
"""The laws about objects, slabs and what groups are charged for them."""

ASKED_OF_COMPACTION = LAWS_OF["compaction"] - LAWS_OF["zone"]
"""The laws about zones that are compacted, beside those about zones at rest."""

ASKED_OF_REST = frozenset(law.id for law in STATE_LAWS.laws)
"""The laws about zones at rest, which schedules are asked wherever the locks allow."""

ASKED_OF_ONE_ZONE = frozenset(
    law.id for book in (EXACT_LAWS, KEPT_LAWS, ORACLE_LAWS) for law in book.laws
)
"""The laws that only zones that are alone are asked, beside the stamps."""


def show(plan: Plan, offer: Offer, summary: Summary, seconds: float) -> None:
    """Print the tables, then each failure with the command that repeats it."""
    _gears(plan, summary, seconds)
    _laws(plan, offer, summary)
    _events(summary)
    for failure in summary.failures:
        print(f"{failure.finding or plan.out}:1: error: {failure.law}: {failure.complaint}")
        if failure.finding is not None:
            words = ["pagefuzz", "replay", "--target", plan.target, "--level", plan.level]
            print(f"  repeat with: {shlex.join([*words, str(failure.finding)])}")
    for unit in summary.unsteady:
        print(
            f"unit {unit.number}: {unit.complaint}; no verdict on such an allocator is repeatable"
        )
    if summary.missed:
        print(f"error: the canary was missed by {', '.join(summary.missed)}; trust no verdict")


def _gears(plan: Plan, summary: Summary, seconds: float) -> None:
    rows: list[tuple[str, str, int, int, int]] = []
    for gear in plan.gears:
        results = [result for result in summary.results if result.gear == gear]
        operations = sum(result.operations for result in results)
        busy = sum(result.seconds for result in results)
        rate = round(operations / busy) if busy else 0
        caught = "missed" if gear in summary.missed else "caught"
        rows.append((gear, caught, len(results), operations, rate))
    operations = sum(result.operations for result in summary.results)
    rate = round(operations / seconds) if seconds else 0
    rows.append(("all cores", "", len(summary.results), operations, rate))
    console.table(
        f"gears on target {plan.target}",
        ("gear", "canary", "units", "operations", "operations/s"),
        rows,
    )


def _laws(plan: Plan, offer: Offer, summary: Summary) -> None:
    """Each law that can judge the target, and what may be said of it."""
    broken = Counter(failure.law for failure in summary.failures)
    rows = []
    for law in all_laws():
        gears = [gear for gear in plan.gears if _asks(gear, law)]
        shown = STRICTER[law.level] <= STRICTER[offer.level] and law.id not in offer.unshown
        asked = shown and bool(gears)
        of_its_eras = [one for one in summary.results if one.era in law.eras and one.gear in gears]
        count = sum(
            one.operations if law.id in ASKED_OF_STREAMS else one.judged for one in of_its_eras
        )
        if broken[law.id]:
            verdict = "REFUTED"
        elif not asked:
            verdict = "not asked of this target"
        elif not of_its_eras:
            verdict = "not asked in these eras"
        else:
            verdict = f"not refuted in {count} operations"
        rows.append((law.id, law.level, verdict))
    console.table("laws", ("law", "level", "verdict"), rows)


def _asks(gear: Gear, law: Entry) -> bool:
    """Whether a gear's units ask the law at all."""
    law_id = law.id
    if gear == "schedules":
        return law.subject == A_STEP or law_id in ASKED_OF_REST
    if law.subject == A_STEP:
        return False
    if gear == "counters" or law_id in ASKED_OF_COUNTERS:
        return gear == "counters" and law_id in ASKED_OF_COUNTERS
    if gear == "slabs" or law_id in ASKED_OF_SLABS:
        return gear == "slabs" and law_id in ASKED_OF_SLABS
    if gear == "compaction" or law_id in ASKED_OF_COMPACTION:
        return gear == "compaction" and law_id in ASKED_OF_COMPACTION | ASKED_OF_REST
    return law_id not in (ASKED_OF_ONE_ZONE if gear == "hosts" else ASKED_OF_HOSTS)


def _events(summary: Summary) -> None:
    rows = []
    for era, reached in summary.reached.items():
        missing = summary.missing[era]
        floor = summary.floor[era]
        named = ", ".join(name_of_event(event) for event in missing[:NAMED])
        rest = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        rows.append(
            (era, f"{floor - len(missing)} of {floor}", reached.total(), named + rest or "none")
        )
    console.table("events", ("era", "floor reached", "events", "missing"), rows)
