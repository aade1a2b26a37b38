"""All laws about counters, in the order in which they are judged, and the judge."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.vmstat.laws.book import enter
from pagespec.vmstat.laws.numa import STATISTIC_LAWS
from pagespec.vmstat.laws.readings import READING_LAWS
from pagespec.vmstat.laws.refused import REFUSAL_LAWS
from pagespec.vmstat.laws.retuned import SETTING_LAWS
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.laws.sums import SUM_LAWS
from pagespec.vmstat.laws.telling import TELLING_LAWS
from pagespec.vmstat.laws.wording import wording

TWIN_COUNTER_LAWS: LawBook[CounterStep] = LawBook()

FIELDS = (
    *("told", "totals", "cells", "updates", "running", "min_free", "pages", "marks"),
    *("thresholds", "node_thresholds", "drift_marks", "reclaiming", "numa_on"),
)
"""What two who were asked the same must agree in: all but how often something was told."""


@TWIN_COUNTER_LAWS.law("TWIN-counters", level="exact", source="derived")
def equal(step: CounterStep) -> Complaint:
    """The counters' answers and state are the spec's, field by field.

    It catches what no other law names, and with it a fault in the laws themselves. How often
    something was told is aside: it is what a design is weighed by, and no reader sees it.
    """
    if step.twin is None:
        return None
    if step.twin_outcome not in (None, step.outcome):
        return f"{wording(step.op)} gave {step.outcome} and {step.twin_outcome}"
    for name in FIELDS:
        got, other = getattr(step.after, name), getattr(step.twin, name)
        if got != other:
            return f"after {wording(step.op)} {name} is {got} and {other}"
    return None


COUNTER_LAWS: LawBook[CounterStep] = LawBook(
    SETTING_LAWS, STATISTIC_LAWS, SUM_LAWS, TELLING_LAWS, READING_LAWS
)
"""What a request makes of counters, where the book has it entered."""


def judge_counters(step: CounterStep) -> None:
    """Judge one request, and enter it in the step's book.

    Raises LawBroken for the first law of the era that it breaks.
    """
    era = step.before.machine.era
    REFUSAL_LAWS.check(era, step)
    if step.legal:
        enter(step.book, step.before, step.op, step.changes, step.after)
    COUNTER_LAWS.check(era, step)
    TWIN_COUNTER_LAWS.check(era, step)
