"""What a law of compaction is asked about: one request between two states."""

from functools import lru_cache
from typing import NamedTuple

from pagespec.compaction.laws.legal import due_refusal
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import CompactionOp
from pagespec.laws.swept import Swept, swept
from pagespec.types import Refusal
from pagespec.verbs import Outcome
from pagespec.zone import STATE, Zone


class CompactionStep(NamedTuple):
    """One request of compaction.

    before, after: the state of whoever is judged; the moves of the latter are those of the request.
    visited: frames and list nodes that the spec looked at, 0 for any other. twin, twin_outcome: the
    state after it of another who was asked the same, and the answer, if there is one.
    """

    before: Compaction
    op: CompactionOp
    outcome: Outcome
    after: Compaction
    visited: int = 0
    twin: Compaction | None = None
    twin_outcome: Outcome | None = None

    @property
    def due(self) -> Refusal | None:
        """Why the request had to be refused, or None if it had to be served."""
        return due_refusal(self.before.machine, self.before.zone, self.op)


FIELDS = (
    *("cached_free", "cached_migrate", "skips", "flush", "runs", "captures"),
    *("lru", "isolated_lru", "strays"),
)
"""What is known of a zone between requests, beside the zone."""


def difference(one: Compaction, other: Compaction) -> str | None:
    """Where two states differ, in words; None if they agree."""
    for name in FIELDS:
        got, due = getattr(one, name), getattr(other, name)
        if got != due:
            return f"{name} is {got} and {due}"
    for name in STATE:
        got, due = getattr(one.zone, name), getattr(other.zone, name)
        if got != due:
            return f"{name} of the zone is {got} and {due}"
    return None


class _Seen(NamedTuple):
    """A zone by its identity: states that are judged do not change any more."""

    zone: Zone

    def __hash__(self) -> int:
        return id(self.zone)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Seen) and self.zone is other.zone


def swept_of(compaction: Compaction) -> Swept:
    """What a sweep over the zone's lists and holdings found, done once for each state."""
    return _swept(_Seen(compaction.zone))


@lru_cache(maxsize=4)
def _swept(seen: _Seen) -> Swept:
    return swept(seen.zone)
