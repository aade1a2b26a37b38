"""Noting while the trace is replayed: events become records of the CPUs' lists.

A free with a batch is printed when it is prepared, and listed when `mm_page_free_batched` repeats
it: in between the CPU's lists may drain. So the record moves there.
Source: mm/page_alloc.c of 6.1 and 6.12 (free_unref_page_list, free_unref_folios).
"""

import re
from itertools import chain, islice

from pagefuzz.kernel.mobility import list_of
from pagefuzz.kernel.percpu.records import (
    Allocated,
    Drained,
    Freed,
    Kswapd,
    Met,
    Notes,
    Refill,
    Returned,
    blocks_of_batch,
)
from pagefuzz.kernel.places import BUDDY, runs_in
from pagefuzz.kernel.snapshots import Snapshot
from pagefuzz.kernel.state import Replay
from pagefuzz.kernel.tracefs import Event, block_in, type_number_in
from pagespec.frames import blocks_of_run
from pagespec.migratetype import REQUESTED, MigrateType
from pagespec.types import Block, Order, Pfn

ALLOC = "mm_page_alloc"
FREE = "mm_page_free"
BATCHED = "mm_page_free_batched"
TAKE = "mm_page_alloc_zone_locked"
STEAL = "mm_page_alloc_extfrag"
DRAIN = "mm_page_pcpu_drain"
_KSWAPD = {"mm_vmscan_kswapd_wake": True, "mm_vmscan_kswapd_sleep": False}
_REFILL = TAKE, STEAL
_GOES_ON = {TAKE: _REFILL, STEAL: _REFILL, DRAIN: (FREE, BATCHED, DRAIN)}
"""What an event may go on with: the kinds of the CPU's last one."""
_NODE = re.compile(r"kswapd(\d+)-")


def settle(replay: Replay, event: Event) -> None:
    """End the runs of a CPU that its next event does not go on with."""
    notes = replay.notes
    if notes is None:
        return
    if not replay.started:
        notes.before[event.cpu] = event.kind
    elif event.cpu not in notes.opening:
        before = notes.before.get(event.cpu, event.kind)  # a CPU that was silent may do anything
        goes_on = before in _GOES_ON.get(event.kind, ())
        notes.opening[event.cpu] = event.line if goes_on else 0
    if event.kind not in _REFILL:
        end_refill(replay, notes, event.cpu)
    if event.kind not in (FREE, BATCHED, DRAIN):
        notes.pending.pop(event.cpu, None)
    if event.kind != DRAIN:
        notes.drains.pop(event.cpu, None)
        if event.kind not in (FREE, BATCHED):
            notes.at_free.pop(event.cpu, None)
    if event.kind in _KSWAPD and (match := _NODE.match(event.task)):
        notes.records.append(Kswapd(event.line, int(match[1]), _KSWAPD[event.kind]))


def note(replay: Replay, event: Event, pfn: int, order: int, *, captured: bool) -> None:
    """Note an event whose block has just been moved in the replay."""
    notes = replay.notes
    if notes is None:
        return
    if not replay.started:
        if event.kind in _REFILL:
            _take(replay, notes, event, pfn, order)
        return
    notes.moved = event.line
    zone = _zone_number(replay, pfn)
    if event.kind == ALLOC:
        mt = _type(replay, event)
        notes.records.append(
            Allocated(event.line, event.cpu, zone, Block(pfn, order), mt, captured)
        )
    elif event.kind == FREE:
        mobility = replay.mobility
        special = mobility is not None and replay.zones[zone].name in mobility.special
        mt = None if mobility is None or special else list_of(mobility, pfn)
        block, irq = Block(pfn, order), event.in_interrupt
        notes.pending.setdefault(event.cpu, set()).add(len(notes.records))
        _free(notes, Freed(event.line, event.cpu, zone, block, mt, irq, event.task))
    elif event.kind == DRAIN:
        _drain(notes, event, zone, Block(pfn, order), _type(replay, event))
    else:
        _take(replay, notes, event, pfn, order)


def listed(replay: Replay, event: Event) -> None:
    """Let a free that was printed before be listed only here."""
    notes = replay.notes
    if notes is None or not replay.started:
        return
    pfn, _ = block_in(event, replay.path)
    at = notes.frees.get(pfn)
    record = notes.records[at] if at is not None else None
    if at is not None and isinstance(record, Freed) and record.cpu == event.cpu:
        notes.records[at] = None
        notes.pending.get(event.cpu, set()).discard(at)
        notes.moved = event.line
        _free(notes, record._replace(line=event.line, in_interrupt=event.in_interrupt))


