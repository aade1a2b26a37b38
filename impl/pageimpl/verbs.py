"""A request as plain numbers: the twin of the spec's `verbs`.

A request is its verb, an order, a pfn, a count of frames, and its *want*: flags, with a migratetype
above them.
"""

from pagespec.verbs import Op, Verb

ALLOC = 0
FREE = 1
GET = 2
PUT = 3
SPLIT = 4
UNRESERVE = 5
ISOLATE_RANGE = 6
RESTORE_RANGE = 7
CONTIG = 8
POISON = 9
HEAL = 10
OFFLINE_RANGE = 11
ONLINE_RANGE = 12

VERBS: tuple[Verb, ...] = (
    Verb.ALLOC,
    Verb.FREE,
    Verb.GET,
    Verb.PUT,
    Verb.SPLIT,
    Verb.UNRESERVE,
    Verb.ISOLATE,
    Verb.RESTORE,
    Verb.CONTIG,
    Verb.POISON,
    Verb.HEAL,
    Verb.OFFLINE,
    Verb.ONLINE,
)
"""The verb of each number."""

NUMBER_OF: dict[Verb, int] = {verb: number for number, verb in enumerate(VERBS)}

COMPOUND_WANTED = 1
ATOMIC = 2
NOFRAGMENT = 4
FORCE = 8
WANTED_SHIFT = 4


def want_of(op: Op) -> int:
    """The want of a request."""
    flags = (
        COMPOUND_WANTED * op.compound
        | ATOMIC * op.atomic
        | NOFRAGMENT * op.nofragment
        | FORCE * op.force
    )
    return op.mt << WANTED_SHIFT | flags
