"""The second pass: each record is judged when all that follows is known.

Which list a freed block is on shows when it leaves: a request prints its type, and up to 6.8 so
does a drain. So the first pass notes, and this one replays the lists.
"""

from bisect import insort
from collections.abc import Mapping
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.percpu import causes, drains, lifo, refills
from pagefuzz.kernel.percpu.lists import Judge, lists_of
from pagefuzz.kernel.percpu.outcome import broken, explained
from pagefuzz.kernel.percpu.records import (
    Allocated,
    Drained,
    Freed,
    Kswapd,
    Met,
    Record,
    Refill,
    fates,
)
from pagefuzz.kernel.snapshots import Snapshot
from pagefuzz.kernel.state import Replay


def judge(replay: Replay, snapshots: Mapping[str, Snapshot]) -> None:
    """Judge the CPUs' lists over all of a trace, if they were noted."""
    notes = replay.notes
    if notes is None or replay.era.lists is None:
        return
    state = Judge(
        replay.era.lists,
        replay.zones,
        replay.huge,
        notes.records,
        fates(notes.records),
        replay.findings,
        dict(snapshots),
    )
    drains.find_triggers(state)
    waiting: list[_Waiting] = []
    for at, record in enumerate(state.records):
        if record is None:
            continue
        while waiting and waiting[0].line < record.line:
            _judge_waiting(state, waiting)
        match record:
            # A refill is over at its last block; others may drain one of its blocks before that.
            case Refill(lines=[*_, last]) if last > record.line:
                insort(waiting, _Waiting(last, at, record), key=attrgetter("line"))
            case _:
                _judge_one(state, at, record, waiting)
    while waiting:
        _judge_waiting(state, waiting)


class _Waiting(NamedTuple):
    """A record that is judged at a later line than its first."""

    line: int
    at: int
    record: Record


def _judge_waiting(judge: Judge, waiting: list[_Waiting]) -> None:
    _, at, record = waiting.pop(0)
    _judge_one(judge, at, record, waiting)


def _judge_one(judge: Judge, at: int, record: Record, waiting: list[_Waiting]) -> None:
    judge.at = at
    match record:
        case Met():
            _meet(judge, record)
        case Freed():
            drains.freed(judge, record, judge.fates[at][0])
        case Refill():
            refills.refilled(judge, record, judge.fates[at])
        case Allocated():
            lifo.allocated(judge, record)
        case Drained():
            rest = drains.drained(judge, record)
            if rest is not None:
                insort(waiting, _Waiting(rest.line, at, rest), key=attrgetter("line"))
        case Kswapd(node=node, awake=awake):
            judge.awake[node] = awake


def _meet(judge: Judge, record: Met) -> None:
    """Take the sizes of a snapshot, and the counts if nothing moved while it was read."""
    following = islice(judge.records, judge.at + 1, None)
    later = next((each for each in following if isinstance(each, Met)), record)
    first = not judge.cpus
    for number, zone in enumerate(judge.zones):
        read = [judge.snapshots[each.name].sizes.get(zone.name) for each in (record, later)]
        both = [each for each in read if each is not None]
        for cpu, pageset in read[0].pagesets.items() if read[0] else ():
            lists = lists_of(judge, cpu, number)
            lists.load.resize(both, cpu)
            lists.sized = True
            if first:
                lists.count = lists.hidden = pageset.pages
                lists.complete.clear()
            elif record.certain:
                _count(judge, record, cpu, number, pageset.pages)


def _count(judge: Judge, record: Met, cpu: int, zone: int, count: int) -> None:
    lists = lists_of(judge, cpu, zone)
    counts = lists.counts()
    if counts.least <= count <= counts.most:
        exact = counts.least == counts.most
        explained(judge, law.COUNT, "count", causes.EXACT if exact else causes.WITHIN)
        lists.gone = lists.count - count
        return
    broken(
        judge,
        law.COUNT,
        "count",
        record.line,
        f"snapshot {record.name}: CPU {cpu} keeps {counts.least} to {counts.most} frames of"
        f" {judge.zones[zone]}, zoneinfo says {count}.",
    )
