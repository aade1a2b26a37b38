"""Serving one request of compaction: its steps, and what comes of it as a number."""

from collections.abc import Callable

from pagespec.alloc import get_page, put_page
from pagespec.boot import boot
from pagespec.checks import (
    check_cpu,
    check_order,
    check_supported,
    check_type,
    held_block,
    refused,
)
from pagespec.compaction.capture import free_block
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.freescan import isolate_range
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.run import (
    allocate,
    compact_for,
    compact_zone,
    release_targets,
    work_in_background,
)
from pagespec.compaction.state import Compaction, Run, forget, last_pageblock
from pagespec.compaction.suitable import forget_positions
from pagespec.compaction.targets import no_targets, sort_targets
from pagespec.compaction.verbs import FRAMES, MAX_STRAY, WHOLE, CompactionOp, CompactionVerb
from pagespec.events import Event as Logged
from pagespec.events import Kind as Happened
from pagespec.frames import SIZES
from pagespec.migratetype import MOVABLE, REQUESTED, UNMOVABLE
from pagespec.pcp.cpus import drain_all, work_on
from pagespec.pcp.lists import Where
from pagespec.steps import Steps, run
from pagespec.types import NO_MEMORY, BadOrder, BadRange, Block, Pfn, Refused
from pagespec.verbs import Outcome
from pagespec.zone import Held


def start(machine: CompactionMachine) -> Compaction:
    """A zone that has just been handed over, and has never been compacted."""
    zone = boot(machine.zone)
    return Compaction(
        machine=machine,
        zone=zone,
        cached_free=last_pageblock(zone),
        cached_migrate=[machine.zone.start, machine.zone.start],
        skips=set(),
        flush=False,
        runs=[],
        captures=[None] * (machine.zone.cpus or 1),
        lru=set(),
        isolated_lru=0,
        strays={},
        moves=[],
        log=[],
    )


def check_run(compaction: Compaction, op: CompactionOp) -> None:
    """Refuse a compaction that the era does not know, or that is for no block."""
    zone, design = compaction.zone, compaction.machine.design
    check_supported(zone, op.mode == "sync" or design.waits_apart)
    check_supported(zone, op.verb is not CompactionVerb.BACKGROUND or design.background)
    whole = op.whole and op.verb is CompactionVerb.COMPACT
    if not whole and not 1 <= op.order <= zone.machine.top:
        raise refused(zone, BadOrder, 0, op.order)
    check_type(zone, op.mt, REQUESTED)
    check_cpu(zone, op.cpu)


def declare(compaction: Compaction, op: CompactionOp, pfn: Pfn | None) -> None:
    """Enter a block that was allocated as on the LRU, if its holder says so and it is movable."""
    if pfn is not None and op.lru and op.mt is MOVABLE:
        compaction.lru.add(pfn)


def _alloc(compaction: Compaction, op: CompactionOp) -> Steps[Pfn | None]:
    pfn = yield from allocate(compaction, op.order, op.mt, op.cpu)
    declare(compaction, op, pfn)
    return pfn


def _free(compaction: Compaction, op: CompactionOp) -> Steps[None]:
    yield from free_block(compaction, op.pfn, op.order, Where(op.cpu, op.irq))


def _pin(compaction: Compaction, op: CompactionOp) -> Steps[None]:
    yield from get_page(compaction.zone, op.pfn)


def _unpin(compaction: Compaction, op: CompactionOp) -> Steps[None]:
    yield from put_page(compaction.zone, op.pfn, Where(op.cpu))
    if op.pfn not in compaction.zone.held:
        forget(compaction, op.pfn)


def _stray(compaction: Compaction, op: CompactionOp) -> Steps[None]:
    held_block(compaction.zone, op.pfn, 0)
    if not 0 <= op.order <= MAX_STRAY:
        raise refused(compaction.zone, BadOrder, op.pfn, op.order)
    compaction.strays[op.pfn] = op.order
    yield from iter(())


def _compact(compaction: Compaction, op: CompactionOp) -> Steps[int]:
    check_run(compaction, op)
    order, mt = (WHOLE, UNMOVABLE) if op.whole else (op.order, op.mt)
    wanted = Run(order, mt, op.cpu, op.mode, killed=op.killed, whole=op.whole, heeds=not op.whole)
    result = yield from compact_zone(compaction, wanted)
    return int(result)


