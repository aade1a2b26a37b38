"""Laws about several objects at once."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.slab.laws.eras import has_slabs
from pagespec.slab.laws.refusals import skips_empty
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.laws.supply import serving_cache, within_reach
from pagespec.slab.laws.where import objects_of
from pagespec.slab.laws.wording import wording
from pagespec.slab.verbs import SlabVerb

SLAB_BULK_LAWS: LawBook[SlabStep] = LawBook()
SINGLES_LAWS: LawBook[SlabStep] = LawBook()


@SLAB_BULK_LAWS.law(
    "SLB-bulk", eras=has_slabs, source="mm/slub.c and mm/slab.c, kmem_cache_alloc_bulk, to 6.12"
)
def all_or_nothing(step: SlabStep) -> Complaint:
    """A bulk request gives all its objects, each once, or none; a bulk free frees its whole array.

    No slab comes for it as long as the CPU can have others. If it fails the caller has no object:
    nothing changes but where free objects wait, for slabs that came or went, and charges that the
    release forgets. Freeing an array frees what it names, whatever is left of the array then.
    """
    op, after = step.op, step.after
    if step.refused:
        return None
    if op.verb is SlabVerb.FREE_BULK:
        return _left_in_array(step)
    if op.verb is not SlabVerb.ALLOC_BULK:
        return None
    if len(after.slots) != step.outcome or len(set(after.slots)) != step.outcome:
        return f"{wording(op)} answered {step.outcome} and left {after.slots} in the array"
    if not step.outcome and after.held != step.before.held:
        return f"{wording(op)} gave nothing and changed what callers hold"
    was = serving_cache(step.before, op)
    if was is None or not step.outcome:
        return None
    fresh = set(after.slots) - objects_of(was)
    due = max(0, op.objects - len(within_reach(step.before.machine.era, was, op.cpu)))
    if len(fresh) > due:
        return f"{wording(op)} gave {len(fresh)} objects of new slabs, {due} would do"
    return None


@SINGLES_LAWS.law(
    "SLB-singles", level="exact", eras=has_slabs, source="mm/slub.c and mm/slab.c, to 6.12"
)
def as_singles(step: SlabStep) -> Complaint:
    """A bulk request gives the objects that as many single requests would have given.

    Whoever asks for several must not lose by it: what is warm comes first for them, too. Which of
    them comes first is for another law to say.
    """
    op, was = step.op, serving_cache(step.before, step.op)
    if step.refused or op.verb is not SlabVerb.ALLOC_BULK or not step.outcome or was is None:
        return None
    reach = within_reach(step.before.machine.era, was, op.cpu)
    due, got = set(reach[: op.objects]), set(step.after.slots)
    missing, extra = due - got, (got - due) & objects_of(was)
    if missing:
        return f"{wording(op)} did not give {min(missing)}, which was within reach"
    if extra:
        return f"{wording(op)} gave {min(extra)}, which single requests would not have given"
    return None


def _left_in_array(step: SlabStep) -> Complaint:
    """Whether a bulk free left of its array what the release leaves."""
    given, left = list(step.op.addresses), step.after.slots
    if skips_empty(step.before):
        due = [0] * len(given)
    elif step.before.machine.design == "slub":
        # The objects of each round are moved behind those that are still to come.
        due = given if sorted(given) == sorted(left) else []
        return None if due or not given else f"{wording(step.op)} left {left} in the array"
    else:
        due = given
    return None if left == due else f"{wording(step.op)} left {left} in the array, expected {due}"
