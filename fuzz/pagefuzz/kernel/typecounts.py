"""Whether pagetypeinfo agrees: free blocks by type and order, and pageblocks by type.

A reading is judged where its columns are those of the replayed free set; a snapshot's files are not
read at one instant. Where all that is left of an order is of one type, unknown blocks are of that
type: so most lists are known from the first reading on. The counts are judged at the end, when
later events have shown what many pageblocks were all along.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.maximal import columns_of
from pagefuzz.kernel.mobility import Mobility, Reading, list_of, put_on, types_at
from pagefuzz.kernel.pagetypeinfo import ZoneName
from pagefuzz.kernel.places import BUDDY, runs_in
from pagefuzz.kernel.snapshots import Snapshot, Zone
from pagefuzz.kernel.state import Replay
from pagefuzz.kernel.tracefs import Event
from pagespec.frames import SIZES, blocks_of_run
from pagespec.migratetype import REQUESTED, MigrateType
from pagespec.types import Block

SUPPOSED = "of another type than the free block over it"


def special_zones(snapshots: Iterable[Snapshot]) -> frozenset[ZoneName]:
    """Return the zones that have pageblocks which are reserved, isolated or CMA's."""
    return frozenset(
        name
        for snapshot in snapshots
        for name, row in (snapshot.types.blocks.items() if snapshot.types else ())
        if any(count and mt not in REQUESTED for mt, count in row.items())
    )


def note_reading(replay: Replay, mobility: Mobility, event: Event, snapshot: Snapshot) -> None:
    """Infer unknown lists from a snapshot just met, and keep its counts for the end."""
    if snapshot.types is None:
        return
    for zone in snapshot.zones:
        if zone.name in mobility.special:
            continue
        free = snapshot.types.free.get(zone.name, {})
        pageblocks = snapshot.types.blocks.get(zone.name, {})
        sums = tuple(map(sum, zip(*free.values(), strict=True)))
        readable = sums == columns_of(replay.places, zone, replay.top)
        reading = Reading(
            snapshot.name, replay.window_line, event.line, zone, free, pageblocks, readable
        )
        mobility.readings.append(reading)
        if readable:
            while (order := _infer(replay, mobility, reading)) is not None:
                reading.inferred.add(order)
            for block, mt in _lists(replay, mobility, zone):
                if mt is not None:
                    reading.known[block.order, mt] += 1
                else:
                    at = block.pfn // SIZES[mobility.order]
                    reading.unknown[block.order, at] += 1


def judge_readings(replay: Replay, mobility: Mobility) -> None:
    """Judge all readings by what is known at the end of the trace."""
    first: dict[Zone, Counter[MigrateType]] = {}
    for reading in mobility.readings:
        _judge_free(replay, mobility, reading)
        _judge_pageblocks(replay, mobility, reading, first)


def _infer(replay: Replay, mobility: Mobility, reading: Reading) -> int | None:
    """Put unknown blocks of an order on the one list that still lacks some; return the order."""
    unknown: dict[int, list[Block]] = {}
    left = {
        (order, mt): count for mt, row in reading.free.items() for order, count in enumerate(row)
    }
    for block, mt in _lists(replay, mobility, reading.zone):
        if mt is None:
            unknown.setdefault(block.order, []).append(block)
        else:
            left[block.order, mt] = left.get((block.order, mt), 0) - 1
    for order, blocks in unknown.items():
        lacking = [mt for mt in reading.free if left[order, mt]]
        if len(lacking) == 1 and left[order, lacking[0]] == len(blocks):
            for block in blocks:
                put_on(mobility, reading.line, block.pfn, order, lacking[0])
            return order
    return None


def _lists(
    replay: Replay, mobility: Mobility, zone: Zone
) -> Iterator[tuple[Block, MigrateType | None]]:
    for first, end in runs_in(replay.places, zone.first, zone.end, BUDDY):
        for block in blocks_of_run(first, end, replay.top):
            yield block, list_of(mobility, block.pfn)


def _judge_free(replay: Replay, mobility: Mobility, reading: Reading) -> None:
    known = reading.known.copy()
    open_orders = set()
    for (order, pageblock), count in reading.unknown.items():
        mt = mobility.original.get(pageblock) if mobility.agree else None
        if mt is None:
            open_orders.add(order)
        else:
            known[order, mt] += count
    for mt, row in reading.free.items():
        for order, count in enumerate(row):
            if not count and not known[order, mt]:
                continue
            if not reading.readable:
                replay.findings.passed[law.FREE_COUNT] += 1
                continue
            is_open = order in open_orders
            passed = is_open or order in reading.inferred
            (replay.findings.passed if passed else replay.findings.checked)[law.FREE_COUNT] += 1
            if known[order, mt] > count or (known[order, mt] < count and not is_open):
                replay.findings.breach(
                    reading.line,
                    law.FREE_COUNT,
                    f"snapshot {reading.name}, {reading.zone}: expected {known[order, mt]}"
                    f"{' or more' if is_open else ''} free blocks of order {order} on the list of"
                    f" {mt.name}, pagetypeinfo says {count}.",
                )


def _judge_pageblocks(
    replay: Replay,
    mobility: Mobility,
    reading: Reading,
    first: dict[Zone, Counter[MigrateType]],
) -> None:
    """Pageblocks that no event ever showed are the same in all readings, so are their types."""
    if not reading.pageblocks:
        return
    zone = reading.zone
    numbers = range(
        zone.first // SIZES[mobility.order], (zone.end - 1) // SIZES[mobility.order] + 1
    )
    inside = {each.line for each in mobility.changes if reading.begin <= each.line <= reading.line}
    lefts = []
    for line in sorted({reading.begin, reading.line, *inside}):
        known = Counter(types_at(mobility, line, numbers))
        lefts.append(Counter({mt: n - known[mt] for mt, n in reading.pageblocks.items()}))
    first.setdefault(zone, lefts[-1])
    unknown = sum(first[zone].values())
    replay.findings.passed[law.BLOCK_COUNT] += unknown
    replay.findings.checked[law.BLOCK_COUNT] += sum(reading.pageblocks.values()) - unknown
    changed = {each.pageblock for each in mobility.changes if each.line <= reading.line}
    hidden = Counter(
        mobility.original[each] for each in mobility.supposed & changed.intersection(numbers)
    )
    possible = [left for left in lefts if min(left.values()) >= 0]
    if first[zone] in possible:
        return
    wrong = [left - first[zone] for left in possible]
    excused = [each for each in wrong if Counter() < each <= hidden]
    if excused:
        pageblocks = min(each.total() for each in excused)
        replay.findings.tally(SUPPOSED).claimed += pageblocks * SIZES[mobility.order]
    else:
        replay.findings.breach(
            reading.line,
            law.BLOCK_COUNT,
            f"snapshot {reading.name}, {zone}: expected pageblocks"
            f" {_show(reading, first[zone], lefts[-1])},"
            f" pagetypeinfo says {_counts(reading.pageblocks)}.",
        )


def _show(reading: Reading, first: Counter[MigrateType], left: Counter[MigrateType]) -> str:
    return _counts({mt: n - left[mt] + first[mt] for mt, n in reading.pageblocks.items()})


def _counts(counts: dict[MigrateType, int]) -> str:
    return ", ".join(f"{n} {mt.name}" for mt, n in counts.items())
