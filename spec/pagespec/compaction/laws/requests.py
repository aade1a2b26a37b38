"""Laws about one request of compaction between two states."""

from pagespec.compaction.laws.effects import GIVING, due_effect, open_frames
from pagespec.compaction.laws.legal import COMPACTING
from pagespec.compaction.laws.speaking import captures, compacts, walks_only
from pagespec.compaction.laws.step import CompactionStep, difference
from pagespec.compaction.laws.wording import wording
from pagespec.compaction.verbs import FRAMES, CompactionVerb, Result
from pagespec.frames import SIZES, is_aligned
from pagespec.laws.holdings import REFUSALS
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import frames_of, frames_of_run, lowest_of
from pagespec.migratetype import MOVABLE
from pagespec.types import NO_MEMORY, Block, Refusal

REFUSAL_LAWS: LawBook[CompactionStep] = LawBook()
REQUEST_LAWS: LawBook[CompactionStep] = LawBook()


@REFUSAL_LAWS.law("CMP-refused", eras=compacts, source="derived; mm/compaction.c, 2.6.37 to 6.12")
def refused(step: CompactionStep) -> Complaint:
    """An illegal request is refused for the right reason and changes nothing; a legal one is not.

    What is asked for a block answers a first frame or none, a run how it ended, all else 0. Who is
    believed about a block that is another's moves that one's memory away.
    """
    due, op = step.due, step.op
    got = Refusal(step.outcome) if step.outcome in REFUSALS else None
    if due is not got:
        names = ["served" if each is None else f"refused as {each.name}" for each in (due, got)]
        return f"{wording(op)} must be {names[0]}, was {names[1]}"
    if due is not None:
        differs = difference(step.before, step.after)
        if step.after.moves:
            return f"{wording(op)} was refused and yet moved {step.after.moves}"
        return None if differs is None else f"{wording(op)} was refused, and yet {differs}"
    if op.verb in FRAMES:
        fits = step.outcome >= 0 or step.outcome == NO_MEMORY
    elif op.verb in COMPACTING:
        fits = step.outcome in set(Result)
    else:
        fits = step.outcome == 0
    return None if fits else f"{wording(op)} answered {step.outcome}"


@REQUEST_LAWS.law("CMP-given", level="outside", eras=compacts, source="derived")
def given_was_free(step: CompactionStep) -> Complaint:
    """What is given out lies in the zone, on its alignment, and nobody has it: nor had, but for
    what was moved away.

    A frame with two owners is written by both.
    """
    op, machine = step.op, step.before.zone.machine
    if op.verb not in FRAMES or step.outcome < 0:
        return None
    block = Block(step.outcome, op.order if op.verb in GIVING else 0)
    pages = SIZES[block.order] if op.verb in GIVING else op.pages
    if not machine.start <= block.pfn <= machine.end - pages:
        return f"{wording(op)} gave frames {block.pfn}..{block.pfn + pages}, beyond the zone"
    if not is_aligned(block.pfn - machine.base, block.order):
        return f"{wording(op)} gave {block}, off its alignment"
    if op.verb is CompactionVerb.CLAIM and block.pfn != op.pfn:
        return f"{wording(op)} gave frames from {block.pfn} on"
    frames = frames_of_run(machine, block.pfn, block.pfn + pages)
    taken = frames & ~open_frames(step.before)
    for source, _, order in step.after.moves:
        taken &= ~frames_of(machine, Block(source, order))
    if taken:
        return f"{wording(op)} gave frame {lowest_of(machine, taken)}, which somebody had"
    return None


