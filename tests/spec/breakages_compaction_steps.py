"""Steps of runs, and windows of scanners, that break one law each."""

from tests.spec.breakages_compaction import WORK, Change, sets
from tests.spec.compactions import laid_out
from tests.spec.rows import row

from pagespec.compaction.laws.moments import AT_EVERY_STEP, Glance, Moment, glance
from pagespec.compaction.laws.windows import SCANNERS, WINDOW_LAWS, ScanWindow, bound
from pagespec.compaction.state import Capture, Compaction, Run, copy_of_compaction
from pagespec.frames import SIZES
from pagespec.migratetype import ISOLATE, MOVABLE, UNMOVABLE
from pagespec.types import Block
from pagespec.zone import account, list_del

# --- at every step -------------------------------------------------------------------------------


def moment(
    law_id: str,
    what: str,
    before: Glance,
    after: Compaction,
    change: Change,
    *,
    locked: bool = True,
) -> None:
    """A row of a step: with the change it is broken."""
    wrong = copy_of_compaction(after)
    change(wrong)
    row(
        AT_EVERY_STEP,
        law_id,
        what,
        Moment(before, wrong, locked),
        Moment(before, after, locked=True),
        after.machine.era,
    )


def under_way(era: str, frames: str = WORK) -> Compaction:
    """A zone in which a run has just begun."""
    compaction = laid_out(frames, era)
    run = Run(2, migrate=4, free=12)
    compaction.runs.append(run)
    return compaction


def isolating(compaction: Compaction, pfn: int) -> Compaction:
    """The same after a step in which the run isolated a free block."""
    after = copy_of_compaction(compaction)
    order = after.zone.tag[pfn]
    mt = next(mt for mt, blocks in after.zone.free_area[order].items() if pfn in blocks)
    list_del(after.zone, pfn, order, mt)
    del after.zone.tag[pfn]
    account(after.zone, -SIZES[order], mt)
    after.runs[0].fresh.append(Block(pfn, order))
    return after


RUNNING = under_way("2.6.39")
BEFORE, ISOLATED = glance(RUNNING), isolating(RUNNING, 12)


def isolates(block: Block) -> Change:
    """The change that has the run isolate one more block."""
    return lambda compaction: compaction.runs[0].fresh.append(block)


moment("CMP-free", "a frame is isolated twice", BEFORE, ISOLATED, isolates(Block(12, 0)))
moment("CMP-free", "a free frame is isolated", BEFORE, ISOLATED, isolates(Block(11, 0)))
moment("CMP-free", "a held frame is isolated", BEFORE, ISOLATED, isolates(Block(0, 0)))
row(
    AT_EVERY_STEP,
    "CMP-recheck",
    "without the lock",
    Moment(BEFORE, ISOLATED, locked=False),
    Moment(BEFORE, ISOLATED, locked=True),
    ISOLATED.machine.era,
)
row(
    AT_EVERY_STEP,
    "CMP-recheck",
    "what was not free",
    Moment(BEFORE._replace(tag={}), ISOLATED, locked=True),
    Moment(BEFORE, ISOLATED, locked=True),
    ISOLATED.machine.era,
)
ROWS_OF_TYPES = BEFORE._replace(pageblocks=[MOVABLE, MOVABLE, UNMOVABLE, ISOLATE])
row(
    AT_EVERY_STEP,
    "CMP-suitable",
    "in a pageblock that is being emptied",
    Moment(ROWS_OF_TYPES, ISOLATED, locked=True),
    Moment(BEFORE, ISOLATED, locked=True),
    ISOLATED.machine.era,
)
SMALL = isolating(RUNNING, 11)
row(
    AT_EVERY_STEP,
    "CMP-suitable",
    "in an unmovable pageblock",
    Moment(ROWS_OF_TYPES, SMALL, locked=True),
    Moment(BEFORE, SMALL, locked=True),
    SMALL.machine.era,
)


def stands(scanner: str, pfn: int) -> Change:
    """The change that puts a scanner somewhere else."""
    return lambda compaction: setattr(compaction.runs[0], scanner, pfn)


moment("CMP-meet", "the migrate scanner goes down", BEFORE, ISOLATED, stands("migrate", 0))
moment("CMP-meet", "the free scanner goes up", BEFORE, ISOLATED, stands("free", 16))
OLDEST = under_way("2.6.37")
OLDEST.runs[0].free = 8
moment(
    "CMP-meet",
    "beyond where they have met",
    glance(OLDEST)._replace(free=4),
    OLDEST,
    stands("free", 12),
)

CAPTURING = under_way("5.8")
CAPTURING.captures = [Capture(2, UNMOVABLE)]


def captured(pfn: int) -> Change:
    """The change that lets the slot have a block."""
    return sets(captures=[Capture(2, UNMOVABLE, pfn)])


moment("CAP-once", "a free block", glance(CAPTURING), CAPTURING, captured(12))
moment("CAP-once", "a held block", glance(CAPTURING), CAPTURING, captured(0))

# --- with interrupts off -------------------------------------------------------------------------

for era in ("2.6.37", "2.6.39", "4.10", "6.12"):
    machine = laid_out(WORK, era).machine
    for scanner in SCANNERS:
        most = bound(machine, scanner, strays=False)
        row(
            WINDOW_LAWS,
            "CMP-window",
            f"{scanner} of {era}",
            ScanWindow(machine, scanner, strays=False, visited=most + 1),
            ScanWindow(machine, scanner, strays=False, visited=most),
            machine.era,
        )
