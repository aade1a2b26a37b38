"""Laws about what goes back from a CPU's lists to the buddy, and how much may stay."""

from functools import lru_cache

from pagespec.events import Kind
from pagespec.laws.holdings import blocks_freed
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.owners import EMPTYING, FREEING, ONE_CPU, heads, served_or_failed, sets_of
from pagespec.laws.replay import Replay, after_frees, drain, replay_of
from pagespec.laws.ways import frees_by_lists, kind_of
from pagespec.laws.wording import wording
from pagespec.pcp.tuning import Tuned, decay
from pagespec.types import Block, Pfn
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

DRAIN_LAWS: LawBook[Transition] = LawBook()
TOLD_DRAIN_LAWS: LawBook[Transition] = LawBook()


@DRAIN_LAWS.law(
    "PCP-drain", level="exact", source="mm/page_alloc.c, free_pcppages_bulk, 2.6.11 to 6.12"
)
def drained(step: Transition) -> Complaint:
    """Lists that hold too much give back what the formulas say, in turn and from the tails.

    A free drains a batch when `high` is reached, since 5.13 more the longer nothing is allocated.
    Until 5.15 the lists take turns, since 6.0 the one that was freed into comes first. The tails
    are what has been there longest.
    """
    zone, op = step.before.zone, step.op
    dues = due_sets(step)
    for (cpu, kind, was), (_, _, now) in zip(sets_of(zone), sets_of(step.after.zone), strict=True):
        due = dues.get((cpu, kind))
        if due is None:
            continue
        gone = (heads(was) | freed_by_lists(zone, op)) - heads(now)
        if gone != {block.pfn for block in due.drained}:
            return f"{wording(op)} drained {sorted(gone)} of CPU {cpu}, {due.drained} are due"
    return None


@TOLD_DRAIN_LAWS.law("EVT-drain", level="exact", source="include/trace/events/kmem.h, to 6.12")
def drained_in_turn(step: Transition) -> Complaint:
    """Drains are printed block by block, in the turns in which the lists are asked.

    By the order of these lines a trace of a real kernel shows how its lists take turns.
    """
    dues = due_sets(step)
    if not dues or not step.log:
        return None
    told = [Block(event.pfn, event.order) for event in step.log if event.kind is Kind.PCPU_DRAIN]
    turns = [block for _, due in sorted(dues.items()) for block in due.drained]
    if told == turns:
        return None
    return f"{wording(step.op)} printed drains of {told}, {turns} are due"


def freed_by_lists(zone: Zone, op: Op) -> set[Pfn]:
    """The blocks that a request frees onto lists."""
    freed = blocks_freed(zone, op) if op.verb in FREEING else []
    return {block.pfn for block in freed if frees_by_lists(zone, op, *block)}


def rested(step: Transition) -> bool:
    """Whether a refresh is the third in a row that had nothing to tell a zone of another node."""
    zone, op = step.before.zone, step.op
    cells = zone.cells
    if cells is None or op.cpu not in zone.machine.far or cells.rest[op.cpu] != 1:
        return False
    return not cells.free.kept[op.cpu] and not cells.cma.kept[op.cpu]


def due_sets(step: Transition) -> dict[tuple[int, int], Replay]:
    """The sets of lists that a request drains, or frees onto, as they must be afterwards."""
    return _due_sets(step._replace(visited=0, log=()))


@lru_cache(maxsize=1)
def _due_sets(step: Transition) -> dict[tuple[int, int], Replay]:
    """The same without what the spec told, so that the three laws that ask share one answer."""
    zone, op = step.before.zone, step.op
    if not zone.machine.cpus or not served_or_failed(step):
        return {}
    if op.verb in FREEING:
        due = after_frees(step)
        return {} if due is None else {(op.cpu, kind_of(zone, op)): due}
    sets = {(cpu, kind): replay_of(zone, pcp) for cpu, kind, pcp in sets_of(zone)}
    if op.verb in ONE_CPU:
        sets = {(cpu, kind): due for (cpu, kind), due in sets.items() if cpu == op.cpu}
    for due in sets.values():
        pages = due.count
        if op.verb is Verb.REFRESH:
            pages = 0
        if op.verb in (Verb.AGE, Verb.REFRESH) and isinstance(due.load, Tuned):
            due.load, pages = decay(due.load, due.count)
        elif op.verb is Verb.EXPIRE:
            pages = min(due.count, due.load.batch)
        elif op.verb not in EMPTYING and op.verb is not Verb.REFRESH:
            return {}
        drain(due, pages)
        if op.verb is Verb.REFRESH and rested(step):
            drain(due, min(due.count, due.load.batch))
    return sets
