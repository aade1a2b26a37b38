"""The generated parts of the page about interleavings."""

from collections.abc import Iterator
from itertools import groupby

from pagefuzz.explore import counts, trials
from pagefuzz.explore.tasks import Counts
from pagefuzz.irqsoff import worst
from pagefuzz.irqsoff.stretches import WORDS
from pagefuzz.report.markdown import table
from pagefuzz.schedule.drawing import steps_drawn
from pagefuzz.schedule.every import EVERY_EXPERIMENT, EVERY_SCENARIO
from pagespec.compaction.laws.windows import SCANNERS, Scanner, bound
from pagespec.compaction.machine import CompactionMachine
from pagespec.era import ERAS, Era
from pagespec.guards import RULES, Rule
from pagespec.schedule.opening import opened
from pagespec.schedule.running import BY_GENERATORS
from pagespec.schedule.trace import schedule_text_of


def guards_markdown() -> str:
    """One row a guard: which eras have it, and how it keeps each of those off who may get in."""
    columns = ["guard", "eras", "interrupts that ask for a block", "drains from another CPU"]
    return table(columns, [_guard_row(name, rule) for name, rule in RULES.items()])


def _guard_row(name: str, rule: Rule) -> tuple[str, ...]:
    eras = ", ".join(era.name for era in ERAS.values() if era.guard == name)
    return f"`{name}`", eras or "none", _kept_off(rule), _drains(rule)


def _kept_off(rule: Rule) -> str:
    if rule.irqs_off:
        return "cannot come: they are off"
    if rule.bars_interrupts:
        return "may come, and go to the buddy by themselves"
    if rule.locks:
        alone = "; off where one CPU has no locks" if rule.irqs_off_alone else ""
        return f"may come, find the lock taken and go to the buddy{alone}"
    return "may come, and are not kept off"


def _drains(rule: Rule) -> str:
    if rule.locks:
        return "wait for the lock"
    return "run on the CPU itself, with interrupts off there"


def scenarios_markdown() -> str:
    """One row for each topic: in which eras it is explored, and what these come to."""
    committed = counts.read()
    columns = ["topic", "eras", "states", "transitions", "ends", "deepest"]
    return table(columns, _topic_rows(committed))


def _topic_rows(committed: dict[str, Counts]) -> Iterator[tuple[object, ...]]:
    def topic_of(name: str) -> str:
        return name.removesuffix(f"-{EVERY_SCENARIO[name].machine.era.name}")

    for topic, names in groupby(EVERY_SCENARIO, topic_of):
        known = [name for name in names if name in committed]
        found = [committed[name] for name in known]
        eras = ", ".join(EVERY_SCENARIO[name].machine.era.name for name in known)
        if not found:
            continue
        states, steps, ends, depths = zip(*found, strict=True)
        yield topic, eras, sum(states), sum(steps), sum(ends), max(depths)


def experiments_markdown() -> str:
    """Each experiment: what is left out, what breaks, and its shortest schedule step by step."""
    return "\n".join(_experiment(name) for name in EVERY_EXPERIMENT)


def _experiment(name: str) -> str:
    trial = trials.try_out(name)
    trace = trials.trace_of(trial)
    world = opened(trace.scenario, BY_GENERATORS)
    drawn = [line for _, lines in steps_drawn(world, trace.schedule) for line in lines]
    felt = f"; felt as {trial.felt} when nobody asks whose the lists are" if trial.felt else ""
    text = [line for line in schedule_text_of(trace).splitlines()[1:] if not line.startswith("#")]
    title = f"### `{name}`: {trial.law}{felt}"
    lines = [title, "", EVERY_EXPERIMENT[name].sentence, "", "```", *text, "", *drawn, "```", ""]
    return "\n".join(line.rstrip() for line in lines)


def windows_markdown() -> str:
    """One row an operation, one column an era: the worst case, and the bound where it is less."""
    found = list(worst.rows(PRINTED))
    verbs = list(dict.fromkeys(row.verb for row in found))
    cells = {(row.verb, row.era): row for row in found}
    rows = [
        (f"`{verb.value}`", *(_window(cells.get((verb, era))) for era in PRINTED)) for verb in verbs
    ]
    scanners = [
        (WORDS[scanner], *(_scanned(ERAS[name], scanner) for name in SCANNED))
        for scanner in SCANNERS
    ]
    bounds = table(["in compaction, at most", *SCANNED], scanners)
    return f"{table(['operation', *PRINTED], rows)}\n\n{bounds}"


def _scanned(era: Era, scanner: Scanner) -> str:
    if era.compaction is None or (scanner == "lists" and not era.compaction.seeks):
        return ""
    machine = CompactionMachine(worst.machine_of(era))
    return f"{bound(machine, scanner, strays=False):,}"


PRINTED = ("2.6.8", "2.6.11", "2.6.37", "4.10", "4.11-rc", "5.8", "5.15", "6.1", "6.12")
"""The eras of the table: those left out are as the one before."""

SCANNED = ("2.6.37", "2.6.39", "4.10", "5.8", "6.12")
"""The same of compaction's scanners."""


def _window(row: worst.Row | None) -> str:
    if row is None:
        return ""
    return f"{row.seen:,}" if row.seen == row.bound else f"{row.seen:,} of {row.bound:,}"
