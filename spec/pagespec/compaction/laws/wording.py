"""Requests of compaction in words, for complaints."""

from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.migratetype import LETTER_OF

_BLOCKS = frozenset(
    {CompactionVerb.FREE, CompactionVerb.PIN, CompactionVerb.UNPIN, CompactionVerb.STRAY}
)
_WANTED = frozenset({CompactionVerb.ALLOC, CompactionVerb.DIRECT, CompactionVerb.COMPACT})


def wording(op: CompactionOp) -> str:
    """The request as a person would say it.

    >>> wording(CompactionOp(CompactionVerb.COMPACT, whole=True)), wording(
    ...     CompactionOp(CompactionVerb.DIRECT, order=3, mode="async", killed=True)
    ... )
    ('compact of the whole zone, sync', 'direct of order 3 type M, async, by one that is to die')
    >>> wording(CompactionOp(CompactionVerb.PIN, pfn=7)), wording(CompactionOp(CompactionVerb.REST))
    ('pin of pfn 7', 'rest')
    """
    name = op.verb.value
    if op.verb in _BLOCKS:
        return f"{name} of pfn {op.pfn}"
    if op.verb is CompactionVerb.CLAIM:
        return f"{name} of {op.pages} frames at pfn {op.pfn}"
    if op.verb is CompactionVerb.BACKGROUND:
        return f"{name} of order {op.order}"
    if op.verb not in _WANTED:
        return name
    whole = op.verb is CompactionVerb.COMPACT and op.whole
    name += " of the whole zone" if whole else f" of order {op.order} type {LETTER_OF[op.mt]}"
    if op.verb is not CompactionVerb.ALLOC:
        name += f", {op.mode}" + (", by one that is to die" if op.killed else "")
    return name