@REQUEST_LAWS.law(
    "CMP-move", eras=compacts, source="mm/compaction.c, isolate_migratepages, 2.6.37 to 6.12"
)
def moved_well(step: CompactionStep) -> Complaint:
    """Only compaction moves blocks: movable ones that nobody else has a reference to.

    To frames that were nobody's and that a block of that order fits, and never over its own frames.
    Until 4.10 only what is on the LRU, and until 6.12 single frames alone. A pinned page is read or
    written by hardware that knows its frame and no name.
    """
    machine, zone = step.before.machine, step.before.zone
    design, op = machine.design, step.op
    held, frames = dict(zone.held), open_frames(step.before)
    lru, strays = set(step.before.lru), step.before.strays
    for source, target, order in step.after.moves:
        what = f"{wording(op)} moved pfn {source} to pfn {target}"
        holding = held.pop(source, None)
        fit = frames_of(zone.machine, Block(target, order))
        if op.verb not in COMPACTING:
            return what
        if holding is None or holding.order != order:
            return f"{what} as a block of order {order}, which was {holding}"
        if holding.refs != 1 or holding.mt is not MOVABLE or source in strays:
            return f"{what}, which is pinned or may not be moved: {holding}"
        if source not in lru and not design.moves_others:
            return f"{what}, which is not on the LRU"
        if order > 0 and not (design.moves_large and holding.compound):
            return f"{what}, which has {SIZES[order]} frames"
        if not is_aligned(target - zone.machine.base, order) or fit & ~frames or not fit:
            return f"{what}, where it does not fit or something was"
        held[target] = holding
        frames = frames & ~fit | frames_of(zone.machine, Block(source, order))
        if source in lru:
            lru.remove(source)
            lru.add(target)
    return None


@REQUEST_LAWS.law(
    "CMP-upward",
    eras=walks_only,
    source="mm/compaction.c, isolate_freepages and compact_finished, 4.10",
)
def moved_upward(step: CompactionStep) -> Complaint:
    """Blocks are only moved upward: free frames are found above where held blocks are found.

    Scanners that pass each other without noticing move blocks back and forth for ever. Until 2.6.39
    frames that were isolated in several pageblocks wait while the migrate scanner goes on as far as
    the highest of these; since 5.1 so may those that were found on a list.
    """
    for source, target, _ in step.after.moves:
        if target <= source:
            return f"{wording(step.op)} moved pfn {source} down to pfn {target}"
    return None


@REQUEST_LAWS.law("CMP-holder", eras=compacts, source="mm/migrate.c, migrate_pages, 2.6.37 to 6.12")
def holders_keep_what_they_have(step: CompactionStep) -> Complaint:
    """A moved block keeps its order, its type, its references and its place on the LRU; what is not
    moved keeps its frames as well.

    Its holder is not asked and must not notice.
    """
    if step.due is not None:
        return None
    due, after = due_effect(step), step.after
    seen = (("held", after.zone.held), ("lru", after.lru), ("strays", after.strays))
    for (name, got), expected in zip(seen, due[1:], strict=True):
        if got != expected:
            return f"after {wording(step.op)} {name} differs by {_difference(got, expected)}"
    return None


def _difference(got: object, expected: object) -> str:
    if isinstance(got, dict) and isinstance(expected, dict):
        odd = sorted(pfn for pfn in got.keys() | expected if got.get(pfn) != expected.get(pfn))
        return f"frame {odd[0]}: {got.get(odd[0])}, expected {expected.get(odd[0])}"
    assert isinstance(got, set)
    assert isinstance(expected, set)
    return f"frames {sorted(got ^ expected)}"


@REQUEST_LAWS.law(
    "CAP-capture", eras=captures, source="mm/compaction.c and mm/page_alloc.c, compaction_capture"
)
def captured_is_returned(step: CompactionStep) -> Complaint:
    """A block that a request captures is what it returns; nothing else leaves the free frames.

    Captured and not returned it is lost: no list has it, and nobody holds it.
    """
    return _open_frames_due(step) if step.op.verb is CompactionVerb.DIRECT else None


@REQUEST_LAWS.law(
    "CMP-undo", eras=compacts, source="mm/compaction.c, compact_zone: release_freepages"
)
def all_is_given_back(step: CompactionStep) -> Complaint:
    """However a run ends, what is nobody's afterwards is what was before, but for what was moved
    and what the request itself was given or gave back.

    Of the targets that were isolated none is missing, and none is there twice.
    """
    return _open_frames_due(step)


def _open_frames_due(step: CompactionStep) -> Complaint:
    if step.due is not None:
        return None
    machine, got, due = step.before.zone.machine, open_frames(step.after), due_effect(step)[0]
    if got == due:
        return None
    if due & ~got:
        frame = lowest_of(machine, due & ~got)
        return f"after {wording(step.op)} frame {frame} is not free, nor on a list"
    frame = lowest_of(machine, got & ~due)
    return f"after {wording(step.op)} frame {frame} is free or on a list, and should not be"
