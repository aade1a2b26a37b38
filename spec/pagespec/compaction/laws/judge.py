"""All laws of compaction in the order in which they are judged, and the judge."""

from pagespec.compaction.laws.requests import REFUSAL_LAWS, REQUEST_LAWS
from pagespec.compaction.laws.rest import REST_LAWS
from pagespec.compaction.laws.results import RESULT_LAWS
from pagespec.compaction.laws.speaking import compacts
from pagespec.compaction.laws.step import CompactionStep, difference, swept_of
from pagespec.compaction.laws.wording import wording
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.state import STATE_LAWS

TWIN_COMPACTION_LAWS: LawBook[CompactionStep] = LawBook()


@TWIN_COMPACTION_LAWS.law("TWIN-compaction", level="exact", eras=compacts, source="derived")
def equal(step: CompactionStep) -> Complaint:
    """Answers, moves and states are the spec's, field by field; list order included.

    It catches what no other law names, and with it a fault in the laws themselves.
    """
    if step.twin is None:
        return None
    if step.twin_outcome not in (None, step.outcome):
        return f"{wording(step.op)} gave {step.outcome} and {step.twin_outcome}"
    if step.after.moves != step.twin.moves:
        return f"{wording(step.op)} moved {step.after.moves} and {step.twin.moves}"
    differs = difference(step.after, step.twin)
    return None if differs is None else f"after {wording(step.op)} {differs}"


COMPACTION_LAWS: LawBook[CompactionStep] = LawBook(REFUSAL_LAWS, REQUEST_LAWS, RESULT_LAWS)
"""What a request makes of a zone that is compacted."""


def judge_compaction(step: CompactionStep) -> None:
    """Judge one request. Raises LawBroken for the first law of the era that it breaks.

    Refusals first, then what is left isolated, then the request's own laws, then the zone's, then
    the twin's.
    """
    era = step.before.machine.era
    REFUSAL_LAWS.check(era, step)
    REST_LAWS.check(era, step.after)
    REQUEST_LAWS.check(era, step)
    RESULT_LAWS.check(era, step)
    STATE_LAWS.check(era, swept_of(step.after))
    TWIN_COMPACTION_LAWS.check(era, step)
