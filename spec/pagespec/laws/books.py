"""All laws in one list, for those who print, count or document them."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from pagespec.compaction.laws.judge import COMPACTION_LAWS, TWIN_COMPACTION_LAWS
from pagespec.compaction.laws.moments import AT_EVERY_STEP as AT_EVERY_STEP_OF_A_RUN
from pagespec.compaction.laws.rest import REST_LAWS
from pagespec.compaction.laws.windows import WINDOW_LAWS as SCAN_WINDOW_LAWS
from pagespec.era import ERAS
from pagespec.laws.exact import COUNTED_LAWS, EXACT_LAWS, KEPT_LAWS, ORACLE_LAWS, TWIN_LAWS
from pagespec.laws.hostmarks import HOST_STATE_LAWS
from pagespec.laws.hosts import HOST_LAWS, TWIN_HOST_LAWS
from pagespec.laws.law import LawBook, Level, Subject
from pagespec.laws.outside import OUTSIDE_LAWS
from pagespec.laws.state import READING_LAWS, STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.schedule.laws import AT_EVERY_STEP, OF_CONTEXTS
from pagespec.schedule.windows import WINDOW_LAWS
from pagespec.slab.laws.judge import SLAB_LAWS, SLAB_REST_LAWS, TWIN_SLAB_LAWS
from pagespec.slab.laws.refused import HELD_LAWS, SLAB_REFUSAL_LAWS
from pagespec.vmstat.laws.judge import COUNTER_LAWS, TWIN_COUNTER_LAWS
from pagespec.vmstat.laws.refused import REFUSAL_LAWS

A_STEP = "a step of one among several contexts"
"""What the laws at every step are asked about. Some of them have the name of a law about zones at
rest: they say the same of zones that are in use."""
A_WINDOW = "how long a request has interrupts off"
"""What only the spec tells, whose operations can be watched."""
A_RUN_STEP = "a step of whoever compacts a zone"
A_SCAN = "how long a scanner has interrupts off"
"""The same of compaction."""


class Entry(NamedTuple):
    """A law without its function.

    subject: what it is asked about. eras: the names of the eras that it speaks about.
    """

    id: str
    level: Level
    subject: str
    sentence: str
    reason: str
    source: str
    eras: tuple[str, ...]


def all_laws() -> list[Entry]:
    """Every law: those that need least first, each book in the order in which it is judged."""
    return [
        *_entries("a request seen from outside", OUTSIDE_LAWS),
        *_entries("an allocator's memory", READING_LAWS),
        *_entries("a zone between requests", STATE_LAWS),
        *_entries("a request between two zones", STEP_LAWS),
        *_entries("a zone after boot", BOOT_LAWS),
        *_entries("a zone that got everything back", RETURN_LAWS),
        *_entries("the order of the lists", EXACT_LAWS),
        *_entries("what CPUs keep", KEPT_LAWS),
        *_entries("what CPUs have counted", COUNTED_LAWS),
        *_entries("the allocator beside the spec", TWIN_LAWS),
        *_entries("the spec beside the stamps", ORACLE_LAWS),
        *_entries("a host between requests", HOST_STATE_LAWS),
        *_entries("a request to a host", HOST_LAWS),
        *_entries("a host beside the spec", TWIN_HOST_LAWS),
        *_entries("a request to counters", REFUSAL_LAWS),
        *_entries("a request to counters", COUNTER_LAWS),
        *_entries("counters beside the spec", TWIN_COUNTER_LAWS),
        *_entries("a zone that is compacted, between requests", REST_LAWS),
        *_entries("a request of compaction", COMPACTION_LAWS),
        *_entries("compaction beside the spec", TWIN_COMPACTION_LAWS),
        *_entries(A_RUN_STEP, AT_EVERY_STEP_OF_A_RUN),
        *_entries(A_SCAN, SCAN_WINDOW_LAWS),
        *_entries("a request for objects", SLAB_REFUSAL_LAWS),
        *_entries("a request for objects", HELD_LAWS),
        *_entries("objects between requests", SLAB_REST_LAWS),
        *_entries("objects from request to request", SLAB_LAWS),
        *_entries("objects beside the spec", TWIN_SLAB_LAWS),
        *_entries(A_STEP, AT_EVERY_STEP),
        *_entries(A_WINDOW, WINDOW_LAWS),
    ]


def _entries(subject: str, book: LawBook[Subject]) -> Iterator[Entry]:
    for law in book.laws:
        eras = tuple(name for name, era in ERAS.items() if law.eras(era))
        yield Entry(law.id, law.level, subject, law.sentence, law.reason, law.source, eras)


TraceKind: TypeAlias = Literal[
    "zone",
    "host",
    "counter",
    "schedule",
    "slab",
    "compaction",
    "slab schedule",
    "compaction schedule",
]
"""What a trace is about."""

_HOSTS = frozenset(
    law.id for book in (HOST_STATE_LAWS, HOST_LAWS, TWIN_HOST_LAWS) for law in book.laws
)
_COUNTERS = frozenset(
    law.id for book in (REFUSAL_LAWS, COUNTER_LAWS, TWIN_COUNTER_LAWS) for law in book.laws
)
_COMPACTIONS = frozenset(
    law.id for book in (REST_LAWS, COMPACTION_LAWS, TWIN_COMPACTION_LAWS) for law in book.laws
) | frozenset(law.id for law in AT_EVERY_STEP_OF_A_RUN.laws)
_ASIDE = frozenset({A_STEP, A_WINDOW, A_RUN_STEP, A_SCAN})
_SLABS = frozenset(law.id for law in SLAB_REST_LAWS.laws) | frozenset(
    law.id
    for book in (SLAB_REFUSAL_LAWS, HELD_LAWS, SLAB_LAWS, TWIN_SLAB_LAWS)
    for law in book.laws
)
_ZONES = (
    frozenset(law.id for law in all_laws() if law.subject not in _ASIDE)
    - _HOSTS
    - _COUNTERS
    - _COMPACTIONS
    - _SLABS
)
_AT_REST = frozenset(law.id for law in STATE_LAWS.laws)
_AMONG_CONTEXTS = OF_CONTEXTS | _AT_REST | {"OUT-fault"}

LAWS_OF: dict[TraceKind, frozenset[str]] = {
    "zone": _ZONES,
    "host": _ZONES | _HOSTS,
    "counter": _COUNTERS | {"OUT-fault"},
    "schedule": frozenset(law.id for law in AT_EVERY_STEP.laws) | _AT_REST | {"OUT-fault"},
    "compaction": _COMPACTIONS | {"CMP-window"} | _AT_REST | {"OUT-fault"},
    "slab": _SLABS | _AT_REST | {"OUT-fault"},
    "slab schedule": _AMONG_CONTEXTS | frozenset(law.id for law in SLAB_REST_LAWS.laws),
    "compaction schedule": _AMONG_CONTEXTS
    | frozenset(law.id for law in REST_LAWS.laws)
    | frozenset(law.id for law in AT_EVERY_STEP_OF_A_RUN.laws),
}
"""The laws that a trace of each kind may break: a host's zones keep theirs too, so does a zone in
use wherever its locks allow to ask, and whatever is asked has to answer."""
