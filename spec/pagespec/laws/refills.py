"""Laws about what comes to a CPU's list from the buddy, and who gets it."""

from pagespec.events import Kind
from pagespec.laws.bulk import empty_slots, filled_in_order, way_of
from pagespec.laws.drains import due_sets
from pagespec.laws.law import Complaint, LawBook, Transition
from pagespec.laws.masks import frames_of
from pagespec.laws.serving import served
from pagespec.laws.tries import due_try, refills
from pagespec.laws.visits import Asked, asked, asked_in_bulk
from pagespec.laws.ways import at_tail, number_of, set_of, type_of
from pagespec.laws.wording import wording
from pagespec.migratetype import MigrateType
from pagespec.types import Block, Order, Pfn
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

REFILL_LAWS: LawBook[Transition] = LawBook()
TOLD_REFILL_LAWS: LawBook[Transition] = LawBook()


def by_list(step: Transition) -> bool:
    """Whether the lists served an allocation at a try that the state before foretells."""
    if served(step, Verb.BULK):
        return way_of(step.before.zone, step.op) == "list"
    if not served(step, Verb.ALLOC):
        return False
    tried = due_try(step.before.zone, step.op)
    return tried.by_list and tried.number in ("only", "low", "min")


def order_of(op: Op) -> Order:
    """The order of the blocks that a request asks for."""
    return 0 if op.verb is Verb.BULK else op.order


def given_by(step: Transition) -> list[Pfn]:
    """The blocks that a request was given, in order."""
    return filled_in_order(step) if step.op.verb is Verb.BULK else [step.outcome]


def due_asked(step: Transition) -> Asked:
    """How many blocks a served request must ask the buddy for, and what the lists learn."""
    zone, op = step.before.zone, step.op
    if op.verb is not Verb.BULK:
        return asked(zone, op)
    given = len(given_by(step))
    short = given < len(empty_slots(zone, op.pages))
    moved = len(list_of(step.after.zone, op)) - len(list_of(zone, op)) + given
    return asked_in_bulk(zone, len(list_of(zone, op)), set_of(zone, op), given + short, moved)


def list_of(zone: Zone, op: Op) -> list[tuple[Pfn, MigrateType]]:
    """The list of an allocation, from the end on that it is served from."""
    number = number_of(zone.machine, order_of(op), type_of(zone, op))
    blocks = list(set_of(zone, op).lists[number].items())
    return blocks[::-1] if at_tail(zone, op) else blocks


@REFILL_LAWS.law(
    "PCP-refill",
    level="exact",
    source="mm/page_alloc.c, rmqueue_bulk and nr_pcp_alloc, 2.6.11 to 6.12",
)
def refilled(step: Transition) -> Complaint:
    """An empty list gets as many blocks as the era's formula says, fewer only if there are no more.

    The zone's lock is taken once for all of them. Until 2.6.11 a list gets a batch before it runs
    low. The batch counts frames since 5.13, and doubles with each refill since 6.7.
    """
    zone, op, after = step.before.zone, step.op, step.after.zone
    if not by_list(step):
        return None
    given = given_by(step)
    got = len(list_of(after, op)) - len(list_of(zone, op)) + len(given)
    due = due_asked(step).blocks
    if got == due or (got < due and not refills(after, op._replace(order=order_of(op)))):
        return None
    return f"{wording(op)} moved {got} blocks to the list of CPU {op.cpu}, {due} are due"


@REFILL_LAWS.law(
    "PCP-lifo", level="exact", source="mm/page_alloc.c, rmqueue_pcplist and free_unref_page_commit"
)
def in_order(step: Transition) -> Complaint:
    """A freed block is the first to be given out again; a refill is given out in its own order.

    What was used last is still in the CPU's cache. From 2.6.32 to 4.14 what is freed cold goes to
    the other end, and cold requests are served from there.
    """
    zone, op = step.before.zone, step.op
    for (cpu, kind), due in due_sets(step).items():
        lists = [list(blocks.items()) for blocks in step.after.zone.pcps[cpu][kind].lists]
        for number, (got, blocks) in enumerate(zip(lists, due.lists, strict=True)):
            if got != blocks:
                return f"{wording(op)} left {got} on list {number} of CPU {cpu}, {blocks} is due"
    if not by_list(step):
        return None
    was, now, given = list_of(zone, op), list_of(step.after.zone, op), given_by(step)
    old = [pfn for pfn, _ in was]
    if given[: len(old)] != old[: len(given)]:
        return f"{wording(op)} got {given}, the first of its list were {old[: len(given)]}"
    rest = was[len(given) :]
    if now[: len(rest)] != rest:
        return f"{wording(op)} left {now}, after what was listed before: {was}"
    for pfn in moved_by(step):
        block = Block(pfn, order_of(op))
        if frames_of(zone.machine, block) & ~step.before.free:
            return f"{block} came to a list of CPU {op.cpu} and was not free"
    return None


def moved_by(step: Transition) -> list[Pfn]:
    """The blocks that a refill brought, in the order in which the list gives them out."""
    was, given = list_of(step.before.zone, step.op), given_by(step)
    now = [pfn for pfn, _ in list_of(step.after.zone, step.op)]
    return [*given[len(was) :], *now[len(was[len(given) :]) :]]


@TOLD_REFILL_LAWS.law("EVT-refill", level="exact", source="mm/page_alloc.c, rmqueue_bulk, to 6.12")
def listed_as_removed(step: Transition) -> Complaint:
    """A refill lists blocks in the order in which they leave the buddy.

    They are handed out upward through memory then. Told by the tracepoint of each removal; where
    6.12 prints none for a single block of another type, or 5.8 for CMA memory that came first,
    nothing is said.
    """
    if not step.log or not by_list(step):
        return None
    moved = moved_by(step)
    told = [event.pfn for event in step.log if event.kind is Kind.ZONE_LOCKED]
    removed = [pfn for pfn in dict.fromkeys(told) if pfn in moved]
    if removed == moved or sorted(removed) != sorted(moved):
        return None
    return f"{wording(step.op)} listed {moved}, which left the buddy as {removed}"
