"""Laws about requests for objects that fail: for want of frames or by a limit, and the price."""

from pagespec.frames import SIZES
from pagespec.laws.law import Complaint, LawBook
from pagespec.slab.laws.charges import full_size
from pagespec.slab.laws.eras import has_slabs, pays_before
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.laws.supply import serving_cache, within_reach
from pagespec.slab.laws.wording import wording
from pagespec.slab.sizes import PAGE
from pagespec.slab.verbs import SlabVerb
from pagespec.types import NO_MEMORY

PAYING_LAWS: LawBook[SlabStep] = LawBook()

ASKING = frozenset({SlabVerb.ALLOC, SlabVerb.ALLOC_BULK})


def asked(step: SlabStep) -> int:
    """How many objects of a cache the request asks for."""
    if step.refused or step.op.verb not in ASKING:
        return 0
    return 1 if step.op.verb is SlabVerb.ALLOC else step.op.objects


def failed(step: SlabStep) -> bool:
    """Whether it asked for some and got none."""
    return asked(step) > 0 and step.outcome in (0, NO_MEMORY)


def can_pay(step: SlabStep) -> bool:
    """Whether the group can be charged for all objects at once: from the CPU's stock or in frames.

    What the stock has is of no use if it is not enough for all.
    """
    before, op = step.before, step.op
    limit = before.machine.limit
    if before.machine.scheme != "objects" or not op.group or limit is None:
        return True
    wanted, stock = asked(step) * full_size(before, op.cache), before.stocks[op.cpu]
    if stock.group == op.group and stock.bytes >= wanted:
        return True
    return before.groups[op.group].pages + -(-wanted // PAGE) <= limit


def slabs_to_be_had(step: SlabStep) -> int | None:
    """How many slabs the zone has blocks for and the group can pay; None if that is unclear."""
    before, op = step.before, step.op
    zone, order = before.zone, before.caches[op.cache, 0].shape.order
    if zone.levels is not None or zone.machine.pageblock is not None:
        return None
    whole = sum(count * SIZES[at - order] for at, count in enumerate(zone.nr_free) if at >= order)
    limit = before.machine.limit
    if before.machine.scheme != "caches" or not op.group or limit is None:
        return whole
    return min(whole, (limit - before.groups[op.group].pages) // SIZES[order])


@PAYING_LAWS.law(
    "SLB-success", eras=has_slabs, source="derived; mm/slub.c, ___slab_alloc, and mm/memcontrol.c"
)
def fails_for_a_reason(step: SlabStep) -> Complaint:
    """A request for objects fails only if the zone has no block for a slab or the group cannot pay.

    It has to look everywhere where free objects are that its CPU may have before that. Who fails
    early wastes what others gave back; who serves a group beyond its limit lets it take from all.
    """
    if not asked(step):
        return None
    if not failed(step):
        return None if can_pay(step) else f"{wording(step.op)} was served, beyond the group's limit"
    if not can_pay(step):
        return None
    cache = serving_cache(step.before, step.op)
    reach = within_reach(step.before.machine.era, cache, step.op.cpu) if cache else []
    missing, had = asked(step) - len(reach), slabs_to_be_had(step)
    objects = step.before.caches[step.op.cache, 0].shape.objects
    if missing <= 0:
        return f"{wording(step.op)} failed with {len(reach)} free objects within reach"
    if had is not None and had * objects >= missing:
        return f"{wording(step.op)} failed, and there are frames for {had} more slabs"
    return None


@PAYING_LAWS.law(
    "SLB-lost",
    eras=has_slabs,
    source="mm/slub.c, kmem_cache_alloc_bulk, and mm/slab.h, memcg_slab_pre_alloc_hook, 5.9 to 6.1",
)
def forgotten(step: SlabStep) -> Complaint:
    """Charges are lost only by a bulk request that fails, in eras that pay before, for what it
    never got.

    Those that it got before it failed are paid back when they are freed; so what is lost is the
    size of all the others. A group with lost charges never goes away.
    """
    before, after, op = step.before, step.after, step.op
    grown = {
        number: group.lost - (before.groups[number].lost if number in before.groups else 0)
        for number, group in after.groups.items()
    }
    owes = (
        failed(step)
        and op.verb is SlabVerb.ALLOC_BULK
        and before.machine.scheme == "objects"
        and pays_before(before.machine.era)
        and can_pay(step)
    )
    stray = [number for number, lost in grown.items() if lost and not (owes and number == op.group)]
    if stray:
        return f"{wording(op)} lost {grown[stray[0]]} bytes of group {stray[0]}"
    if not owes or not op.group:
        return None
    full, lost = full_size(before, op.cache), grown[op.group]
    cache = serving_cache(after, op)
    found = len(within_reach(after.machine.era, cache, op.cpu)) if cache else 0
    objects = before.caches[op.cache, 0].shape.objects
    # All that could be had was had, and is free again; some on slabs that are gone by now.
    got = op.objects - lost // full
    if lost % full or not found <= got < op.objects or (got - found) % objects:
        return (
            f"{wording(op)} lost {lost} bytes, {full} for each object that it never got, and can "
            f"have {found} now"
        )
    return None
