"""A report as text: findings as `file:line: error:` lines, tables, and a line of verdict."""

from collections import Counter

from pagefuzz.kernel.findings import (
    BLOCK_COUNT,
    FREE_COUNT,
    LAWS,
    NEEDS_SNAPSHOT,
    Report,
    Verdict,
)
from pagefuzz.kernel.percpu.outcome import UNEXPLAINED
from pagefuzz.kernel.render_counts import exceptions, summed
from pagefuzz.report import console
from pagefuzz.report.words import counted

_SHOWN_PER_LAW = 10


def render(report: Report) -> None:
    """Print all of a report on stdout."""
    _breaches(report)
    console.table("events", ("kind", "count"), sorted(report.kinds.items()))
    if report.findings.comparisons:
        console.table(
            "snapshots",
            ("snapshot", "line", "free set", "frames by cause", "BUD-maximal"),
            [
                (
                    each.name,
                    each.line,
                    each.outcome,
                    "; ".join(f"{count} {cause}" for cause, count in (each.explained or {}).items())
                    or "-",
                    each.maximal,
                )
                for each in report.findings.comparisons
            ],
        )
    if report.findings.causes:
        console.table(
            "explained without an event of their own",
            ("cause", "frames", "taken away", "freed later", "still held at the end"),
            [
                (cause, each.claimed, each.held, each.returned, each.held - each.returned)
                for cause, each in sorted(report.findings.causes.items())
            ],
        )
    listing = report.findings.listing
    if listing:
        console.table(
            f"the CPUs' lists: {unexplained(report)} of {listing.total()} judgements unexplained",
            ("law", "event", "cause", "events"),
            [(*key, count) for key, count in sorted(listing.items())],
        )
    summed(report.findings)
    console.table(
        "laws",
        ("law", "checked", "verdict", "what it says"),
        [(law, judged(report, law), report.laws[law], LAWS[law]) for law in LAWS],
    )
    for note in notes(report):
        print(f"note: {note}")
    print(f"{report.trace}: {summary(report)}")


def unexplained(report: Report) -> int:
    """Return how many judgements on the CPUs' lists have no cause: each is a finding."""
    listing = report.findings.listing
    return sum(count for (_, _, cause), count in listing.items() if cause == UNEXPLAINED)


def judged(report: Report, law: str) -> str:
    """Return how often a law was judged, and of how many where knowledge was wanting.

    A law that passes over most of what it is asked says less than its verdict.
    """
    checked, passed = report.findings.checked[law], report.findings.passed[law]
    return f"{checked} of {checked + passed}" if passed else str(checked)


def summary(report: Report) -> str:
    """Return the verdict and the snapshots' outcomes in one line."""
    outcomes = Counter(each.outcome for each in report.findings.comparisons)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    return f"{report.verdict} (era {report.era}; snapshots: {counts or 'none'})"


def notes(report: Report) -> list[str]:
    """Return what a reader must know to weigh the verdict."""
    found = []
    if report.loss.events:
        excused = len(report.findings.broken) - len(report.breaches)
        found.append(
            f"{counted(report.loss.events, 'event was', 'events were')} lost according to"
            f" {report.loss.source}:"
            f" {counted(excused, 'finding does', 'findings do')} not count."
        )
    elif not report.loss.counters_seen:
        found.append("no loss information: give the per-CPU stats files with --stats.")
    if report.loss.cut:
        entries = counted(report.loss.cut, "entry", "entries")
        found.append(f"the file lacks {entries} of those that its header promises.")
    if not report.findings.comparisons:
        found.append(f"no snapshots: {', '.join(NEEDS_SNAPSHOT)} need the free set of one.")
    if report.findings.untyped:
        found.append(f"types are not judged, but for those of requests: {report.findings.untyped}.")
    if report.findings.comparisons and not report.findings.listing:
        found.append(
            "CPUs' lists are not judged: that needs 6.0 to 6.6 or 6.12 to 6.14,"
            " and zoneinfo's pagesets."
        )
    if report.findings.uncounted:
        found.append(
            f"without pagetypeinfo {FREE_COUNT} and {BLOCK_COUNT} are not judged at"
            f" {', '.join(report.findings.uncounted)}."
        )
    if report.findings.searches:
        searches = " or ".join(report.findings.searches)
        found.append(f"of the ways to search for a fallback, only this one fits: {searches}.")
    found += exceptions(report.findings)
    if report.noise:
        lines = counted(len(report.noise), "line is no event", "lines are no events")
        found.append(f"{lines}, first line {report.noise[0]}.")
    return found


def _breaches(report: Report) -> None:
    shown: Counter[str] = Counter()
    for each in report.breaches:
        shown[each.law] += 1
        if shown[each.law] <= _SHOWN_PER_LAW:
            where = each.path or report.trace
            print(f"{where}:{each.line}: error: {each.law}: {each.sentence}")
    for law, count in shown.items():
        if count > _SHOWN_PER_LAW:
            print(f"{report.trace}: error: {law}: {count - _SHOWN_PER_LAW} more of these.")
    assert bool(shown) == (report.verdict is Verdict.BROKEN)