def _direct(compaction: Compaction, op: CompactionOp) -> Steps[Pfn | None]:
    check_order(compaction.zone, 0, op.order)
    if op.order > 0:
        check_run(compaction, op)
    pfn = yield from allocate(compaction, op.order, op.mt, op.cpu)
    if pfn is None and op.order > 0:
        wanted = Run(op.order, op.mt, op.cpu, op.mode, killed=op.killed, direct=True)
        wanted.whole = wanted.told = op.whole
        wanted.heeds = not op.whole
        pfn = yield from compact_for(compaction, wanted)
    declare(compaction, op, pfn)
    return pfn


def _background(compaction: Compaction, op: CompactionOp) -> Steps[int]:
    check_run(compaction, op)
    wanted = Run(op.order, UNMOVABLE, op.cpu, heeds=compaction.machine.design.heeds_skips)
    result = yield from work_in_background(compaction, wanted)
    return int(result)


def _claim(compaction: Compaction, op: CompactionOp) -> Steps[Pfn | None]:
    """Every frame of the range as a block of its own, or nothing at all.

    What free blocks have beyond the range goes back.
    """
    zone, end = compaction.zone, op.pfn + op.pages
    check_supported(zone, compaction.machine.design.remembers)
    check_cpu(zone, op.cpu)
    if op.pages < 1 or op.pfn < zone.machine.start or end > zone.machine.end:
        raise refused(zone, BadRange, op.pfn, 0)
    claim = Run(WHOLE, cpu=op.cpu, targets=no_targets(compaction))
    compaction.runs.append(claim)
    got = yield from isolate_range(compaction, claim, op.pfn, end)
    if got:
        for head, order in claim.fresh:
            for pfn in range(max(head, op.pfn), min(head + SIZES[order], end)):
                zone.held[pfn] = Held(0, 1, compound=False)
                zone.given.add(pfn)
        zone.log.append(Logged(Happened.RANGE, op.pfn, 0, UNMOVABLE))
        compaction.log.append(Event(Kind.CLAIMED, op.pfn, op.pages))
        first, last = claim.fresh[0], claim.fresh[-1]
        claim.fresh = []
        surplus = [*range(first.pfn, op.pfn), *range(end, last.pfn + SIZES[last.order])]
        claim.targets[0] = [Block(pfn, 0) for pfn in surplus]
    else:
        sort_targets(compaction, claim)
    yield from release_targets(compaction, claim)
    compaction.runs.remove(claim)
    return op.pfn if got else None


def _drain_all(compaction: Compaction, op: CompactionOp) -> Steps[None]:
    yield from drain_all(compaction.zone)


def _rest(compaction: Compaction, op: CompactionOp) -> Steps[None]:
    """Kswapd falls asleep: what was passed over is looked at again, once a run has met its end."""
    check_supported(compaction.zone, compaction.machine.design.remembers)
    if compaction.flush:
        compaction.flush = False
        compaction.skips.clear()
        forget_positions(compaction)
        compaction.log.append(Event(Kind.FORGOTTEN, 0))
    yield from iter(())


COMPACTION_STEPS: dict[
    CompactionVerb,
    Callable[[Compaction, CompactionOp], Steps[Pfn | None] | Steps[int] | Steps[None]],
] = {
    CompactionVerb.ALLOC: _alloc,
    CompactionVerb.FREE: _free,
    CompactionVerb.PIN: _pin,
    CompactionVerb.UNPIN: _unpin,
    CompactionVerb.STRAY: _stray,
    CompactionVerb.COMPACT: _compact,
    CompactionVerb.DIRECT: _direct,
    CompactionVerb.BACKGROUND: _background,
    CompactionVerb.CLAIM: _claim,
    CompactionVerb.DRAIN_ALL: _drain_all,
    CompactionVerb.REST: _rest,
}
"""The steps of each request."""


def steps_of(
    compaction: Compaction, op: CompactionOp
) -> Steps[Pfn | None] | Steps[int] | Steps[None]:
    """The steps of the request; who takes them has set the CPU at work."""
    return COMPACTION_STEPS[op.verb](compaction, op)


def perform(compaction: Compaction, op: CompactionOp) -> Outcome:
    """Serve the request with nothing in between; a refusal becomes its code.

    ALLOC, DIRECT and CLAIM answer a first frame or NO_MEMORY, COMPACT and BACKGROUND a Result.
    """
    work_on(compaction.zone, op.cpu)
    try:
        got: Pfn | None = run(steps_of(compaction, op))
    except Refused as fact:
        return fact.refusal
    if op.verb in FRAMES and got is None:
        return NO_MEMORY
    return 0 if got is None else got
