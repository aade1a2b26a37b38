"""What a kernel's release changes for someone who replays its events.

Read from a `version` file beside the trace, or tried out: the rule that explains more is right.
"""

import re
from dataclasses import dataclass

from pagefuzz.kernel.files import beside, numbered_lines


@dataclass(frozen=True, slots=True)
class TraceEra:
    """The choices of a release, as far as its events depend on them.

    pcp_top: largest order that a free keeps on a per-CPU list, apart from huge pages.
    steals_unlogged: a block taken straight off a fallback list has an extfrag event and no
        zone_locked one.
    silent_isolation: compaction's fast path takes free pages without any event.

    Source: mm/page_alloc.c and the events' formats of 6.1 and 6.12; docs/traces.md.
    """

    name: str
    pcp_top: int
    steals_unlogged: bool
    silent_isolation: bool


SINGLES = TraceEra("before 5.14", pcp_top=0, steals_unlogged=False, silent_isolation=True)
LOGGED = TraceEra("6.1", pcp_top=3, steals_unlogged=False, silent_isolation=True)
STEALING = TraceEra("6.12", pcp_top=3, steals_unlogged=True, silent_isolation=False)

HUGE_ORDER = 9
"""The order that per-CPU lists keep besides small ones where no snapshot says the pageblock's."""


def era_of_release(major: int, minor: int) -> TraceEra:
    """Return the rules of a release.

    >>> era_of_release(6, 1).name, era_of_release(6, 18).name
    ('6.1', '6.12')
    """
    if (major, minor) >= (6, 12):
        return STEALING
    return LOGGED if (major, minor) >= (5, 14) else SINGLES


def era_beside(trace: str) -> TraceEra | None:
    """Return the era that a `version` file beside the trace names, or None without one."""
    path = beside(trace, "version")
    if path is None or not path.is_file():
        return None
    for _, text in numbered_lines(str(path)):
        if match := re.search(r"\b(\d+)\.(\d+)", text):
            return era_of_release(int(match[1]), int(match[2]))
    return None
