"""Requests in words, for complaints."""

from pagespec.migratetype import LETTER_OF
from pagespec.verbs import Op, Verb

_RANGES = frozenset({Verb.ISOLATE, Verb.RESTORE, Verb.CONTIG, Verb.OFFLINE, Verb.ONLINE})
_TYPED = frozenset({Verb.UNRESERVE, Verb.RESTORE, Verb.CONTIG, Verb.BULK})
_CPU = frozenset({Verb.DRAIN, Verb.AGE, Verb.EXPIRE, Verb.REFRESH, Verb.UNPLUG, Verb.PLUG})
_BARE = frozenset({Verb.UNRESERVE, Verb.DRAIN_ALL, Verb.DISABLE, Verb.ENABLE, Verb.REST})


def wording(op: Op) -> str:
    """The request as a person would say it.

    >>> wording(Op(Verb.FREE, 1, 8)), wording(Op(Verb.CONTIG, 0, 9, pages=3))
    ('free of pfn 8 order 1', 'contig of 3 frames at pfn 9 as U')
    >>> wording(Op(Verb.DRAIN, cpu=2)), wording(Op(Verb.BULK, pages=5)), wording(Op(Verb.REST))
    ('drain of CPU 2', 'bulk of 5 slots as U', 'rest')
    """
    name = op.verb.value
    if op.verb is Verb.ALLOC:
        return f"{name} of order {op.order} type {LETTER_OF[op.mt]}"
    if op.verb in _RANGES:
        name += f" of {op.pages} frames at pfn {op.pfn}"
    elif op.verb in _CPU:
        name += f" of CPU {op.cpu}"
    elif op.verb is Verb.BULK:
        name += f" of {op.pages} slots"
    elif op.verb not in _BARE:
        name += f" of pfn {op.pfn} order {op.order}"
    return f"{name} as {LETTER_OF[op.mt]}" if op.verb in _TYPED else name
