"""The law about which object comes next: exact, to the object."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.slab.laws.eras import has_slabs
from pagespec.slab.laws.rounds import freed_on_slabs, withheld_in
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.laws.supply import UNTOUCHED_BATCH, first_batch, serving_cache, within_reach
from pagespec.slab.laws.where import on_chain
from pagespec.slab.laws.wording import wording
from pagespec.slab.state import Cache
from pagespec.slab.verbs import Address, SlabVerb
from pagespec.types import NO_MEMORY, Pfn

ORDER_LAWS: LawBook[SlabStep] = LawBook()

GIVING_BACK = frozenset({SlabVerb.FREE, SlabVerb.FREE_BULK})


@ORDER_LAWS.law(
    "SLB-order",
    eras=has_slabs,
    level="exact",
    source="mm/slub.c, slab_alloc_node, get_freelist, build_detached_freelist; mm/slab.c, to 6.12",
)
def in_order(step: SlabStep) -> Complaint:
    """What was freed last on a CPU is served first there, and objects of new slabs from the first.

    A CPU without objects takes those that its slab got back from others, then its partial slabs,
    then the node's. An array takes a batch and serves it from the end. What a bulk free gives back
    to a slab at once is served from the highest in the array; of several such rounds the latest
    first. It is what keeps caches of processors warm.
    """
    if step.refused:
        return None
    got = _given_out(step)
    if got:
        return _served_in_order(step, got)
    return _freed_in_order(step) if step.op.verb in GIVING_BACK else None


def _withheld_in_order(step: SlabStep) -> Complaint:
    """Whether what is withheld came behind what was, in the order in which it was freed."""
    cpu, now = step.op.cpu, step.after.withheld
    due = [*step.before.withheld[cpu], *withheld_in(step)]
    if now[cpu] == due:
        return None
    return f"{wording(step.op)} left {now[cpu]} withheld on CPU {cpu}, expected {due}"


def _given_out(step: SlabStep) -> list[Address]:
    if step.op.verb is SlabVerb.ALLOC and step.outcome != NO_MEMORY:
        return [step.outcome]
    return step.after.slots if step.op.verb is SlabVerb.ALLOC_BULK else []


def _served_in_order(step: SlabStep, got: list[Address]) -> Complaint:
    """Whether the objects are those within reach in order, and then those of new slabs."""
    cache = serving_cache(step.before, step.op)
    reach = within_reach(step.before.machine.era, cache, step.op.cpu) if cache else []
    due = reach[: len(got)]
    if got[: len(due)] != due:
        return f"{wording(step.op)} gave {got}, expected {due} first"
    now = serving_cache(step.after, step.op)
    if now is None or len(due) == len(got):
        return None
    fresh = got[len(due) :]
    slabs = [first for first in now.slabs if cache is None or first not in cache.slabs]
    while fresh:
        new = _new_objects(step, now, fresh, slabs, touched=len(fresh) < len(got))
        if fresh[: len(new)] != new[: len(fresh)] or not new:
            return f"{wording(step.op)} gave {fresh}, expected {new} of a new slab first"
        fresh = fresh[len(new) :]
    return None


def _new_objects(
    step: SlabStep, cache: Cache, fresh: list[Address], slabs: list[Pfn], *, touched: bool
) -> list[Address]:
    """All objects of the new slab that the first one is on, as they are served."""
    whole = [on_chain(cache, first, range(cache.shape.objects)) for first in slabs]
    own = next((objects for objects in whole if fresh[0] in objects), [])
    if not cache.arrays:
        return own
    before = serving_cache(step.before, step.op)
    batch = cache.shape.batch
    if not touched:
        batch = min(batch, UNTOUCHED_BATCH) if before is None else first_batch(before, step.op.cpu)
    served = []
    while own:
        served += own[:batch][::-1]
        own, batch = own[batch:], cache.shape.batch
    return served


def _freed_in_order(step: SlabStep) -> Complaint:
    """Whether what was freed lies where it is served next, the latest first."""
    places = _on_chains(step) if step.before.machine.design == "slub" else _in_array(step)
    return places or _withheld_in_order(step)


def _on_chains(step: SlabStep) -> Complaint:
    """Whether the chains of slabs, or those of the CPU, begin with what was freed."""
    for key, first, numbers in freed_on_slabs(step):
        was, now = step.before.caches[key], step.after.caches.get(key)
        if now is None or first not in now.slabs:
            continue
        cpu = step.op.cpu
        if was.cpus[cpu].slab == first:
            old, new = was.cpus[cpu].chain, now.cpus[cpu].chain
        else:
            old, new = was.slabs[first].chain, now.slabs[first].chain
        if new != [*numbers, *old]:
            return f"{wording(step.op)} left slab {first} the chain {new}, expected {numbers} first"
    return None


def _in_array(step: SlabStep) -> Complaint:
    """Whether a CPU's array ends with what was freed, or with as much as it has room for."""
    freed: dict[tuple[int, int], list[Address]] = {}
    for address in step.op.addresses:
        held = step.before.held[address]
        if held.cache and address not in step.op.withheld:
            freed.setdefault((held.cache, held.cache_group), []).append(address)
    for key, addresses in freed.items():
        now = step.after.caches.get(key)
        if now is None:
            continue
        entries = now.arrays[step.op.cpu].entries
        most = min(len(entries), len(addresses))
        if not entries or entries[-most:] != addresses[-most:]:
            return f"{wording(step.op)} left the array {entries}, expected {addresses} last"
    return None
