"""What explorations came to, as tables and findings, and whether they say anything at all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pagefuzz.exits import Exit
from pagefuzz.explore.counts import changes
from pagefuzz.explore.tasks import DEFAULT, Counts, Result
from pagefuzz.report import console
from pagefuzz.report.words import counted
from pagespec.era import Era
from pagespec.events import Kind
from pagespec.guards import RULES
from pagespec.laws.state import STATE_LAWS
from pagespec.machine import Machine
from pagespec.schedule.laws import AT_EVERY_STEP

SCENARIO_COLUMNS = (
    *("scenario", "era", "guard", "states", "transitions", "ends", "depth"),
    *("states/s", "verdict"),
)

DUE = frozenset(
    {Kind.SPLIT, Kind.MERGE, Kind.REFILL, Kind.PCPU_DRAIN, Kind.FROM_LIST, Kind.TO_LIST}
)
"""What the scenarios of an era must bring about between them, or they say nothing of it."""


class Verdict(NamedTuple):
    """What a result means for the run."""

    words: str
    code: Exit


def verdict_of(result: Result, committed: Mapping[str, Counts]) -> Verdict:
    """The verdict on one scenario: what broke, which count changed, or how far nothing did."""
    if result.law is not None:
        return Verdict(f"broken: {result.law}", Exit.BROKEN)
    if sum(bool(role.requests) for role in result.task.scenario.roles) < 2:
        return Verdict("vacuous: nobody could come between", Exit.INCONCLUSIVE)
    if result.task.reach == DEFAULT and result.exhausted:
        changed = changes(result.task.name, result.counts, committed)
        if changed is not None:
            return Verdict(f"changed: {changed}", Exit.BROKEN)
    return Verdict(result.extent, Exit.HELD)


def era_of(result: Result) -> Era:
    """The era of a result's scenario."""
    return result.task.scenario.machine.era


def scenario_rows(
    results: Iterable[Result], committed: Mapping[str, Counts]
) -> Iterator[tuple[object, ...]]:
    """One row a scenario, as SCENARIO_COLUMNS names it."""
    for result in results:
        era = era_of(result)
        rate = round(result.counts.states / max(result.seconds, 1e-3))
        verdict = verdict_of(result, committed)
        yield result.task.name, era.name, era.guard, *result.counts, rate, verdict.words


class Asked(NamedTuple):
    """A law over all scenarios: of how many it was asked, what they came to, and its verdict."""

    law: str
    scenarios: int
    states: int
    words: str
    code: Exit


def law_verdicts(results: Sequence[Result]) -> Iterator[Asked]:
    """Every law that speaks of an era that was explored, or was asked; in the books' order."""
    zones = [era_of(each) for each in results if isinstance(each.task.scenario.machine, Machine)]
    due = {
        law.id: None
        for book in (AT_EVERY_STEP, STATE_LAWS)
        for law in book.laws
        if any(law.eras(era) for era in zones)
    }
    asked = dict.fromkeys(sorted(law for result in results for law in result.asked))
    broken = {result.law: None for result in results if result.law is not None}
    for law in {**due, **asked, **broken}:
        of = [result for result in results if law in result.asked]
        states = sum(result.counts.states for result in of)
        if law in broken:
            yield Asked(law, len(of), states, "broken", Exit.BROKEN)
        elif not of:
            yield Asked(law, 0, 0, "vacuous: never asked", Exit.INCONCLUSIVE)
        else:
            words = dict.fromkeys(result.extent for result in of if result.law is None)
            yield Asked(law, len(of), states, "; ".join(words) or "not refuted", Exit.HELD)


def not_reached(results: Sequence[Result]) -> Iterator[str]:
    """What no scenario of an era brought about and ought to, in a sentence for each era."""
    eras = {era_of(each) for each in results if isinstance(each.task.scenario.machine, Machine)}
    for era in sorted(eras, key=lambda era: era.name):
        rule = RULES[era.guard]
        due = DUE | ({Kind.BARRED} if rule.locks or rule.bars_interrupts else frozenset())
        seen = {kind for result in results if era_of(result) == era for kind in result.events}
        missing = sorted(kind.value for kind in due - seen)
        if missing:
            yield f"vacuous in era {era.name}: no scenario came to {', '.join(missing)}"


def show(results: Sequence[Result], committed: Mapping[str, Counts], *, whole: bool) -> list[Exit]:
    """Print what explorations came to, and return what it means.

    whole: whether they are all of the built-in scenarios, so that what they miss is missed.
    """
    console.table("scenarios", SCENARIO_COLUMNS, scenario_rows(results, committed))
    laws = list(law_verdicts(results))
    console.table(
        "laws", ("law", "scenarios", "their states", "verdict"), [law[:4] for law in laws]
    )
    codes = [verdict_of(result, committed).code for result in results]
    codes += [law.code for law in laws if whole or law.scenarios]
    for sentence in not_reached(results) if whole else ():
        print(sentence)
        codes.append(Exit.INCONCLUSIVE)
    return codes


def show_total(results: Sequence[Result], wall_s: float) -> None:
    """Print the sums, and the speed of one core."""
    states = sum(result.counts.states for result in results)
    steps = sum(result.counts.steps for result in results)
    busy_s = max(sum(result.seconds for result in results), 1e-3)
    hashed = all(result.task.reach.hashed for result in results)
    kind = f"{'distinct state' if hashed else 'visited state'}{'' if states == 1 else 's'}"
    print(
        f"{counted(len(results), 'scenario')}: {states:,} {kind} and "
        f"{steps:,} transition{'' if steps == 1 else 's'} in {wall_s:.0f} s, "
        f"{busy_s:.1f} s of processors; "
        f"{states / busy_s:,.0f} states and {steps / busy_s:,.0f} transitions a second a core"
    )


def show_finding(result: Result, path: Path) -> None:
    """Print a broken law and the command that shows it again."""
    print(f"{path}:1: error: {result.law}: {result.complaint}")
    print(f"  repeat with: pagefuzz replay {path}")
