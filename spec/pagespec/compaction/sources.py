"""The migrate scanner: it walks up a zone and isolates held blocks that may be moved.

There is no LRU here, and there are no page tables: a held block of movable memory has been declared
movable. Whether it is counted as on the LRU its holder says. To isolate it is to take a reference,
so that its frames stay when its holder frees it.

Not modelled: locks of the LRU that are contended, waiting for others to put blocks back, and
pageblocks that are walked again to their end.
Source: mm/compaction.c (isolate_migratepages, isolate_migratepages_block), 2.6.37 to 6.12.
"""

from pagespec.bounds import frame_exists
from pagespec.compaction.design import CLUSTER
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.freescan import is_passed_over
from pagespec.compaction.migrate import isolate_source, put_back
from pagespec.compaction.scan import is_order, is_whole, skipped_order
from pagespec.compaction.state import Compaction, Run
from pagespec.compaction.verbs import WHOLE
from pagespec.frames import SIZES, head_of, rounded_up
from pagespec.migratetype import CMA, MOVABLE
from pagespec.pageblock import pageblock_order, pageblock_type
from pagespec.steps import Step, Steps
from pagespec.types import Order, Pfn


def is_source(compaction: Compaction, run: Run, pfn: Pfn) -> bool:
    """Whether the frame heads a held block that this run may take: nobody else has, or pins it."""
    zone, design = compaction.zone, compaction.machine.design
    held = zone.held.get(pfn)
    if held is None or held.mt is not MOVABLE or pfn in compaction.strays:
        return False
    if held.order > 0 and not (held.compound and moves_order(compaction, run, held.order)):
        return False
    if any(pfn in other.sources for other in compaction.runs):
        return False
    if pfn not in compaction.lru and not design.moves_others:
        return False
    if held.refs > 1 and design.skips_pinned:
        compaction.log.append(Event(Kind.PINNED, pfn, SIZES[held.order]))
        return False
    return True


def moves_order(compaction: Compaction, run: Run, order: Order) -> bool:
    """Whether blocks of that order are moved: smaller ones than what is wanted and than pageblocks.

    Where several frames are moved at all; single ones always are.
    """
    if order == 0:
        return True
    wanted = run.order == WHOLE or order < run.order
    largest = pageblock_order(compaction.zone)
    return compaction.machine.design.moves_large and wanted and order < largest


def too_many_isolated(compaction: Compaction) -> bool:
    """Whether more frames are off the LRU than half of those that are on it."""
    held = compaction.zone.held
    pages = sum(SIZES[held[pfn].order] for pfn in compaction.lru) - compaction.isolated_lru
    return compaction.isolated_lru > pages // 2


def is_suitable_source(compaction: Compaction, run: Run, pfn: Pfn) -> bool:
    """Whether blocks are moved out of the pageblock: any, unless the caller will not wait."""
    rule, mt = compaction.machine.design.sources, pageblock_type(compaction.zone, pfn)
    if rule == "any" or run.mode != "async":
        return True
    if rule == "movable":
        return mt is MOVABLE
    if rule == "movable-or-cma":
        return mt in (MOVABLE, CMA)
    return not run.direct or (mt in (MOVABLE, CMA) if run.mt is MOVABLE else mt is run.mt)


