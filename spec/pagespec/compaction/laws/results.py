"""Laws about how a run ends: what it answers, what it leaves for the next one, and that it ends."""

from pagespec.compaction.design import CLUSTER
from pagespec.compaction.laws.effects import open_frames
from pagespec.compaction.laws.legal import COMPACTING
from pagespec.compaction.laws.speaking import compacts, remembers
from pagespec.compaction.laws.step import CompactionStep
from pagespec.compaction.laws.wording import wording
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import ANSWERS, CompactionVerb, Result
from pagespec.frames import SIZES, head_of
from pagespec.laws.frame import visits_of_orders
from pagespec.laws.law import Complaint, LawBook
from pagespec.migratetype import MOVABLE
from pagespec.types import Pfn

RESULT_LAWS: LawBook[CompactionStep] = LawBook()

MET = frozenset({Result.COMPLETE, Result.PARTIAL})
"""The answers that say that the scanners have met."""


def is_whole(compaction: Compaction, step: CompactionStep) -> bool:
    """Whether a run begins at the zone's start: told so, or where others have left off."""
    machine, design = compaction.zone.machine, compaction.machine.design
    if not design.remembers or (step.op.whole and step.op.verb is CompactionVerb.COMPACT):
        return True
    patient = step.op.verb is CompactionVerb.BACKGROUND or step.op.mode != "async"
    begun = compaction.cached_migrate[patient]
    return begun <= machine.start or not begun < machine.end


@RESULT_LAWS.law(
    "CMP-result", eras=compacts, source="mm/compaction.c, compact_finished, 2.6.37 to 6.12"
)
def answers_what_is_there(step: CompactionStep) -> Complaint:
    """A run that has succeeded leaves a block of the order; one that is complete began at the
    zone's start, and one that is partial did not; one for the whole zone never stops at a block.

    Who is told of success and finds nothing tries again for ever.
    """
    op, after = step.op, step.after
    if op.verb not in ANSWERS or step.due is not None:
        return None
    result = Result(step.outcome)
    whole = op.whole and op.verb is CompactionVerb.COMPACT
    if whole and result in (Result.SUCCESS, Result.SKIPPED):
        return f"{wording(op)} answered {result.name}"
    if result is Result.SUCCESS and not any(after.zone.nr_free[op.order :]):
        return f"{wording(op)} answered {result.name}, and no block of the order is free"
    if result in MET:
        due = Result.COMPLETE if is_whole(step.before, step) else Result.PARTIAL
        if result is not due:
            return f"{wording(op)} answered {result.name}, expected {due.name}"
    return None


@RESULT_LAWS.law(
    "CMP-anew", eras=remembers, source="mm/compaction.c, reset_cached_positions, 3.14 to 6.12"
)
def begins_anew_after_meeting(step: CompactionStep) -> Complaint:
    """When the scanners have met, the next run begins at the zone's ends.

    A run that begins where they met finds that they have met, and so does every later one: nothing
    is ever compacted again.
    """
    op, after = step.op, step.after
    if op.verb not in ANSWERS or step.due is not None or step.outcome not in MET:
        return None
    start = after.zone.machine.start
    if after.cached_migrate != [start, start] or after.cached_free != last_pageblock(after):
        return (
            f"after {wording(op)} the next run begins at {after.cached_migrate} and "
            f"{after.cached_free}, expected {start} and {last_pageblock(after)}"
        )
    return None


def last_pageblock(compaction: Compaction) -> Pfn:
    """The first frame of the pageblock of the zone's last frame."""
    machine = compaction.zone.machine
    return head_of(machine.end - 1, machine.pageblock or 0)


@RESULT_LAWS.law(
    "CMP-later", eras=compacts, source="mm/compaction.c, update_cached_migrate, 3.7 to 6.12"
)
def later_runs_begin_behind(step: CompactionStep) -> Complaint:
    """Until they meet, later runs begin no lower than earlier ones did.

    Only compaction changes where. Where nothing is remembered, every run begins at the zone's ends.
    """
    op, before, after = step.op, step.before, step.after
    positions = (before.cached_migrate, before.cached_free, before.skips, before.flush)
    same = positions == (after.cached_migrate, after.cached_free, after.skips, after.flush)
    may = (*COMPACTING, CompactionVerb.REST, CompactionVerb.CLAIM)
    if not same and (not before.machine.design.remembers or op.verb not in may):
        return f"{wording(op)} changed where later runs begin, or what they pass over"
    if op.verb is CompactionVerb.CLAIM and before.skips != after.skips:
        return f"{wording(op)} changed which pageblocks are passed over"
    if op.verb not in ANSWERS or step.due is not None or step.outcome in MET:
        return None
    for was, now in zip(before.cached_migrate, after.cached_migrate, strict=True):
        if now < was < before.zone.machine.end:
            return f"after {wording(op)} the next run begins at {now}, and began at {was} before"
    return None


@RESULT_LAWS.law("CMP-forget", eras=remembers, source="mm/compaction.c, reset_isolation_suitable")
def forgets_when_asked(step: CompactionStep) -> Complaint:
    """When kswapd falls asleep all is forgotten that is to be, and otherwise nothing.

    A pageblock that is passed over for ever is never compacted.
    """
    op, before, after = step.op, step.before, step.after
    if op.verb is not CompactionVerb.REST or step.due is not None:
        return None
    start = before.zone.machine.start
    due = (
        (set[int](), [start, start], last_pageblock(before))
        if before.flush
        else (before.skips, before.cached_migrate, before.cached_free)
    )
    if (after.skips, after.cached_migrate, after.cached_free) != due or after.flush:
        return f"rest left {after.skips}, {after.cached_migrate}, {after.cached_free}, not {due}"
    return None


@RESULT_LAWS.law(
    "CMP-ends", eras=compacts, source="derived: every go moves a scanner, and each has a zone to go"
)
def ends(step: CompactionStep) -> Complaint:
    """A run visits no more frames and list nodes than its goes allow: each looks at the zone at
    most, twice and at what is free of it.

    There are as many as pageblocks, and one more for every 32 frames that can be moved. A scanner
    that does not get on, or does not see that it has met the other, is a hang.
    """
    if step.op.verb not in COMPACTING:
        return None
    most = most_visits(step.before)
    if step.visited <= most:
        return None
    return f"{wording(step.op)} looked at {step.visited} places, at most {most} are due"


def most_visits(compaction: Compaction) -> int:
    """How many frames and list nodes a request that compacts may visit."""
    zone = compaction.zone
    size = SIZES[zone.machine.pageblock or 0]
    movable = sum(SIZES[each.order] for each in zone.held.values() if each.mt is MOVABLE)
    goes = zone.machine.pages // size + movable // CLUSTER + 4
    each = 4 * zone.machine.pages + 4 * size
    # What is freed again, or drained, goes through all orders.
    freed = movable + open_frames(compaction).bit_count() + zone.machine.pages
    return goes * each + visits_of_orders(zone.machine) * freed
