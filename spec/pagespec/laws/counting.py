"""The law about what a zone counts as allocated and as freed."""

from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.laws.frame import newly_filled
from pagespec.laws.holdings import blocks_freed
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.serving import served
from pagespec.laws.ways import frees_by_lists, goes_by_lists
from pagespec.laws.wording import wording
from pagespec.verbs import Verb

COUNTING_LAWS: LawBook[Transition] = LawBook()


class Counts(NamedTuple):
    """By how much the two counts grow."""

    pgalloc: int
    pgfree: int


@COUNTING_LAWS.law(
    "EVT-count", source="mm/page_alloc.c, PGALLOC and PGFREE, 2.6.11 to 6.12; 5.15 for operations"
)
def counted(step: Transition) -> Complaint:
    """What is allocated and freed is counted in frames; in 5.15 a block of a list counts as one.

    Rates of allocation are read from these counts. That release counted operations on lists,
    whatever their order. A range that is allocated counts only the frames that it gives back.
    """
    was, now = step.before.zone, step.after.zone
    got = Counts(now.pgalloc - was.pgalloc, now.pgfree - was.pgfree)
    due = due_counts(step)
    if served(step, Verb.CONTIG):
        due = due._replace(pgfree=max(0, got.pgfree))
    if got == due:
        return None
    return f"{wording(step.op)} counted {got}, {due} is due"


def due_counts(step: Transition) -> Counts:
    """What a request must add."""
    zone, op = step.before.zone, step.op
    operations = zone.machine.era.counts_operations
    if served(step, Verb.ALLOC):
        one = operations and goes_by_lists(zone, op, op.order)
        return Counts(1 if one else SIZES[op.order], 0)
    if served(step, Verb.BULK):
        return Counts(len(newly_filled(step)), 0)
    if not served(step, Verb.FREE, Verb.PUT):
        return Counts(0, 0)
    return Counts(
        0,
        sum(
            1 if operations and frees_by_lists(zone, op, *block) else SIZES[block.order]
            for block in blocks_freed(zone, op)
        ),
    )
