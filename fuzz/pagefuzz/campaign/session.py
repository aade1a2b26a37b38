"""A whole session: canary, units over the cores, the bundled traces of real kernels, the tables."""

import shlex
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

from pagefuzz.campaign import tables
from pagefuzz.campaign.canary import missed_by
from pagefuzz.campaign.interrupt import Interrupt
from pagefuzz.campaign.plan import Gear, Plan, Result
from pagefuzz.campaign.pool import Budget, run_units
from pagefuzz.campaign.unit import empty_result
from pagefuzz.campaign.verdict import Offer, Summary, exits_of, summary_of
from pagefuzz.campaign.walk import FUZZED_ERAS
from pagefuzz.campaign.warm import compile_kernels
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit, worst
from pagefuzz.findings import make_ready
from pagefuzz.kernel.checking import check_run
from pagefuzz.kernel.runs import bundled_runs
from pagefuzz.lockstep import STRICTER
from pagefuzz.report import console
from pagefuzz.target.adapter import Adapter
from pagefuzz.target.builtin import TwinFactory
from pagefuzz.target.load import factory_of
from pageimpl.source import plain_modules
from pagespec.era import ERAS, era_named
from pagespec.frames import SIZES
from pagespec.laws.law import LawBroken, Level
from pagespec.machine import Machine
from pagespec.types import DomainError

PROBED_TOPS = (4, 10, 3, 2, 1, 0, 5, 6, 7, 8, 9, 11, 12)
"""The top orders by which a target is asked whether it takes an era, the likely ones first."""


EXTRA_TURNS = 3
"""How many turns a run by seconds, or smoke, may go on for as long as events are missing."""


def plan_for(
    command: str,
    target: str,
    seed: int,
    level: Level,
    eras: tuple[str, ...],
    out: Path,
    rounds: int,
) -> Plan:
    """The plan of a session on a target.

    Without eras all that were released are taken, or of an allocator that does not take them all
    those that it takes. command: the one that repeats the session. Raises UsageError for a target
    or an era that there is not.
    """
    factory = factory_of(target)
    asked = [era_named(era).name for era in eras] or [era.name for era in FUZZED_ERAS]
    taken = tuple(era for era in asked if _probe(target, era) is not None)
    if not taken:
        raise UsageError(
            f"target {target} takes no plain machine of era {', '.join(asked)}; expected one that "
            f"takes a zone from frame 0 with some top order up to {max(PROBED_TOPS)}"
        )
    gears: tuple[Gear, ...] = ("walk", "hypothesis")
    if isinstance(factory, TwinFactory) and level == "exact":
        gears = ("stream", *gears, "hosts", "counters", "slabs", "compaction", "schedules")
    words = (command, *(word for era in eras for word in ("--era", era)))
    return Plan(words, seed, target, level, taken, gears, out, rounds)


def _probe(target: str, era: str) -> Adapter | None:
    """The allocator on the first machine of the era that it takes, if it takes any."""
    factory = factory_of(target)
    if isinstance(factory, TwinFactory):
        # It is the same in the plain form, which need not be loaded for half a second.
        factory = TwinFactory(plain_modules())
    for top in PROBED_TOPS:
        try:
            return Adapter(factory, Machine(max(64, 4 * SIZES[top]), top, ERAS[era]))
        except DomainError:
            continue
        except LawBroken as broken:
            raise UsageError(f"target {target}: {broken.complaint}") from None
    return None


def run_session(plan: Plan, jobs: int, budget: Budget) -> Exit:
    """Run it, print its tables, and return what its end means; the seed comes first and last."""
    codes: list[Exit] = []
    with Interrupt() as interrupt:
        console.seed(plan.seed)
        make_ready(plan.out)
        offer = _offer(plan)
        twin = isinstance(factory_of(plan.target), TwinFactory)
        begin = perf_counter()
        if twin:
            compile_kernels()
        missed = missed_by(plan, offer.level)
        results = _run(plan, offer, jobs, budget, interrupt)
        summary = summary_of(plan, offer, results, missed)
        tables.show(plan, offer, summary, perf_counter() - begin)
        codes += exits_of(summary)
        if interrupt.asked:
            codes.append(Exit.INTERRUPTED)
        elif twin:
            codes += _real_traces()
        code = worst(codes)
        again = f"; the same again: {_again(plan, len(results))}" if results else ""
        print(f"{MEANING[code]}: {len(results)} units{again}")
        console.seed(plan.seed)
    return code


