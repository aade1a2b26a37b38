"""What each request does to the stamps, and what it must return."""

from collections.abc import Iterable

from pagespec.events import Event, Kind
from pagespec.frames import SIZES
from pagespec.stamps.blocks import give, remove, split
from pagespec.stamps.bulk import bulk
from pagespec.stamps.cells import count, let_kswapd_rest, work_on
from pagespec.stamps.cpus import (
    age,
    disable,
    drain_all,
    drain_cpu,
    enable,
    expire,
    plug,
    refresh,
    unplug,
)
from pagespec.stamps.kept import free
from pagespec.stamps.ranges import (
    blocks_over,
    bring_online,
    contig,
    isolate,
    restore,
    run_of,
    take_offline,
)
from pagespec.stamps.reserve import unreserve
from pagespec.stamps.state import Stamps, mask_of, type_at
from pagespec.stamps.tries import alloc
from pagespec.types import Block
from pagespec.verbs import Op, Outcome, Verb


def foretell(stamps: Stamps, op: Op, log: Iterable[Event]) -> Outcome:
    """Serve a request that is legal, and say its outcome.

    log: what the spec logged of it. Only the blocks that FREE and PUT give back are read, in
    order: who holds what, with how many references, is not the stamps' to know.
    """
    work_on(stamps, op.cpu)
    match op.verb:
        case Verb.ALLOC:
            return alloc(stamps, op)
        case Verb.BULK:
            return bulk(stamps, op)
        case Verb.UNRESERVE:
            return unreserve(stamps, op)
        case Verb.CONTIG:
            return contig(stamps, op)
        case Verb.FREE | Verb.PUT:
            for event in log:
                if event.kind is Kind.FREE:
                    _free(stamps, Block(event.pfn - stamps.origin, event.order), op)
        case Verb.ISOLATE | Verb.RESTORE | Verb.OFFLINE | Verb.ONLINE:
            _change_range(stamps, op)
        case Verb.POISON:
            _poison(stamps, op.pfn - stamps.origin)
        case Verb.HEAL:
            give(stamps, Block(op.pfn - stamps.origin, 0))
        case Verb.GET | Verb.SPLIT:
            pass
        case _:
            _of_a_cpu(stamps, op)
    return 0


def _free(stamps: Stamps, block: Block, op: Op) -> None:
    stamps.movable &= ~mask_of(*block)
    stamps.slots.pop(stamps.origin + block.pfn, None)
    free(stamps, block, op)


def _change_range(stamps: Stamps, op: Op) -> None:
    run = run_of(stamps, op)
    match op.verb:
        case Verb.ISOLATE:
            isolate(stamps, run)
        case Verb.RESTORE:
            restore(stamps, run, op.mt)
        case Verb.OFFLINE:
            take_offline(stamps, run)
        case Verb.ONLINE:
            bring_online(stamps, run)


def _of_a_cpu(stamps: Stamps, op: Op) -> None:
    match op.verb:
        case Verb.DRAIN:
            drain_cpu(stamps, op.cpu)
        case Verb.DRAIN_ALL:
            drain_all(stamps)
        case Verb.DISABLE:
            disable(stamps)
        case Verb.ENABLE:
            enable(stamps)
        case Verb.AGE:
            age(stamps, op.cpu)
        case Verb.EXPIRE:
            expire(stamps, op.cpu)
        case Verb.REFRESH:
            refresh(stamps, op.cpu)
        case Verb.UNPLUG:
            unplug(stamps, op.cpu)
        case Verb.PLUG:
            plug(stamps, op.cpu)
        case Verb.REST:
            let_kswapd_rest(stamps)
            stamps.boost = 0


def _poison(stamps: Stamps, index: int) -> None:
    """Take a free frame off, and put back what is left of its block.

    Until 6.9 the frame is counted in the end; since then its block, and then each part again.
    """
    (block,) = blocks_over(stamps, range(index, index + 1))
    mt, agree = type_at(stamps, block.pfn), stamps.machine.era.retypes_on_merge
    if agree:
        count(stamps, -SIZES[block.order], mt)
    remove(stamps, block)
    split(stamps, block, 0, mt, wanted=index - block.pfn)
    for order in reversed(range(block.order)) if agree else ():
        count(stamps, SIZES[order], mt)
    if not agree:
        count(stamps, -1, mt)
