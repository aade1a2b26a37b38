"""A run of compaction, from one end of the zone and the other until the scanners meet.

Source: mm/compaction.c (compact_zone, compact_zone_order, kcompactd_do_work) and mm/page_alloc.c
(__alloc_pages_direct_compact), 2.6.37 to 6.12.
"""

from pagespec.alloc import alloc_pages, give_out
from pagespec.compaction.capture import drain_own, give_back_captured
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.migrate import migrate, put_back
from pagespec.compaction.sources import isolate_migratepages
from pagespec.compaction.state import Capture, Compaction, Run, last_pageblock
from pagespec.compaction.suitable import finished, have_met, use_of
from pagespec.compaction.targets import no_targets
from pagespec.compaction.verbs import Result
from pagespec.events import Kind as Happened
from pagespec.frames import SIZES, head_of
from pagespec.migratetype import MigrateType
from pagespec.pageblock import pageblock_order
from pagespec.pcp.cpus import drain_all
from pagespec.pcp.lists import Where
from pagespec.rmqueue import Want
from pagespec.steps import Step, Steps
from pagespec.types import Order, Pfn
from pagespec.zone import Held


def set_positions(compaction: Compaction, run: Run) -> None:
    """Let the scanners begin: where the last run left off, or at the zone's ends.

    Until 2.6.39 always there; its free scanner begins at the pageblock of the zone's end, which is
    the next zone's if the end is aligned.
    """
    machine, design = compaction.zone.machine, compaction.machine.design
    if not design.remembers:
        run.migrate = machine.start
        run.free = head_of(machine.end, pageblock_order(compaction.zone))
        run.whole = True
        return
    if run.whole:
        run.migrate, run.free = machine.start, last_pageblock(compaction.zone)
        return
    run.migrate = compaction.cached_migrate[run.mode != "async"]
    run.free = compaction.cached_free
    if not machine.start <= run.free < machine.end:
        run.free = compaction.cached_free = last_pageblock(compaction.zone)
    if not machine.start <= run.migrate < machine.end:
        run.migrate = machine.start
        compaction.cached_migrate = [machine.start, machine.start]
    run.whole = run.migrate <= machine.start


def compact_zone(compaction: Compaction, run: Run) -> Steps[Result]:
    """Move blocks until the scanners meet, or there is a block of the wanted order.

    What is left of the targets is given back however it ends.
    """
    design = compaction.machine.design
    result = use_of(compaction, run)
    if result is not None:
        compaction.log.append(Event(Kind.SKIPPED, 0))
        return result
    run.targets = no_targets(compaction)
    run.sought = run.order
    set_positions(compaction, run)
    compaction.runs.append(run)
    moved_from: Pfn | None = None
    result = finished(compaction, run)
    while result is None:
        given_up = yield from isolate_migratepages(compaction, run)
        if given_up:
            yield from put_back(compaction, run)
            result = Result.CONTENDED
            break
        if run.sources:
            moved_from = max(
                compaction.zone.machine.start, head_of(run.migrate - 1, max(run.order, 0))
            )
            all_targets = yield from migrate(compaction, run)
            if not all_targets and design.remembers and not have_met(compaction, run):
                result = Result.CONTENDED
                break
        slot = compaction.captures[run.cpu]
        if slot is not None and slot.pfn is not None:
            result = Result.SUCCESS
            break
        left = moved_from is not None and moved_from < head_of(run.migrate, max(run.order, 0))
        if design.drains_as_it_goes and run.order > 0 and left:
            moved_from = None
            yield from drain_own(compaction, run.cpu)
        result = finished(compaction, run)
    yield from release_targets(compaction, run)
    compaction.runs.remove(run)
    return result


def release_targets(compaction: Compaction, run: Run) -> Steps[None]:
    """Give the targets that were not used back, by the ordinary free path.

    Later runs begin no lower than the highest of them, since there may be more.
    """
    zone = compaction.zone
    highest = -1
    number = 0
    while number < len(run.targets):
        while run.targets[number]:
            pfn, order = run.targets[number].pop(0)
            highest = max(highest, pfn)
            compaction.log.append(Event(Kind.GIVEN_BACK, pfn, SIZES[order]))
            zone.given.add(pfn)
            yield from give_back_captured(compaction, pfn, order, Where(run.cpu))
        number += 1
    if compaction.machine.design.remembers and highest >= 0:
        first = head_of(highest, pageblock_order(zone))
        compaction.cached_free = max(compaction.cached_free, first)


def allocate(compaction: Compaction, order: Order, mt: MigrateType, cpu: int) -> Steps[Pfn | None]:
    """Allocate a block, which stays one until it is freed."""
    zone = compaction.zone
    pfn = yield from alloc_pages(zone, Want(order, mt), Where(cpu), compound=order > 0)
    return pfn


def compact_for(compaction: Compaction, run: Run) -> Steps[Pfn | None]:
    """Compact for a request that could not be served; the block, if one was captured or is there.

    The slot is complete before it can be seen, and can be seen no more when it is read: an
    interrupt between would lose what it frees.
    """
    zone, design = compaction.zone, compaction.machine.design
    slot = Capture(run.order, run.mt)
    if design.captures:
        compaction.captures[run.cpu] = slot
    yield Step.EDIT
    result = yield from compact_zone(compaction, run)
    compaction.captures[run.cpu] = None
    yield Step.EDIT
    if slot.pfn is not None:
        held = Held(run.order, 1, compound=run.order > 0, mt=run.mt)
        give_out(zone, slot.pfn, held, Happened.ALLOC)
        return slot.pfn
    if result is Result.SKIPPED:
        return None
    if not design.drains_as_it_goes:
        yield from drain_own(compaction, run.cpu)
    pfn = yield from allocate(compaction, run.order, run.mt, run.cpu)
    return pfn


def work_in_background(compaction: Compaction, run: Run) -> Steps[Result]:
    """What the worker does for an order; if it fails, what CPUs keep goes back to the buddy.

    Frames in a CPU's lists keep their buddies from merging, so the zone would look fragmented for
    ever.
    """
    result = yield from compact_zone(compaction, run)
    failed = result in (Result.COMPLETE, Result.PARTIAL)
    if failed and compaction.machine.design.drains_after_failure:
        compaction.log.append(Event(Kind.DRAINED, 0))
        yield from drain_all(compaction.zone)
    return result
