"""Requests in words, for complaints."""

from pagespec.migratetype import LETTER_OF
from pagespec.verbs import Op, Verb

_RANGES = frozenset({Verb.ISOLATE, Verb.RESTORE, Verb.CONTIG, Verb.OFFLINE, Verb.ONLINE})
_TYPED = frozenset({Verb.UNRESERVE, Verb.RESTORE, Verb.CONTIG})


def wording(op: Op) -> str:
    """The request as a person would say it.

    >>> wording(Op(Verb.FREE, 1, 8)), wording(Op(Verb.CONTIG, 0, 9, pages=3))
    ('free of pfn 8 order 1', 'contig of 3 frames at pfn 9 as U')
    """
    name = op.verb.value
    if op.verb is Verb.ALLOC:
        return f"{name} of order {op.order} type {LETTER_OF[op.mt]}"
    if op.verb in _RANGES:
        name += f" of {op.pages} frames at pfn {op.pfn}"
    elif op.verb is not Verb.UNRESERVE:
        name += f" of pfn {op.pfn} order {op.order}"
    return f"{name} as {LETTER_OF[op.mt]}" if op.verb in _TYPED else name
