"""The law about requests to counters that must be refused."""

from pagespec.laws.holdings import REFUSALS
from pagespec.laws.law import Complaint, LawBook
from pagespec.types import Refusal
from pagespec.vmstat.laws.refusals import due_refusal
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.laws.wording import wording
from pagespec.vmstat.verbs import ANSWERS, CounterVerb

REFUSAL_LAWS: LawBook[CounterStep] = LawBook()


@REFUSAL_LAWS.law("VM-refused", source="derived")
def refused(step: CounterStep) -> Complaint:
    """An illegal request is refused for the right reason and changes nothing; a legal one is not.

    A CPU with interrupts off in the middle of an update cannot do anything else, and one that does
    not run counts nothing. What is not asked for a number answers 0.
    """
    due = due_refusal(step.before, step.op)
    got = Refusal(step.outcome) if step.outcome in REFUSALS else None
    if due is None and step.op.verb is CounterVerb.READ:
        # Any number may be meant as an answer here, also a wrong one below 0.
        return None
    if due is not got:
        names = ["served" if each is None else f"refused as {each.name}" for each in (due, got)]
        return f"{wording(step.op)} must be {names[0]}, was {names[1]}"
    if due is not None:
        same = step.after == step.before
        return None if same else f"{wording(step.op)} was refused and yet changed something"
    if step.outcome and step.op.verb not in ANSWERS:
        return f"{wording(step.op)} answered {step.outcome}, expected 0"
    return None
