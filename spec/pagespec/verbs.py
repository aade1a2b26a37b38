"""One request as a value: the vocabulary of traces, streams, laws and engines."""

from enum import Enum
from typing import NamedTuple, TypeAlias

from pagespec.migratetype import UNMOVABLE, MigrateType
from pagespec.types import Order, Pfn, ZoneClass

Outcome: TypeAlias = int
"""A first frame from an allocation, how many slots are known filled from a bulk request, 0 from any
other request that was served, NO_MEMORY, or the code of a Refusal. The same numbers as the twin's,
so that equal means equal."""


class Verb(Enum):
    """What a caller may ask for. The value is its word in traces."""

    # Enum would hash the name anew each time, in Python; each member is there once.
    __hash__ = object.__hash__

    ALLOC = "alloc"
    FREE = "free"
    GET = "get"
    PUT = "put"
    SPLIT = "split"
    UNRESERVE = "unreserve"
    ISOLATE = "isolate"
    RESTORE = "restore"
    CONTIG = "contig"
    POISON = "poison"
    HEAL = "heal"
    OFFLINE = "offline"
    ONLINE = "online"
    DRAIN = "drain"
    DRAIN_ALL = "drainall"
    DISABLE = "disable"
    ENABLE = "enable"
    AGE = "age"
    EXPIRE = "expire"
    UNPLUG = "unplug"
    PLUG = "plug"
    REST = "rest"
    BULK = "bulk"
    REFRESH = "refresh"


BLOCK_VERBS = frozenset({Verb.ALLOC, Verb.FREE, Verb.GET, Verb.PUT})
"""What any allocator may be asked for; the others speak of pageblocks and places of frames."""


MAY_FAIL = frozenset({Verb.ALLOC, Verb.CONTIG, Verb.UNRESERVE})
"""The verbs that may find nothing to serve them, with NO_MEMORY for an outcome."""


class Op(NamedTuple):
    """One request.

    order: of ALLOC, FREE and SPLIT. pfn: the frame that the request is about, if it is about one.
    compound, atomic, nofragment: of ALLOC. mt: the type that ALLOC and BULK ask for, and that
    UNRESERVE, RESTORE and CONTIG give. pages: the frames of a range, for the verbs about ranges, or
    the slots of BULK. force: of UNRESERVE. emergency: of ALLOC, whether it may go below every mark.
    cpu: the CPU that asks, of what uses its lists, or that is drained, aged, refreshed, unplugged
    or plugged in. irq: whether an interrupt asks. contended: whether somebody else holds the lock
    of the CPU's lists. cold: of ALLOC, FREE and PUT, whether the frames need not be warm. node,
    highest, only_node: of ALLOC and BULK on hosts of several zones, the node to be near, the
    highest zone allowed, and whether no other node will do.
    """

    verb: Verb
    order: Order = 0
    pfn: Pfn = 0
    compound: bool = False
    mt: MigrateType = UNMOVABLE
    atomic: bool = False
    nofragment: bool = False
    pages: int = 0
    force: bool = False
    emergency: bool = False
    cpu: int = 0
    irq: bool = False
    contended: bool = False
    cold: bool = False
    node: int = 0
    highest: ZoneClass = ZoneClass.NORMAL
    only_node: bool = False