def scan_sources(compaction: Compaction, run: Run, pfn: Pfn, end: Pfn) -> Steps[bool]:
    """Isolate movable blocks of the frames [pfn, end); whether the run is to be given up.

    Interrupts are off while blocks are taken off the LRU: for the whole walk, in 2.6.39 for 32
    frames of it, and later from the first such block up to the next 32nd frame. The walk ends when
    there are enough for one go. Whoever will not wait moves nothing out of a block of the wanted
    order in which something stays.

    Raises nothing, and leaves `migrate` behind the last frame that was looked at, also when it is
    given up: so that whoever asks again does not find it where it was.
    """
    zone, design = compaction.zone, compaction.machine.design
    lazy = design.released == "first-of-32"
    off = False
    alone = lazy and run.direct and run.mode == "async" and run.order > 0
    edge = head_of(pfn, max(run.order, 0)) + SIZES[max(run.order, 0)]
    begun = len(run.sources)
    if not lazy:
        yield Step.IRQS_OFF
        off = True
    given_up = False
    while pfn < end:
        if alone and pfn >= edge:
            if len(run.sources) > begun:
                break
            edge = head_of(pfn, run.order) + SIZES[run.order]
        release = pfn % CLUSTER == 0 if lazy else (pfn + 1) % CLUSTER == 0
        if release and off and design.released != "pageblock":
            yield Step.IRQS_ON
            off = False
            if not lazy:
                yield Step.IRQS_OFF
                off = True
        if lazy and pfn % CLUSTER == 0 and run.killed:
            compaction.log.append(Event(Kind.KILLED, pfn))
            run.contended = given_up = True
            break
        zone.visited += 1
        step = 1
        order = zone.tag.get(pfn)
        number = skipped_order(compaction, pfn) if order is None else None
        taken = order is None and is_source(compaction, run, pfn)
        if order is not None and lazy:
            step = SIZES[order]
        elif number is not None and lazy and is_order(compaction, pfn, number):
            step = SIZES[number]
        if taken and lazy and not off and pfn in compaction.lru:
            yield Step.IRQS_OFF
            off = True
            zone.visited += 1
            taken = is_source(compaction, run, pfn)
        if taken:
            step = isolate_source(compaction, run, pfn)
            if run.wanted >= CLUSTER:
                compaction.log.append(Event(Kind.FULL, pfn, run.wanted))
                pfn += step
                break
        elif order is None and alone:
            if len(run.sources) > begun:
                if off:
                    yield Step.IRQS_ON
                    off = False
                yield from put_back(compaction, run)
            step = max(step, edge - pfn)
        pfn += step
    if off:
        yield Step.IRQS_ON
    run.migrate = min(pfn, end)
    if lazy and not given_up and run.migrate == end and len(run.sources) == begun:
        _remember(compaction, run, end)
    return given_up


def _remember(compaction: Compaction, run: Run, end: Pfn) -> None:
    """Remember a pageblock with nothing to move, so that later runs begin behind it."""
    design, size = compaction.machine.design, SIZES[pageblock_order(compaction.zone)]
    if not run.heeds and not design.skips_used:
        return
    compaction.skips.add(compaction.zone.machine.pageblock_number(end - 1))
    # Since 5.1 the end of the pageblock is rounded up to that of the next one.
    begin_behind(compaction, run, end + size if design.skips_used else end - size)


def begin_behind(compaction: Compaction, run: Run, pfn: Pfn) -> None:
    """Let later runs begin there, if they would begin below: those that wait, too, if this does."""
    cached = compaction.cached_migrate
    cached[0] = max(cached[0], pfn)
    if run.mode != "async":
        cached[1] = max(cached[1], pfn)


def isolate_by_frames(compaction: Compaction, run: Run) -> Steps[bool]:
    """Until 2.6.39: isolate blocks of what is left of a pageblock, and of the next one with it."""
    zone = compaction.zone
    pfn = max(run.migrate, zone.machine.start)
    end = rounded_up(pfn + SIZES[pageblock_order(zone)], pageblock_order(zone))
    if end > run.free or not frame_exists(zone.machine, pfn):
        run.migrate = end
        return False
    while pfn < end and run.wanted < CLUSTER:
        edge = head_of(pfn, pageblock_order(zone)) + SIZES[pageblock_order(zone)]
        if compaction.machine.design.sources == "any":
            edge = end
        if is_suitable_source(compaction, run, pfn):
            yield from scan_sources(compaction, run, pfn, edge)
        else:
            run.migrate = edge
        pfn = run.migrate
    return False


def isolate_by_pageblocks(compaction: Compaction, run: Run) -> Steps[bool]:
    """Since then: isolate blocks of the first pageblock that may have any; whether to give up.

    Pageblocks that the free scanner has reached are left to it.
    """
    zone = compaction.zone
    size = SIZES[pageblock_order(zone)]
    pfn = run.migrate
    first = max(head_of(pfn, pageblock_order(zone)), zone.machine.start)
    end = head_of(pfn, pageblock_order(zone)) + size
    while end <= run.free:
        begins = pfn == first
        passed = begins and is_passed_over(compaction, run, first)
        if is_whole(zone, first, end) and not passed:
            if is_suitable_source(compaction, run, first):
                given_up = yield from scan_sources(compaction, run, pfn, end)
                return given_up
            if compaction.machine.design.skips_used:
                begin_behind(compaction, run, end + size)
        pfn = first = run.migrate = end
        end += size
    return False


def isolate_migratepages(compaction: Compaction, run: Run) -> Steps[bool]:
    """Isolate blocks to be moved next; whether the run is to be given up.

    So it is if too many are off the LRU already, and the caller will not wait for them.
    """
    if too_many_isolated(compaction):
        compaction.log.append(Event(Kind.THROTTLED, run.migrate))
        if run.mode == "async":
            return True
    if compaction.machine.design.released == "first-of-32":
        given_up = yield from isolate_by_pageblocks(compaction, run)
    else:
        given_up = yield from isolate_by_frames(compaction, run)
    return given_up