def met(replay: Replay, event: Event, snapshot: Snapshot) -> None:
    """Note that a snapshot was read."""
    notes = replay.notes
    if notes is None:
        return
    certain = notes.moved < replay.window_line
    notes.drains.clear()  # a worker's next run may follow its last one directly
    reading = Met(event.line, snapshot.name, certain)
    if any(isinstance(record, Met) for record in islice(notes.records, 1)):
        notes.records.append(reading)
    else:
        _begin(notes, reading)


def _begin(notes: Notes, reading: Met) -> None:
    """Begin with a snapshot, and with the refills that were under way then."""
    begun = {cpu: notes.records[at] for cpu, at in notes.refills.items()}
    notes.records = [reading]
    for cpu, refill in begun.items():
        if isinstance(refill, Refill):
            notes.refills[cpu] = len(notes.records)
            notes.records.append(refill._replace(torn=True, before=len(refill.blocks)))


def finish(replay: Replay) -> None:
    """Leave open what each CPU is at when the trace ends: it may go on behind."""
    notes = replay.notes
    if notes is None:
        return
    runs = notes.refills, notes.drains, notes.at_free
    for at in {*chain(*(each.values() for each in runs)), *chain(*notes.pending.values())}:
        record = notes.records[at]
        if isinstance(record, Refill | Drained | Freed):
            notes.records[at] = record._replace(torn=True)


def end_refill(replay: Replay, notes: Notes, cpu: int) -> None:
    """End a CPU's refill; a short one is asked at once whether the buddy had more."""
    at = notes.refills.pop(cpu, None)
    refill = notes.records[at] if at is not None else None
    if at is None or not isinstance(refill, Refill):
        return
    wanted = blocks_of_batch(notes.batches[refill.zone], refill.order)
    if replay.started and len(refill.blocks) < wanted and _is_dry(replay, refill):
        notes.records[at] = refill._replace(dry=True)


def _free(notes: Notes, record: Freed) -> None:
    notes.frees[record.block.pfn] = notes.at_free[record.cpu] = len(notes.records)
    notes.records.append(record)


def _drain(notes: Notes, event: Event, zone: int, block: Block, mt: MigrateType | None) -> None:
    at = notes.drains.get(event.cpu)
    drained = notes.records[at] if at is not None else None
    if not isinstance(drained, Drained) or drained.zone != zone:
        after = notes.at_free.pop(event.cpu, None)
        if after in notes.pending.get(event.cpu, ()):  # it was listed at once, and so were others
            notes.pending.pop(event.cpu)
        drained = Drained(
            event.line, event.cpu, zone, [], event.task, after, _is_opening(notes, event)
        )
        notes.drains[event.cpu] = len(notes.records)
        notes.records.append(drained)
    drained.blocks.append(Returned(event.line, block, mt))


def _take(replay: Replay, notes: Notes, event: Event, pfn: Pfn, order: Order) -> None:
    key = "alloc_migratetype" if event.kind == STEAL else "migratetype"
    zone, mt = _zone_number(replay, pfn), _type(replay, event, key)
    at = notes.refills.get(event.cpu)
    refill = notes.records[at] if at is not None else None
    if not isinstance(refill, Refill) or refill[2:5] != (zone, order, mt):
        end_refill(replay, notes, event.cpu)
        torn = _is_opening(notes, event)
        irq = event.in_interrupt
        refill = Refill(event.line, event.cpu, zone, order, mt, irq, [], [], torn)
        notes.refills[event.cpu] = len(notes.records)
        notes.records.append(refill)
    refill.blocks.append(pfn)
    refill.lines.append(event.line)


def _is_opening(notes: Notes, event: Event) -> bool:
    return notes.opening.get(event.cpu) == event.line


def _is_dry(replay: Replay, refill: Refill) -> bool:
    zone = replay.zones[refill.zone]
    return not any(
        order >= refill.order
        for first, end in runs_in(replay.places, zone.first, zone.end, BUDDY)
        for _, order in blocks_of_run(first, end, replay.top)
    )


def _zone_number(replay: Replay, pfn: int) -> int:
    return next(at for at, zone in enumerate(replay.zones) if zone.first <= pfn < zone.end)


def _type(replay: Replay, event: Event, key: str = "migratetype") -> MigrateType | None:
    """Return the type that an event prints if a request may have it: the others have no lists."""
    number = type_number_in(event, replay.path, key)
    return REQUESTED[number] if 0 <= number < len(REQUESTED) else None
