"""What each request does to the stamps, and what it must return."""

from collections.abc import Iterable

from pagespec.stamps.blocks import Stamps, give, mask_of, remove, split, type_at
from pagespec.stamps.ranges import (
    blocks_over,
    bring_online,
    contig,
    isolate,
    restore,
    run_of,
    take_offline,
)
from pagespec.stamps.request import alloc
from pagespec.stamps.reserve import unreserve
from pagespec.types import Block
from pagespec.verbs import Op, Outcome, Verb


def foretell(stamps: Stamps, op: Op, freed: Iterable[Block]) -> Outcome:
    """Serve a request that is legal, and say its outcome.

    freed: the blocks that FREE and PUT give back, in order; who holds what is not the stamps' to
    know.
    """
    match op.verb:
        case Verb.ALLOC:
            return alloc(stamps, op)
        case Verb.UNRESERVE:
            return unreserve(stamps, op)
        case Verb.CONTIG:
            return contig(stamps, op)
        case Verb.FREE | Verb.PUT:
            for pfn, order in freed:
                block = Block(pfn - stamps.origin, order)
                stamps.movable &= ~mask_of(*block)
                give(stamps, block)
        case Verb.GET | Verb.SPLIT:
            pass
        case Verb.ISOLATE:
            isolate(stamps, run_of(stamps, op))
        case Verb.RESTORE:
            restore(stamps, run_of(stamps, op), op.mt)
        case Verb.POISON:
            _poison(stamps, op.pfn - stamps.origin)
        case Verb.HEAL:
            give(stamps, Block(op.pfn - stamps.origin, 0))
        case Verb.OFFLINE:
            take_offline(stamps, run_of(stamps, op))
        case Verb.ONLINE:
            bring_online(stamps, run_of(stamps, op))
    return 0


def _poison(stamps: Stamps, index: int) -> None:
    """Take a free frame off, and put back what is left of its block."""
    (block,) = blocks_over(stamps, range(index, index + 1))
    remove(stamps, block)
    split(stamps, block, 0, type_at(stamps, block.pfn), wanted=index - block.pfn)
