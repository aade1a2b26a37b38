"""Laws about what a request does to the lists of CPUs."""

from collections.abc import Iterator

from pagespec.events import Kind
from pagespec.frames import SIZES
from pagespec.laws.holdings import REFUSALS, blocks_freed, due_refusal
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of
from pagespec.laws.replay import Replay, after_frees, drain, pressure_on, replay_of
from pagespec.laws.serving import served
from pagespec.laws.sized import resized
from pagespec.laws.tries import due_try, refills
from pagespec.laws.visits import asked
from pagespec.laws.ways import (
    at_tail,
    frees_by_lists,
    goes_by_lists,
    kind_of,
    number_of,
    set_of,
    type_of,
)
from pagespec.laws.wording import wording
from pagespec.migratetype import MigrateType
from pagespec.pcp.state import Load, Pcp
from pagespec.pcp.tuning import Doubling, Tuned, decay, high_of
from pagespec.types import FAULT, NO_MEMORY, Block, Pfn
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

PCP_LAWS: LawBook[Transition] = LawBook()

FREEING = (Verb.FREE, Verb.PUT)
EMPTYING = frozenset(
    {Verb.DRAIN, Verb.DRAIN_ALL, Verb.DISABLE, Verb.UNPLUG, Verb.ISOLATE, Verb.CONTIG}
)
"""The verbs that give back all that a CPU, or every CPU, keeps."""

ONE_CPU = frozenset({Verb.DRAIN, Verb.UNPLUG, Verb.AGE, Verb.EXPIRE})
RESIZING = frozenset({Verb.DISABLE, Verb.ENABLE, Verb.UNPLUG, Verb.PLUG})
"""The verbs after which CPUs share what they may keep anew."""


def _sets(zone: Zone) -> Iterator[tuple[int, int, Pcp]]:
    for cpu, pcps in enumerate(zone.pcps):
        for kind, pcp in enumerate(pcps):
            yield cpu, kind, pcp


def _owned(zone: Zone, op: Op) -> set[tuple[int, int]]:
    """The sets of lists, by CPU and kind, that a request may take from or put on."""
    mine = {(op.cpu, kind_of(zone, op))}
    if op.verb in (Verb.ALLOC, Verb.BULK):
        order = op.order if op.verb is Verb.ALLOC else 0
        return mine if goes_by_lists(zone, op, order) else set()
    if op.verb in FREEING:
        freed = blocks_freed(zone, op)
        return mine if any(frees_by_lists(zone, op, *block) for block in freed) else set()
    if op.verb in ONE_CPU:
        return {(op.cpu, kind) for kind in range(len(zone.pcps[op.cpu]))}
    return set()


def _drains_all(zone: Zone, op: Op) -> bool:
    """Whether the request may have all CPUs give back what they keep, before it fails."""
    if op.verb is Verb.BULK:
        op = op._replace(verb=Verb.ALLOC, order=0)
    return op.verb is Verb.ALLOC and due_try(zone, op).number == "last"


@PCP_LAWS.law("PCP-owner", source="mm/page_alloc.c, the guard of pcp lists, 2.6.11 to 6.12")
def owned(step: Transition) -> Complaint:
    """A request touches the lists of its own CPU alone, and none if the era's guard bars it.

    Nothing but the guard keeps two from changing a list at once. What CPUs keep is drained from
    elsewhere only by a request that is about it, and before an allocation fails. In 4.11-rc lists
    are not for interrupts; since 6.0 not for whoever does not get their lock.
    """
    zone, op = step.before.zone, step.op
    if not zone.machine.cpus or not served_or_failed(step):
        return None
    mine = _owned(zone, op)
    drained = (op.verb in EMPTYING and op.verb not in ONE_CPU) or _drains_all(zone, op)
    for (cpu, kind, was), (_, _, now) in zip(_sets(zone), _sets(step.after.zone), strict=True):
        if (cpu, kind) in mine or was.lists == now.lists:
            continue
        if not drained or any(now.lists):
            return f"{wording(op)} on CPU {op.cpu} changed what CPU {cpu} keeps"
    return None


def served_or_failed(step: Transition) -> bool:
    """Whether a legal request was not refused. One that fails may have used lists all the same."""
    legal = due_refusal(step.before.zone, step.op) is None
    return legal and step.outcome not in REFUSALS and step.outcome != FAULT


