"""Judging what zoneinfo counts in every snapshot of a run, or in files on their own.

These laws need no events, so lost ones excuse nothing. A trace helps with one thing: a node whose
kswapd does nothing in it has not had the thresholds of a node in need since it began.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pagefuzz.kernel import findings as law
from pagefuzz.kernel import numastat
from pagefuzz.kernel.findings import Findings, ThresholdRow
from pagefuzz.kernel.freecounts import Drift, Outcome, judge_free
from pagefuzz.kernel.pagetypeinfo import ZoneName
from pagefuzz.kernel.snapshots import Reading
from pagefuzz.kernel.thresholds import Threshold, Why, judge_threshold
from pagefuzz.kernel.tracefs import Event
from pagefuzz.kernel.zoneinfo import ZoneInfo

_KSWAPD = re.compile(r"kswapd(\d+)-")
_MARKER = "tracing_mark_write"


@dataclass
class Wakes:
    """Of which nodes kswapd did something: so far, and by the end of each snapshot in turn."""

    nodes: set[int] = field(default_factory=set)
    by: dict[str, frozenset[int]] = field(default_factory=dict)

    def may_have_been(self, name: str, node: int) -> bool:
        """Whether it may have been awake before a snapshot, as long before as CPUs keep things.

        Nothing is known before the trace, so not at its first snapshot either.
        """
        return name not in self.by or name == next(iter(self.by)) or node in self.by[name]


def watched(found: Iterable[Event], wakes: Wakes) -> Iterator[Event]:
    """Pass events on, and note what kswapd does."""
    for event in found:
        if match := _KSWAPD.match(event.task):
            wakes.nodes.add(int(match[1]))
        elif event.kind == _MARKER:
            match event.payload.split():
                case ["SNAP", name, "end"]:
                    wakes.by[name] = frozenset(wakes.nodes)
        yield event


def judge_run(report: Findings, readings: Iterable[Reading], wakes: Wakes) -> None:
    """Judge a run's readings in their order: what one shows, the next must go on from."""
    before: dict[ZoneName, Threshold] = {}
    largest: dict[ZoneName, int] = {}
    for reading in readings:
        for zone in reading.zones:
            found = judge_threshold(zone, before.get(zone.name))
            if found is not None:
                _note(report, reading, zone, found)
                before[zone.name] = found
                largest[zone.name] = max(*found.seen, largest.get(zone.name, 0))
        awoke = {node for node, _ in largest if wakes.may_have_been(reading.name, node)}
        _judge_lists(report, reading, largest, awoke)
        _judge_numa(report, reading)


def judge_alone(report: Findings, reading: Reading) -> None:
    """Judge a reading that nothing is known about."""
    judge_run(report, [reading], Wakes())


def _note(report: Findings, reading: Reading, zone: ZoneInfo, found: Threshold) -> None:
    report.checked[law.THRESHOLD] += 1
    report.thresholds.append(ThresholdRow(reading.where, found))
    if found.why is Why.NOTHING:
        report.breach(
            zone.line,
            law.THRESHOLD,
            f"{zone.title}: expected a threshold of {found.computed} for {found.cpus} CPUs and"
            f" {found.managed} managed frames, got {found.printed}.",
            reading.where,
        )


def _judge_lists(
    report: Findings, reading: Reading, largest: dict[ZoneName, int], awoke: set[int]
) -> None:
    for zone in reading.zones:
        columns = [each[zone.name] for each in reading.buddyinfo if zone.name in each]
        if not columns or not zone.pagesets:
            continue
        found = judge_free(zone, columns, largest.get(zone.name, 0), awoke=zone.name[0] in awoke)
        report.drifts[found.outcome] += 1
        if found.outcome is Outcome.MOVED:
            report.passed[law.DRIFT] += 1
            continue
        report.checked[law.DRIFT] += 1
        if found.outcome is Outcome.BEYOND:
            report.breach(zone.line, law.DRIFT, _too_far(zone, found), reading.where)


def _too_far(zone: ZoneInfo, found: Drift) -> str:
    way = "more" if found.frames > 0 else "less"
    return (
        f"{zone.title}: buddyinfo has {abs(found.frames)} frames {way} than nr_free_pages"
        f" {zone.amounts['nr_free_pages']}: expected at most {found.most}, which"
        f" {len(zone.pagesets)} CPUs may keep to themselves."
    )


def _judge_numa(report: Findings, reading: Reading) -> None:
    zones = numastat.zones_counted(reading.zones)
    for zone in zones:
        report.checked[law.NUMA] += 1
        if complaint := numastat.complaint_on_zone(zone):
            report.breach(zone.line, law.NUMA, complaint, reading.where)
    if zones:
        report.checked[law.NUMA] += 1
        if complaint := numastat.complaint_on_all(zones):
            report.breach(zones[0].line, law.NUMA, complaint, reading.where)
