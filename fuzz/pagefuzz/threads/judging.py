"""What must hold of a zone whenever all threads are at rest, and when all has come back."""

from collections.abc import Iterator

from pagefuzz.threads import churn
from pagefuzz.threads.team import Team
from pageimpl.memory import lists_first_of, pgalloc_of, pgfree_of, zone_lock_of
from pageimpl.pcp.state import AREA_SLOTS, lists_lock_of
from pageimpl.refine import TornList, zone_of
from pageimpl.verbs import VERBS
from pagespec.frames import SIZES
from pagespec.laws.law import LawBroken
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.swept import swept
from pagespec.laws.whole import RETURN_LAWS
from pagespec.types import Block
from pagespec.vmstat.laws.limits import due_normal
from pagespec.zone import Zone


def judge(team: Team) -> Zone:
    """Judge the zone at a moment when no thread is at work, and return it. Raises LawBroken."""
    for broken in (*_seen_by_threads(team), *_overlaps(team), *_locks(team)):
        raise broken
    try:
        zone = zone_of(team.allocator)
    except TornList as torn:
        raise LawBroken("BUD-links", str(torn)) from None
    except (LookupError, ValueError) as fault:
        raise LawBroken("BUD-links", f"its memory does not read as a zone: {fault!r}") from fault
    STATE_LAWS.check(team.machine.era, swept(zone))
    for broken in (*_held(team, zone), *_counts(team), *_drift(zone)):
        raise broken
    return zone


def judge_end(team: Team) -> None:
    """Judge the zone when everything has been given back. Raises LawBroken."""
    zone = judge(team)
    if zone.held:
        raise LawBroken("OUT-return", f"all was given back, and {zone.held} is held")
    RETURN_LAWS.check(team.machine.era, swept(zone))


def _seen_by_threads(team: Team) -> Iterator[LawBroken]:
    """What a thread itself has seen that must not be."""
    for number, state in enumerate(team.states):
        words = state.array
        if words[churn.CLASH]:
            frame = int(words[churn.CLASH]) - 1
            yield LawBroken(
                "OUT-disjoint", f"thread {number} was given frame {frame}, which is not its own"
            )
        if words[churn.ODD_VERB]:
            verb = VERBS[int(words[churn.ODD_VERB]) - 1]
            yield LawBroken(
                "OUT-fault",
                f"thread {number}: a legal {verb.value} came to {int(words[churn.ODD_OUTCOME])}",
            )


def _blocks(team: Team) -> Iterator[tuple[str, Block]]:
    for number in range(len(team.states)):
        for block in team.held_by(number):
            yield f"thread {number}", block
    for block in team.shared:
        yield "all threads", block


def _overlaps(team: Team) -> Iterator[LawBroken]:
    """No frame is in two blocks, whoever holds them."""
    owners: dict[int, str] = {}
    for owner, block in _blocks(team):
        for frame in range(block.pfn, block.pfn + SIZES[block.order]):
            if frame in owners:
                yield LawBroken(
                    "OUT-disjoint", f"frame {frame} is held by {owners[frame]} and by {owner}"
                )
            owners[frame] = owner


def _locks(team: Team) -> Iterator[LawBroken]:
    """Nobody is at work, so nobody has a lock."""
    memory = team.allocator.memory
    areas = range(lists_first_of(memory), memory.slots, AREA_SLOTS) if team.machine.cpus else ()
    if zone_lock_of(memory) or any(lists_lock_of(memory, q) for q in areas):
        yield LawBroken("LOCK-released", "all threads are at rest, and a lock is taken")


def _held(team: Team, zone: Zone) -> Iterator[LawBroken]:
    """The zone's book of held blocks is the threads' books, with one reference each."""
    theirs = {block.pfn: (block.order, 1) for _, block in _blocks(team)}
    held = {pfn: (block.order, block.refs) for pfn, block in zone.held.items()}
    if held != theirs:
        pfn = min(pfn for pfn in theirs.keys() | held.keys() if theirs.get(pfn) != held.get(pfn))
        yield LawBroken(
            "BUD-partition",
            f"frame {pfn}: its order and references are {held.get(pfn)} to the zone, "
            f"{theirs.get(pfn)} to the threads",
        )


def _counts(team: Team) -> Iterator[LawBroken]:
    """What was counted as given out and back is what the threads were given and gave back."""
    if team.machine.era.counts_operations:
        return
    memory = team.allocator.memory
    counted = pgalloc_of(memory) - team.before[0], pgfree_of(memory) - team.before[1]
    due = team.count(churn.GIVEN), team.count(churn.RETURNED)
    if counted != due:
        yield LawBroken(
            "EVT-count",
            f"counted {counted[0]} frames given and {counted[1]} returned, "
            f"threads had {due[0]} and {due[1]}",
        )


def _drift(zone: Zone) -> Iterator[LawBroken]:
    """What is told differs from the truth by what CPUs may keep at most.

    No CPU comes or goes while threads share a zone, so no threshold is larger than the one of boot;
    what was kept before it was lowered may still be there.
    """
    if zone.cells is None:
        return
    most = max(zone.cells.threshold, due_normal(zone.machine.cpus, zone.machine.managed_pages))
    for kept in zone.cells.free.kept:
        if abs(kept) > most:
            yield LawBroken("VM-drift", f"a CPU keeps {kept} of the free frames, at most {most}")