def _by_list(step: Transition) -> bool:
    """Whether the lists served an allocation at a try that the state before foretells."""
    if not served(step, Verb.ALLOC):
        return False
    tried = due_try(step.before.zone, step.op)
    return tried.by_list and tried.number in ("only", "low", "min")


def _list_of(zone: Zone, op: Op) -> list[tuple[Pfn, MigrateType]]:
    """The list of an allocation, from the end on that it is served from."""
    number = number_of(zone.machine, op.order, type_of(zone, op))
    blocks = list(set_of(zone, op).lists[number].items())
    return blocks[::-1] if at_tail(zone, op) else blocks


@PCP_LAWS.law("PCP-refill", source="mm/page_alloc.c, rmqueue_bulk and nr_pcp_alloc, 2.6.11 to 6.12")
def refilled(step: Transition) -> Complaint:
    """An empty list gets as many blocks as the era's formula says, fewer only if there are no more.

    The zone's lock is taken once for all of them. Until 2.6.11 a list gets a batch before it runs
    low. The batch counts frames since 5.13, and doubles with each refill since 6.7.
    """
    zone, op = step.before.zone, step.op
    if not _by_list(step):
        return None
    due = asked(zone, op).blocks
    got = len(_list_of(step.after.zone, op)) - len(_list_of(zone, op)) + 1
    if got == due or (got < due and not refills(step.after.zone, op)):
        return None
    return f"{wording(op)} moved {got} blocks to the list of CPU {op.cpu}, {due} are due"


@PCP_LAWS.law("PCP-drain", source="mm/page_alloc.c, free_pcppages_bulk, 2.6.11 to 6.12")
def drained(step: Transition) -> Complaint:
    """Lists that hold too much give back what the formulas say, in turn and from the tails.

    A free drains a batch when `high` is reached, since 5.13 more the longer nothing is allocated.
    Until 5.15 the lists take turns, since 6.0 the one that was freed into comes first. The tails
    are what has been there longest. The turns are judged where the spec tells of them.
    """
    zone, op = step.before.zone, step.op
    dues = _due_sets(step)
    turns: list[Block] = []
    for (cpu, kind, was), (_, _, now) in zip(_sets(zone), _sets(step.after.zone), strict=True):
        due = dues.get((cpu, kind))
        if due is None:
            continue
        gone = (_heads(was) | _freed_by_lists(zone, op)) - _heads(now)
        if gone != {block.pfn for block in due.drained}:
            return f"{wording(op)} drained {sorted(gone)} of CPU {cpu}, {due.drained} are due"
        turns += due.drained
    told = [Block(e.pfn, e.order) for e in step.log if e.kind is Kind.PCPU_DRAIN]
    if dues and step.log and told != turns:
        return f"{wording(op)} drained in the order of {told}, {turns} is due"
    return None


def _heads(pcp: Pcp) -> set[Pfn]:
    return {pfn for blocks in pcp.lists for pfn in blocks}


def _freed_by_lists(zone: Zone, op: Op) -> set[Pfn]:
    freed = blocks_freed(zone, op) if op.verb in FREEING else []
    return {block.pfn for block in freed if frees_by_lists(zone, op, *block)}


def _due_sets(step: Transition) -> dict[tuple[int, int], Replay]:
    """The sets of lists that a request drains, or frees onto, as they must be afterwards."""
    zone, op = step.before.zone, step.op
    if not zone.machine.cpus or not served_or_failed(step):
        return {}
    if op.verb in FREEING:
        due = after_frees(step)
        return {} if due is None else {(op.cpu, kind_of(zone, op)): due}
    sets = {(cpu, kind): replay_of(zone, pcp) for cpu, kind, pcp in _sets(zone)}
    if op.verb in ONE_CPU:
        sets = {(cpu, kind): due for (cpu, kind), due in sets.items() if cpu == op.cpu}
    for due in sets.values():
        pages = due.count
        if op.verb is Verb.AGE and isinstance(due.load, Tuned):
            due.load, pages = decay(due.load, due.count)
        elif op.verb is Verb.EXPIRE:
            pages = min(due.count, due.load.batch)
        elif op.verb not in EMPTYING:
            return {}
        drain(due, pages)
    return sets


