"""How a request is served: from which tries, with what rights, by a CPU's list or the buddy."""

from pagespec.migratetype import MOVABLE
from pagespec.stamps.cells import wake_kswapd
from pagespec.stamps.cpus import drain_all
from pagespec.stamps.kept import asked, goes_by_lists, take
from pagespec.stamps.marks import may_serve
from pagespec.stamps.request import take_from_buddy
from pagespec.stamps.reserve import reserve, unreserve
from pagespec.stamps.state import Stamps, mask_of
from pagespec.types import NO_MEMORY, Block
from pagespec.verbs import Op, Outcome


def alloc(stamps: Stamps, op: Op) -> Outcome:
    """Serve the request, or say that it must go without."""
    index = _serve(stamps, op)
    return NO_MEMORY if index is None else stamps.origin + index


def _serve(stamps: Stamps, op: Op) -> int | None:
    """The first frame of what the first try gives that gives anything.

    A zone without marks is tried once. One with marks is tried down to the low one, and by requests
    without rights; then, with kswapd awake, down to the least and with them. An emergency goes
    below that, and has no other right. Who can wait has the reserve shrunk and the lists emptied,
    and tries again.
    """
    if stamps.marks is None:
        return _take(stamps, op)
    plain = op._replace(atomic=False, emergency=False)
    index = _try(stamps, plain, low=True)
    if index is None:
        wake_kswapd(stamps)
        index = _try(stamps, op._replace(emergency=False), low=False)
    if index is None and op.emergency:
        return _try(stamps, plain._replace(emergency=True), low=False)
    if index is None and not op.atomic and stamps.machine.era.drains_on_failure:
        if stamps.machine.pageblock is not None and stamps.machine.era.reserve != "none":
            unreserve(stamps, plain._replace(force=False))
        drain_all(stamps)
        index = _try(stamps, plain, low=False)
    return index


def _try(stamps: Stamps, op: Op, *, low: bool) -> int | None:
    return _take(stamps, op) if may_serve(stamps, op, low=low) else None


def _take(stamps: Stamps, op: Op) -> int | None:
    """Take a block from the CPU's list, or from the buddy.

    From 2.6.32 to 5.18 what goes by lists comes from nowhere else. If the marks have been raised,
    here or by a bulk request before, kswapd is woken.
    """
    index = None
    by_lists = goes_by_lists(stamps, op.order, op)
    if by_lists:
        asked(stamps, op)
        index = take(stamps, op)
    if index is None and (not by_lists or stamps.machine.era.buddy_after_lists):
        index = take_from_buddy(stamps, op)
    if stamps.boosted:
        wake_kswapd(stamps)
    stamps.boosted = False
    if index is not None:
        hold(stamps, op, index)
    return index


def hold(stamps: Stamps, op: Op, index: int) -> None:
    """Let a block be held, and its pageblock join the reserve if the request was urgent."""
    if stamps.machine.pageblock is None:
        return
    if op.mt is MOVABLE:
        stamps.movable |= mask_of(index, op.order)
    if op.atomic and op.order > 0:
        reserve(stamps, Block(index, op.order))
