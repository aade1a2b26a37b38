"""Laws about who may touch the lists of which CPU, and what must not stay behind there."""

from collections.abc import Iterator

from pagespec.frames import SIZES
from pagespec.laws.holdings import REFUSALS, blocks_freed, due_refusal
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of
from pagespec.laws.replay import pressure_on
from pagespec.laws.serving import served
from pagespec.laws.tries import due_try
from pagespec.laws.ways import frees_by_lists, goes_by_lists, kind_of, set_of
from pagespec.laws.wording import wording
from pagespec.pcp.state import Load, Pcp
from pagespec.pcp.tuning import Doubling, Tuned, high_of
from pagespec.types import FAULT, NO_MEMORY, Pfn
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

OWNER_LAWS: LawBook[Transition] = LawBook()

FREEING = (Verb.FREE, Verb.PUT)
EMPTYING = frozenset(
    {Verb.DRAIN, Verb.DRAIN_ALL, Verb.DISABLE, Verb.UNPLUG, Verb.ISOLATE, Verb.CONTIG}
)
"""The verbs that give back all that a CPU, or every CPU, keeps."""

ONE_CPU = frozenset({Verb.DRAIN, Verb.UNPLUG, Verb.AGE, Verb.EXPIRE, Verb.REFRESH})


def sets_of(zone: Zone) -> Iterator[tuple[int, int, Pcp]]:
    """Every set of lists, with its CPU and its kind."""
    for cpu, pcps in enumerate(zone.pcps):
        for kind, pcp in enumerate(pcps):
            yield cpu, kind, pcp


def owned_by(zone: Zone, op: Op) -> set[tuple[int, int]]:
    """The sets of lists, by CPU and kind, that a request may take from or put on."""
    mine = {(op.cpu, kind_of(zone, op))}
    if op.verb in (Verb.ALLOC, Verb.BULK):
        return mine if goes_by_lists(zone, op, op.order if op.verb is Verb.ALLOC else 0) else set()
    if op.verb in FREEING:
        freed = blocks_freed(zone, op)
        return mine if any(frees_by_lists(zone, op, *block) for block in freed) else set()
    if op.verb in ONE_CPU:
        return {(op.cpu, kind) for kind in range(len(zone.pcps[op.cpu]))}
    return set()


def heads(pcp: Pcp) -> set[Pfn]:
    """The heads of all blocks on a set of lists."""
    return {pfn for blocks in pcp.lists for pfn in blocks}


def drains_all(zone: Zone, op: Op) -> bool:
    """Whether the request may have all CPUs give back what they keep, before it fails."""
    if op.verb is Verb.BULK:
        op = op._replace(verb=Verb.ALLOC, order=0)
    return op.verb is Verb.ALLOC and due_try(zone, op).number == "last"


@OWNER_LAWS.law("PCP-owner", source="mm/page_alloc.c, the guard of pcp lists, 2.6.11 to 6.12")
def owned(step: Transition) -> Complaint:
    """A request touches the lists of its own CPU alone, and none if the era's guard bars it.

    Nothing but the guard keeps two from changing a list at once. What CPUs keep is drained from
    elsewhere only by a request that is about it, and before an allocation fails. In 4.11-rc lists
    are not for interrupts; since 6.0 not for whoever does not get their lock.
    """
    zone, op = step.before.zone, step.op
    if not zone.machine.cpus or not served_or_failed(step):
        return None
    mine = owned_by(zone, op)
    drained = (op.verb in EMPTYING and op.verb not in ONE_CPU) or drains_all(zone, op)
    for (cpu, kind, was), (_, _, now) in zip(sets_of(zone), sets_of(step.after.zone), strict=True):
        if (cpu, kind) in mine or was.lists == now.lists:
            continue
        stays = heads(now) - heads(was) if op.verb in EMPTYING else heads(now)
        if not drained or stays:
            return f"{wording(op)} on CPU {op.cpu} changed what CPU {cpu} keeps"
    return None


def served_or_failed(step: Transition) -> bool:
    """Whether a legal request was not refused. One that fails may have used lists all the same."""
    legal = due_refusal(step.before.zone, step.op) is None
    return legal and step.outcome not in REFUSALS and step.outcome != FAULT


@OWNER_LAWS.law("PCP-bound", source="mm/page_alloc.c, free_unref_page_commit, 2.6.11 to 6.12")
def bounded(step: Transition) -> Complaint:
    """After a free the lists hold less than `high`, or a drain took one frame of them at least.

    That is all there is: a drain takes less than what is too much, and `high` counts as four
    batches while kswapd works, or moves. Until 2.6.11 the drain comes first, so `high` is reached.
    What CPUs hoard is missing elsewhere.
    """
    zone, op = step.before.zone, step.op
    if not served(step, *FREEING) or not owned_by(zone, op):
        return None
    was, now = set_of(zone, op), set_of(step.after.zone, op)
    freed = sum(SIZES[block.order] for block in blocks_freed(zone, op))
    first = zone.machine.era.tuning == "pair"
    limit = limit_of(zone, was.load) + (1 if first else 0)
    if now.count < max(1, limit) or now.count <= was.count + freed - 1:
        return None
    return f"{wording(op)} left {now.count} frames with CPU {op.cpu}, which had {was.count}"


def limit_of(zone: Zone, load: Load) -> int:
    """From how many frames on a free drains, at most."""
    pressure = pressure_on(zone)
    if isinstance(load, Doubling):
        return high_of(load, pressure)
    if not isinstance(load, Tuned):
        return load.high
    if pressure.reclaiming:
        return min(4 * load.batch, load.high_max)
    return load.high_min if pressure.below_high else load.high_max


@OWNER_LAWS.law("PCP-leak", source="mm/page_alloc.c, drain_pages_zone and drain_all_pages")
def leaked(step: Transition) -> Complaint:
    """After a drain the CPU keeps nothing, and all that it kept is free.

    What stays behind is missing to whoever drained in order to have large blocks.
    """
    zone, op, after = step.before.zone, step.op, step.after
    failed = step.outcome == NO_MEMORY and served_or_failed(step) and drains_all(zone, op)
    if not failed and (op.verb not in EMPTYING or not served_or_failed(step)):
        return None
    cpus = {op.cpu} if op.verb in ONE_CPU else range(zone.machine.cpus)
    for kept in after.kept_blocks:
        if kept.cpu in cpus:
            return f"{wording(op)} left {kept.block} with CPU {kept.cpu}"
    if op.verb is Verb.CONTIG:
        return None
    for kept in step.before.kept_blocks:
        frames = frames_of(zone.machine, kept.block)
        if kept.cpu in cpus and frames & ~(after.free | after.guards):
            return f"{wording(op)} lost {kept.block} of CPU {kept.cpu}"
    return None
