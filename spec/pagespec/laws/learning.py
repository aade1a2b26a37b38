"""The law about what the lists of CPUs learn."""

from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.owners import FREEING, owned_by, served_or_failed, sets_of
from pagespec.laws.refills import by_list, due_asked
from pagespec.laws.replay import after_frees
from pagespec.laws.sized import resized
from pagespec.laws.tries import due_try
from pagespec.laws.visits import asked
from pagespec.laws.wording import wording
from pagespec.pcp.state import Load, Pcp
from pagespec.pcp.tuning import Tuned, decay
from pagespec.verbs import Verb

LEARNING_LAWS: LawBook[Transition] = LawBook()

RESIZING = frozenset({Verb.DISABLE, Verb.ENABLE, Verb.UNPLUG, Verb.PLUG})
"""The verbs after which CPUs share what they may keep anew."""


@LEARNING_LAWS.law(
    "PCP-tune", level="exact", source="mm/page_alloc.c, nr_pcp_alloc, nr_pcp_high and nr_pcp_free"
)
def tuned(step: Transition) -> Complaint:
    """What lists learn from a request is what the era's formulas say; others learn nothing from it.

    Since 5.13 the next drain is larger the longer nothing is allocated, since 6.7 the next refill
    and `high` too. Whoever learns wrongly takes the zone's lock too often, or hoards.
    """
    zone, op = step.before.zone, step.op
    if not zone.machine.cpus or not served_or_failed(step):
        return None
    mine = owned_by(zone, op)
    for (cpu, kind, was), (_, _, now) in zip(sets_of(zone), sets_of(step.after.zone), strict=True):
        due = due_load(step, was) if (cpu, kind) in mine else was.load
        if op.verb in RESIZING:
            due = resized(step.after.zone, kind, was.load)
        if due is not None and now.load != due:
            return f"{wording(op)} left CPU {cpu} with {now.load}, expected {due}"
    return None


def due_load(step: Transition, was: Pcp) -> Load | None:
    """What the lists that a request uses must have learnt; None where its state does not tell."""
    zone, op = step.before.zone, step.op
    if op.verb is Verb.ALLOC:
        return None if due_try(zone, op).number == "last" else asked(zone, op).load
    if op.verb in (Verb.AGE, Verb.REFRESH) and isinstance(was.load, Tuned):
        return decay(was.load, was.count).load
    if op.verb in FREEING:
        due = after_frees(step)
        return None if due is None else due.load
    if op.verb is Verb.BULK:
        return due_asked(step).load if by_list(step) else None
    return was.load
