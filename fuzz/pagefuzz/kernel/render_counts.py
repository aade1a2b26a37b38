"""What zoneinfo counts, as text: zone by zone for files on their own, summed up beside a trace."""

from collections import Counter

from pagefuzz.kernel.findings import DRIFT, LAWS, NUMA, THRESHOLD, Findings
from pagefuzz.kernel.thresholds import Why
from pagefuzz.kernel.zonefiles import FilesReport
from pagefuzz.report import console
from pagefuzz.report.words import counted


def render_files(report: FilesReport) -> None:
    """Print all of a report on files on stdout."""
    findings = report.findings
    for each in findings.broken:
        print(f"{each.path}:{each.line}: error: {each.law}: {each.sentence}")
    console.table(
        "thresholds of the zones' counters",
        ("file", "zone", "CPUs", "managed", "seen", "formula", "explanation"),
        [
            (
                *(where, f"node {found.zone[0]} {found.zone[1]}", found.cpus, found.managed),
                *(found.printed, found.computed, found.shown),
            )
            for where, found in findings.thresholds
        ],
    )
    summed(findings)
    console.table(
        "laws",
        ("law", "checked", "what it says"),
        [(law, findings.checked[law], LAWS[law]) for law in (THRESHOLD, DRIFT, NUMA)],
    )
    if not findings.thresholds:
        print("note: no zone has a line 'vm stats threshold': the kernel is built for one CPU.")
    print(f"{report.place}: {report.verdict} ({counted(report.files, 'file')})")


def summed(findings: Findings) -> None:
    """Print how many zones each explanation stands for."""
    why = Counter(found.why for _, found in findings.thresholds)
    rows = [
        *((THRESHOLD, str(each), why[each]) for each in Why if why[each]),
        *((DRIFT, str(each), count) for each, count in sorted(findings.drifts.items())),
    ]
    if rows:
        console.table("counters of the zones in all snapshots", ("law", "outcome", "zones"), rows)


def exceptions(findings: Findings) -> list[str]:
    """Return a sentence on each threshold that is explained, and not by the formula."""
    others = Counter(
        (found.zone, found.printed, found.computed, found.shown)
        for _, found in findings.thresholds
        if found.why in (Why.STALE, Why.PRESSURE)
    )
    return [
        f"node {node} {name}: threshold {seen}, by the formula {computed}:"
        f" {shown}; in {counted(count, 'snapshot')}."
        for ((node, name), seen, computed, shown), count in others.items()
    ]
