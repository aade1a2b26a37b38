"""Second frees: a frame that is freed twice with nothing allocated in between.

A bulk request has no event, so a second free may be legal; but none was ever seen without some
allocation in between, except by compaction. Since 6.9 it logs the free of a target that it did not
need and keeps; in every release it gives back what it took, allocated or not. So such a free needs
a compaction that was at work since the first one, and that took the frame.
Source: mm/compaction.c of 6.1 and 6.12 (compaction_free, release_freepages); measured on traces.
"""

from pagefuzz.kernel import findings as law
from pagefuzz.kernel.findings import Finding
from pagefuzz.kernel.isolation import BEGIN, EARLIER_CAUSE
from pagefuzz.kernel.places import FREED
from pagefuzz.kernel.state import Replay
from pagefuzz.kernel.tracefs import Event


def refuse_again(replay: Replay, event: Event, pfn: int, order: int) -> None:
    """Refuse a second free, unless compaction may have held the frame."""
    if replay.places[pfn] != FREED or pfn not in replay.frees.last:
        return
    earlier, allocations = replay.frees.last[pfn]
    if allocations != replay.allocations or _may_be_compaction(replay, pfn, earlier.line):
        return
    finding = Finding(
        event.line,
        law.REFUSE,
        f"{event.kind} pfn {pfn:#x} order {order} was already freed at line {earlier.line}"
        " and nothing was allocated since.",
    )
    if earlier.task in replay.ledger.known:
        replay.findings.broken.append(finding)
    else:
        replay.accused.setdefault(earlier.task, []).append(finding)


def hear(replay: Replay, event: Event) -> None:
    """Settle what a task is accused of when it first shows whether it was compacting before."""
    accused = replay.accused.pop(event.task, [])
    if event.kind == BEGIN:
        replay.findings.broken += accused
    elif accused:
        replay.findings.tally(EARLIER_CAUSE).claimed += len(accused)


def finish(replay: Replay) -> None:
    """Report what no compaction has excused by the end of the trace."""
    for accused in replay.accused.values():
        replay.findings.broken += accused
    replay.accused.clear()


def _may_be_compaction(replay: Replay, pfn: int, since: int) -> bool:
    if not replay.ledger.worked_since(since):
        return False
    if pfn in replay.isolated:
        return True
    if replay.started and not replay.frees.may_bypass(pfn):
        return False  # a snapshot and what followed say that the buddy did not have it
    claim = replay.ledger.claim(pfn, silent=replay.era.silent_isolation)
    if claim is None:
        return False
    replay.findings.tally(claim.cause).claimed += 1
    replay.isolated.add(pfn)
    return True