@PCP_LAWS.law("PCP-lifo", source="mm/page_alloc.c, rmqueue_pcplist and free_unref_page_commit")
def in_order(step: Transition) -> Complaint:
    """A freed block is the first to be given out again; a refill is given out in its own order.

    What was used last is still in the CPU's cache. From 2.6.32 to 4.14 what is freed cold goes to
    the other end, and cold requests are served from there.
    """
    zone, op = step.before.zone, step.op
    for (cpu, kind), due in _due_sets(step).items():
        lists = [list(blocks.items()) for blocks in step.after.zone.pcps[cpu][kind].lists]
        for number, (got, blocks) in enumerate(zip(lists, due.lists, strict=True)):
            if got != blocks:
                return f"{wording(op)} left {got} on list {number} of CPU {cpu}, {blocks} is due"
    if not _by_list(step):
        return None
    was, now = _list_of(zone, op), _list_of(step.after.zone, op)
    if was and was[0][0] != step.outcome:
        return f"{wording(op)} got frame {step.outcome}, the first of its list was {was[0][0]}"
    if now[: len(was[1:])] != was[1:]:
        return f"{wording(op)} left {now}, after what was listed before: {was}"
    moved = [pfn for pfn, _ in now[len(was[1:]) :]]
    return _refill_order(step, moved if was else [step.outcome, *moved])


def _refill_order(step: Transition, moved: list[Pfn]) -> Complaint:
    """What a refill brought must have been free, and is listed as it left the buddy."""
    machine, order = step.before.zone.machine, step.op.order
    for pfn in moved:
        if frames_of(machine, Block(pfn, order)) & ~step.before.free:
            return f"{Block(pfn, order)} came to a list and was not free"
    told = [event.pfn for event in step.log if event.kind is Kind.ZONE_LOCKED]
    removed = [pfn for pfn in dict.fromkeys(told) if pfn in moved]
    if removed == moved or sorted(removed) != sorted(moved):
        return None
    return f"{wording(step.op)} listed {moved}, which left the buddy as {removed}"


@PCP_LAWS.law("PCP-tune", source="mm/page_alloc.c, nr_pcp_alloc, nr_pcp_high and nr_pcp_free")
def tuned(step: Transition) -> Complaint:
    """What lists learn from a request is what the era's formulas say; others learn nothing from it.

    Since 5.13 the next drain is larger the longer nothing is allocated, since 6.7 the next refill
    and `high` too. Whoever learns wrongly takes the zone's lock too often, or hoards.
    """
    zone, op = step.before.zone, step.op
    if not zone.machine.cpus or not served_or_failed(step):
        return None
    mine = _owned(zone, op)
    for (cpu, kind, was), (_, _, now) in zip(_sets(zone), _sets(step.after.zone), strict=True):
        due = _due_load(step, was) if (cpu, kind) in mine else was.load
        if op.verb in RESIZING:
            due = resized(step.after.zone, kind, was.load)
        if due is not None and now.load != due:
            return f"{wording(op)} left CPU {cpu} with {now.load}, expected {due}"
    return None


def _due_load(step: Transition, was: Pcp) -> Load | None:
    """What the lists that a request uses must have learnt; None where its state does not tell."""
    zone, op = step.before.zone, step.op
    if op.verb is Verb.ALLOC:
        return None if due_try(zone, op).number == "last" else asked(zone, op).load
    if op.verb is Verb.AGE and isinstance(was.load, Tuned):
        return decay(was.load, was.count).load
    if op.verb in FREEING:
        due = after_frees(step)
        return None if due is None else due.load
    return None if op.verb is Verb.BULK else was.load


@PCP_LAWS.law("PCP-bound", source="mm/page_alloc.c, free_unref_page_commit, 2.6.11 to 6.12")
def bounded(step: Transition) -> Complaint:
    """After a free the lists hold less than `high`, or no more than before and but for one frame.

    That is all there is: a drain takes less than what is too much, and `high` counts as four
    batches while kswapd works, or moves. Until 2.6.11 the drain comes first, so `high` is reached.
    What CPUs hoard is missing elsewhere.
    """
    zone, op = step.before.zone, step.op
    if not served(step, *FREEING) or not _owned(zone, op):
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


@PCP_LAWS.law("PCP-leak", source="mm/page_alloc.c, drain_pages_zone and drain_all_pages")
def leaked(step: Transition) -> Complaint:
    """After a drain the CPU keeps nothing, and all that it kept is free.

    What stays behind is missing to whoever drained in order to have large blocks.
    """
    zone, op, after = step.before.zone, step.op, step.after
    failed = step.outcome == NO_MEMORY and served_or_failed(step) and _drains_all(zone, op)
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
