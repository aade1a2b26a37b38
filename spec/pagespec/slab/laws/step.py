"""What a law about objects is asked about: one request between two states, and the book."""

from typing import NamedTuple

from pagespec.slab.laws.book import SlabBook
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import SlabOp
from pagespec.types import Refusal
from pagespec.verbs import Outcome


class SlabStep(NamedTuple):
    """One request for objects.

    before, after: the state of whoever is judged. book: what callers have been told, this request
    included as soon as it is judged. twin, twin_outcome: the state after it of another who was
    asked the same, and the answer, if there is one.
    """

    before: Slabs
    op: SlabOp
    outcome: Outcome
    after: Slabs
    book: SlabBook
    twin: Slabs | None = None
    twin_outcome: Outcome | None = None

    @property
    def refused(self) -> bool:
        """Whether the request was refused."""
        return self.outcome in REFUSALS


REFUSALS = frozenset(map(int, Refusal))
"""The outcomes that say why a request is refused."""
