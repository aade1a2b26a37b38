"""A request as plain numbers: the twin of the spec's `verbs`.

A request is its verb, an order, a pfn, a count of frames, and its *want*: flags, above them the CPU
that asks or is meant, and above that a migratetype.
"""

from pagespec.machine import MAX_CPUS
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
DRAIN = 13
DRAIN_ALL = 14
DISABLE = 15
ENABLE = 16
AGE = 17
EXPIRE = 18
UNPLUG = 19
PLUG = 20
REST = 21
BULK = 22
REFRESH = 23

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
    Verb.DRAIN,
    Verb.DRAIN_ALL,
    Verb.DISABLE,
    Verb.ENABLE,
    Verb.AGE,
    Verb.EXPIRE,
    Verb.UNPLUG,
    Verb.PLUG,
    Verb.REST,
    Verb.BULK,
    Verb.REFRESH,
)
"""The verb of each number."""

NUMBER_OF: dict[Verb, int] = {verb: number for number, verb in enumerate(VERBS)}

COMPOUND_WANTED = 1
ATOMIC = 2
NOFRAGMENT = 4
FORCE = 8
EMERGENCY = 16
IRQ = 32
CONTENDED = 64
COLD = 128
CPU_SHIFT = 8
CPU_BITS = 2 * MAX_CPUS - 1
"""The bits of a CPU's number: enough for one that no machine has."""
CPU_MASK = CPU_BITS << CPU_SHIFT
WANTED_SHIFT = 19

ANYWHERE = 0
"""The want of whoever frees on the first CPU, outside of interrupts."""


def want_of(op: Op) -> int:
    """The want of a request; a CPU that no machine has becomes the last one."""
    flags = (
        COMPOUND_WANTED * op.compound
        | ATOMIC * op.atomic
        | NOFRAGMENT * op.nofragment
        | FORCE * op.force
        | EMERGENCY * op.emergency
        | IRQ * op.irq
        | CONTENDED * op.contended
        | COLD * op.cold
    )
    cpu = op.cpu if 0 <= op.cpu < MAX_CPUS else CPU_BITS
    return op.mt << WANTED_SHIFT | cpu << CPU_SHIFT | flags
