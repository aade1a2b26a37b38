"""The law about all that a request for objects has nothing to do with."""

from pagespec.laws.law import Complaint, LawBook
from pagespec.slab.laws.eras import has_slabs
from pagespec.slab.laws.rounds import Key, home_of
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.laws.wording import named, wording
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache
from pagespec.slab.verbs import SlabVerb

SLAB_FRAME_LAWS: LawBook[SlabStep] = LawBook()

OF_ALL_CPUS = frozenset({SlabVerb.SHRINK, SlabVerb.DESTROY, SlabVerb.OFFLINE})
"""What empties every CPU's part of a cache, or of a group's stock."""
OF_ALL_CACHES = frozenset({SlabVerb.FLUSH, SlabVerb.REAP})
IN_BULK = frozenset({SlabVerb.ALLOC_BULK, SlabVerb.FREE_BULK})
ASKING = frozenset({SlabVerb.ALLOC, SlabVerb.ALLOC_BULK})


@SLAB_FRAME_LAWS.law(
    "SLB-frame", eras=has_slabs, source="derived; who may touch what CPUs keep, mm/slub.c"
)
def nothing_else(step: SlabStep) -> Complaint:
    """A request changes the caches, groups and the CPU that it is about, and no other.

    What another CPU keeps is that CPU's alone: it is read and written without a lock. Objects of
    its slab that come back go on the slab's own chain. Who pays changes with who has.
    """
    if step.refused:
        return None
    before, after, op = step.before, step.after, step.op
    if after.slots != before.slots and op.verb not in IN_BULK:
        return f"{wording(op)} changed the array of an earlier request"
    about = keys_about(step)
    for key, was in before.caches.items():
        now = after.caches.get(key)
        if key not in about:
            # A group that owes nothing any more goes, and its caches with it.
            went = key[1] not in after.groups and not was.slabs
            if now != was and not (now is None and key[1] and went):
                return f"{wording(op)} changed {named(was)}"
        elif now is not None:
            wrong = _on_other_cpus(step, was, now)
            if wrong is not None:
                return wrong
    return _of_others(step, about)


def keys_about(step: SlabStep) -> set[Key]:
    """The caches that a request is about, by number and group."""
    before, op = step.before, step.op
    own = op.group if before.machine.scheme == "caches" else 0
    if op.verb in ASKING:
        return {(op.cache, own)}
    if op.verb in OF_ALL_CACHES:
        return set(before.caches)
    if op.verb is SlabVerb.RELEASE:
        waiting = step.before.withheld[op.cpu]
        pages = {address // PAGE for address in waiting}
        return {
            key
            for key, cache in before.caches.items()
            for first in cache.slabs
            if not pages.isdisjoint(range(first, first + 2**cache.shape.order))
        }
    if op.verb is SlabVerb.OFFLINE:
        return {key for key in before.caches if key[1] == op.group}
    if op.verb in (SlabVerb.CREATE, SlabVerb.SHRINK, SlabVerb.DESTROY):
        return {key for key in before.caches if key[0] == op.cache}
    return {home_of(before, address)[0] for address in op.addresses if address}


def _on_other_cpus(step: SlabStep, was: Cache, now: Cache) -> Complaint:
    """What other CPUs have of a cache, if the request changed that."""
    op = step.op
    if op.verb in OF_ALL_CPUS:
        return None
    if now.shape != was.shape:
        return f"{wording(op)} changed the sizes of {named(was)}"
    for cpu in range(step.before.machine.cpus):
        same = was.cpus[cpu : cpu + 1] == now.cpus[cpu : cpu + 1]
        if cpu != op.cpu and not (same and was.arrays[cpu : cpu + 1] == now.arrays[cpu : cpu + 1]):
            return f"{wording(op)} changed what CPU {cpu} has of {named(was)}"
    return None


def _of_others(step: SlabStep, about: set[Key]) -> Complaint:
    """What groups and stocks of others have, if the request changed that."""
    before, after, op = step.before, step.after, step.op
    for cpu, (was, now) in enumerate(zip(before.stocks, after.stocks, strict=True)):
        if was != now and cpu != op.cpu and op.verb is not SlabVerb.OFFLINE:
            return f"{wording(op)} changed the stock of CPU {cpu}"
    groups = {op.group, before.stocks[op.cpu].group} | {group for _, group in about}
    groups |= {before.held[each].charged for each in op.addresses if each in before.held}
    for number in sorted((before.groups.keys() | after.groups.keys()) - groups):
        if before.groups.get(number) != after.groups.get(number):
            return f"{wording(op)} changed what group {number} is charged"
    return None
