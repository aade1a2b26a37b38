"""What a kernel's release changes for someone who replays its events.

Read from a `version` file beside the trace, or tried out: the rule that explains more is right.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pagefuzz.kernel.files import beside, numbered_lines
from pagespec.era import ERAS, Era

Scans: TypeAlias = Literal["isolated", "all"]


@dataclass(frozen=True, slots=True)
class TraceEra:
    """The choices of a release, as far as its events depend on them.

    pcp_top: largest order that a free keeps on a per-CPU list, apart from huge pages.
    steals_unlogged: a block taken straight off a fallback list has an extfrag event and no
        zone_locked one.
    silent_isolation: compaction's fast path takes free pages without any event.
    types: the spec's era whose rules of migratetypes hold, None where they are others; lists: the
    same for the CPUs' lists.
    scans: what compaction's scanners count of what they step over, where the rules of their events
    are known: free blocks that they isolate, or everything.
    searches: how it may search for a fallback. Later releases of 6.12 do so like 6.15, and nothing
        in a trace says which they are.

    Source: mm/page_alloc.c and the events' formats of 6.1 and 6.12; docs/traces.md.
    """

    name: str
    pcp_top: int
    steals_unlogged: bool
    silent_isolation: bool
    types: Era | None = None
    lists: Era | None = None
    scans: Scans | None = None
    searches: tuple[str, ...] = ("largest first",)


SINGLES = TraceEra("before 5.14", pcp_top=0, steals_unlogged=False, silent_isolation=True)
LOGGED = TraceEra(
    "6.1",
    3,
    steals_unlogged=False,
    silent_isolation=True,
    types=ERAS["6.1"],
    lists=ERAS["6.1"],
    scans="isolated",
)
STEALING = TraceEra(
    "6.12",
    3,
    steals_unlogged=True,
    silent_isolation=False,
    types=ERAS["6.12"],
    lists=ERAS["6.12"],
    scans="all",
    searches=("largest first", "claims first"),
)

HUGE_ORDER = 9
"""The order that per-CPU lists keep besides small ones where no snapshot says the pageblock's."""


def era_of_release(major: int, minor: int) -> TraceEra:
    """Return the rules of a release.

    Events print the list's type since 6.0; lists and pageblocks agree since 6.10; since 6.15 the
    search for a fallback has two phases. So types are judged by two eras' rules, and not elsewhere.
    What compaction's scanners count changed somewhere after 6.1 and before 6.8.
    CPUs' lists tune themselves since 6.7, but till 6.12 their events are 6.1's: not judged there.

    >>> era_of_release(6, 1).name, era_of_release(6, 18).name
    ('6.1', '6.12')
    >>> era_of_release(5, 15).types, era_of_release(6, 18).types
    (None, None)
    >>> [era_of_release(6, minor).lists is not None for minor in (0, 6, 7, 8, 12, 14, 15)]
    [True, True, False, False, True, True, False]
    >>> [era_of_release(6, minor).scans for minor in (1, 2, 8, 12, 15)]
    ['isolated', None, None, 'all', None]
    """
    release = major, minor
    if release < (5, 14):
        return SINGLES
    era, first, last = (
        (STEALING, (6, 12), (6, 14)) if release >= (6, 12) else (LOGGED, (6, 0), (6, 8))
    )
    if not first <= release <= last:
        return replace(era, types=None, lists=None, scans=None)
    if (6, 2) <= release < (6, 12):
        era = replace(era, scans=None)
    return replace(era, lists=None) if (6, 7) <= release < (6, 12) else era


def era_beside(trace: str) -> TraceEra | None:
    """Return the era that a `version` file beside the trace names, or None without one."""
    path = beside(trace, "version")
    if path is None or not path.is_file():
        return None
    for _, text in numbered_lines(str(path)):
        if match := re.search(r"\b(\d+)\.(\d+)", text):
            return era_of_release(int(match[1]), int(match[2]))
    return None
