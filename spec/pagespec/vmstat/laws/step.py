"""What a law about counters is asked about: one request between two states, and the book."""

from typing import NamedTuple

from pagespec.verbs import Outcome
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.laws.book import CounterBook
from pagespec.vmstat.laws.changes import Change, changes_of
from pagespec.vmstat.laws.refusals import due_refusal
from pagespec.vmstat.verbs import CounterOp


class CounterStep(NamedTuple):
    """One request to counters.

    before, after: the state of whoever is judged. book: what the requests have made of the truth,
    this one included as soon as it is judged. twin, twin_outcome: the state after it of another who
    was asked the same, and the answer, if there is one.
    """

    before: Counters
    op: CounterOp
    outcome: Outcome
    after: Counters
    book: CounterBook
    twin: Counters | None = None
    twin_outcome: Outcome | None = None

    @property
    def legal(self) -> bool:
        """Whether the request had to be served."""
        return due_refusal(self.before, self.op) is None

    @property
    def changes(self) -> list[Change]:
        """What the request changes."""
        return changes_of(self.before, self.op, self.outcome) if self.legal else []
