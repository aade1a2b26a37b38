"""Serving one request of compaction: its steps, and what comes of it as a number."""

from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import CompactionOp
from pagespec.steps import Steps
from pagespec.types import Pfn
from pagespec.verbs import Outcome


def steps_of(compaction: Compaction, op: CompactionOp) -> Steps[Pfn | None] | Steps[int]:
    """The steps of the request."""
    raise NotImplementedError(op.verb)


def perform(compaction: Compaction, op: CompactionOp) -> Outcome:
    """Serve the request with nothing in between; a refusal becomes its code.

    ALLOC, DIRECT and CLAIM answer a first frame or NO_MEMORY, COMPACT and BACKGROUND a Result.
    """
    raise NotImplementedError(op.verb)
