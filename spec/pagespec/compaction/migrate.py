"""Moving held blocks: isolated from their holders, given another place, or put back.

A block that is isolated carries one more reference. If its holder frees it meanwhile, that one is
the last, and the block goes when it is dropped. If anybody else has one the block cannot be moved.

Source: mm/migrate.c (migrate_pages, unmap_and_move, putback_movable_pages), 2.6.37 to 6.12.
"""

from pagespec.compaction.capture import give_back_captured
from pagespec.compaction.events import Event, Kind
from pagespec.compaction.freescan import isolate_freepages
from pagespec.compaction.state import Compaction, Move, Run, forget
from pagespec.compaction.targets import put_target_back, take_target
from pagespec.frames import SIZES
from pagespec.pcp.lists import Where
from pagespec.steps import Step, Steps
from pagespec.types import Block, Pfn


def isolate_source(compaction: Compaction, run: Run, pfn: Pfn) -> int:
    """Isolate the held block that the frame heads; how many frames that is.

    All of them count: towards what a run moves at a time, and as taken off the LRU if the block was
    on it.
    """
    zone = compaction.zone
    held = zone.held[pfn]
    zone.held[pfn] = held._replace(refs=held.refs + 1)
    run.sources.append(pfn)
    pages = SIZES[held.order]
    run.wanted += pages
    count_isolated(compaction, pfn, pages)
    compaction.log.append(Event(Kind.SOURCE, pfn, pages))
    return pages


def count_isolated(compaction: Compaction, pfn: Pfn, pages: int) -> None:
    """Count frames as taken off the LRU, or with a negative number as put back: if they are on it.

    What is movable in another way was never there.
    """
    if pfn in compaction.lru:
        compaction.isolated_lru += pages


def _let_go(compaction: Compaction, run: Run, pfn: Pfn) -> bool:
    """Drop the run's reference to a block; whether it was the last, so that it is to be freed."""
    zone = compaction.zone
    held = zone.held[pfn]
    run.sources.remove(pfn)
    count_isolated(compaction, pfn, -SIZES[held.order])
    if held.refs > 1:
        zone.held[pfn] = held._replace(refs=held.refs - 1)
        return False
    del zone.held[pfn]
    forget(compaction, pfn)
    compaction.log.append(Event(Kind.FREED, pfn, SIZES[held.order]))
    return True


def put_back(compaction: Compaction, run: Run) -> Steps[None]:
    """Give every block that is still isolated back to its holder, or free it if there is none."""
    while run.sources:
        pfn = run.sources[-1]
        order = compaction.zone.held[pfn].order
        yield Step.REFERENCE
        last = _let_go(compaction, run, pfn)
        if last:
            yield from give_back_captured(compaction, pfn, order, Where(run.cpu))
    run.wanted = 0


def move_block(compaction: Compaction, run: Run, source: Pfn, target: Pfn) -> None:
    """Let the holder of a block hold another in its place: as one step, since nobody else knows it.

    Its frames are to be freed next.
    """
    zone = compaction.zone
    held = zone.held.pop(source)
    run.sources.remove(source)
    count_isolated(compaction, source, -SIZES[held.order])
    zone.held[target] = held._replace(refs=1)
    zone.given.add(target)
    if source in compaction.lru:
        compaction.lru.add(target)
    if source in compaction.strays:
        compaction.strays[target] = compaction.strays[source]
    forget(compaction, source)
    compaction.moves.append(Move(source, target, held.order))
    compaction.log.append(Event(Kind.MOVED, target, SIZES[held.order]))


def migrate(compaction: Compaction, run: Run) -> Steps[bool]:
    """Move what is isolated, the last block first; whether there were targets for all.

    What cannot be moved, because somebody has a reference, is put back in the end, and so is
    everything for which there is no frame.
    """
    zone, design = compaction.zone, compaction.machine.design
    left = len(run.sources)
    while left:
        left -= 1
        pfn = run.sources[left]
        order = zone.held[pfn].order
        target = take_target(compaction, run, order)
        if target is None and not run.contended:
            yield from isolate_freepages(compaction, run)
            target = take_target(compaction, run, order)
        if target is None:
            compaction.log.append(Event(Kind.NO_TARGET, pfn, SIZES[order]))
            yield from put_back(compaction, run)
            return False
        # In between the frame is in the run's hands, as what was taken for it is on its lists.
        run.taken = Block(target, order)
        if design.keeps_orders:
            run.wanted -= SIZES[order]
        yield Step.REFERENCE
        run.taken = None
        refs = zone.held[pfn].refs
        if refs == 2:
            move_block(compaction, run, pfn, target)
            yield from give_back_captured(compaction, pfn, order, Where(run.cpu))
            continue
        put_target_back(run, target, order)
        if design.keeps_orders:
            run.wanted += SIZES[order]
        if refs == 1:
            _let_go(compaction, run, pfn)
            yield from give_back_captured(compaction, pfn, order, Where(run.cpu))
        else:
            compaction.log.append(Event(Kind.PINNED, pfn, SIZES[order]))
    yield from put_back(compaction, run)
    return True