def _run(plan: Plan, offer: Offer, jobs: int, budget: Budget, interrupt: Interrupt) -> list[Result]:
    """Run the units and tell of them as they come in; the results by number.

    Seconds that did not suffice to meet every event buy a few turns more: on a slow machine a run
    would otherwise say nothing, for want of one rare event. Where the units are fixed, and are to
    meet them all, the eras that have not get some more, the same ones each time.
    """
    begin = perf_counter()
    done: list[Result] = []
    with console.progress("run") as tell, interrupt.heeded():

        def told(result: Result) -> None:
            done.append(result)
            operations = sum(one.operations for one in done)
            rate = operations / (perf_counter() - begin)
            broken = sum(one.law is not None for one in done)
            tell(
                f"units {len(done)}  operations {operations:,} ({rate:,.0f}/s)  "
                f"broken {broken}  seed {plan.seed:08x}"
            )

        interrupt.at_once = True
        run_units(plan, jobs, budget, told, enough=lambda: interrupt.asked)
        more = budget.seconds is not None or budget.completes
        begun = len(done)
        for _ in range(EXTRA_TURNS if more else 0):
            short = _short_eras(summary_of(plan, offer, done, []))
            if interrupt.asked or not short:
                break
            wanted = short if budget.completes else frozenset(plan.eras)
            run_units(
                plan,
                jobs,
                Budget(units=plan.turn),
                told,
                lambda: interrupt.asked,
                first=begun,
                only=partial(_is_of, plan, wanted),
            )
            begun += plan.turn
        interrupt.at_once = False
    return sorted(done, key=lambda result: result.number)


def _is_of(plan: Plan, eras: frozenset[str], number: int) -> bool:
    """Whether the unit of that number is of one of the eras."""
    return empty_result(plan, number).era in eras


def _short_eras(summary: Summary) -> frozenset[str]:
    """The eras in which no law is broken, but the silence means nothing yet."""
    if summary.failures:
        return frozenset()
    return frozenset(era for era, missing in summary.missing.items() if missing)


def _offer(plan: Plan) -> Offer:
    probe = _probe(plan.target, plan.eras[0])
    assert probe is not None, "plan_for keeps the eras that the target takes"
    level = min(plan.level, probe.level, key=STRICTER.__getitem__)
    return Offer(level, probe.verbs, probe.unshown)


MEANING = {
    Exit.HELD: "every law held",
    Exit.BROKEN: "a law is broken",
    Exit.INCONCLUSIVE: "inconclusive: events of the floor are missing, or a trace has lost some",
    Exit.UNTRUSTWORTHY: "the harness cannot be trusted: it missed the canary",
    Exit.INTERRUPTED: "interrupted",
}


def _again(plan: Plan, units: int) -> str:
    """The command that repeats the session; `smoke` knows its seed and its units."""
    words = ["pagefuzz", *plan.command, "--target", plan.target, "--level", plan.level]
    if plan.command[0] == "run":
        words += ["--seed", f"{plan.seed:08x}", "--units", str(units)]
    return shlex.join([*words, "--out", str(plan.out)])


def _real_traces() -> Iterator[Exit]:
    """Check the traces of real kernels that the checkout carries."""
    rows = []
    for path in bundled_runs():
        report = check_run(path)
        outcomes = Counter(each.outcome for each in report.findings.comparisons)
        rows.append(
            (
                path.parent.name,
                report.era,
                sum(report.kinds.values()),
                ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())),
                report.verdict.value,
            )
        )
        yield report.exit
    console.table("traces of real kernels", ("run", "era", "events", "snapshots", "verdict"), rows)
