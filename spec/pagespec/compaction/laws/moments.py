"""The laws of compaction at every step: what is isolated, and where the scanners stand.

They are asked of two looks at a zone, before and after a step of whoever compacts it, with nobody
else at work in between.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pagespec.compaction.laws.speaking import compacts, looks_again
from pagespec.compaction.state import Compaction
from pagespec.frames import SIZES, head_of
from pagespec.laws.law import Complaint, LawBook
from pagespec.laws.masks import frames_of, lowest_of
from pagespec.laws.swept import swept
from pagespec.migratetype import ISOLATE, MOVABLE, RESERVE, MigrateType
from pagespec.types import Block, Order, Pfn


class Glance(NamedTuple):
    """What is remembered of a zone from before a step.

    tag, pageblocks: of the zone. isolated: the frames of all free blocks that runs have isolated,
    as one bit a frame. free, migrate: where the scanners of the youngest run stood, if any is under
    way. moves: how many blocks had been moved.
    """

    tag: Mapping[Pfn, Order]
    pageblocks: Sequence[MigrateType]
    isolated: int
    free: Pfn | None
    migrate: Pfn | None
    moves: int


class Moment(NamedTuple):
    """A step: what was before it, what is after it, and whether the zone's lock was held in it."""

    before: Glance
    after: Compaction
    locked: bool


AT_EVERY_STEP: LawBook[Moment] = LawBook()


def glance(compaction: Compaction) -> Glance:
    """Look at a zone before a step."""
    run = compaction.runs[-1] if compaction.runs else None
    return Glance(
        tag=dict(compaction.zone.tag),
        pageblocks=tuple(compaction.zone.pageblocks),
        isolated=isolated_frames(compaction),
        free=None if run is None else run.free,
        migrate=None if run is None else run.migrate,
        moves=len(compaction.moves),
    )


def isolated_frames(compaction: Compaction) -> int:
    """The frames of all free blocks that runs have isolated."""
    frames = 0
    for block in compaction.isolated:
        frames |= frames_of(compaction.zone.machine, block)
    return frames


@AT_EVERY_STEP.law(
    "CMP-free", eras=compacts, source="mm/compaction.c and mm/page_alloc.c, __isolate_free_page"
)
def in_one_place(moment: Moment) -> Complaint:
    """What is isolated is in one place: neither free nor on a CPU's list, nor held, nor isolated
    twice.

    Whoever allocates would be given a frame to which a block is being moved.
    """
    compaction = moment.after
    machine, frames = compaction.zone.machine, isolated_frames(compaction)
    if not compaction.isolated:
        return None
    if frames.bit_count() != sum(SIZES[block.order] for block in compaction.isolated):
        return f"of {compaction.isolated} some frame is isolated twice"
    seen = swept(compaction.zone)
    places = {"free": seen.free, "held": seen.held, "on a CPU's list": seen.kept}
    for name, mask in places.items():
        if mask & frames:
            return f"frame {lowest_of(machine, mask & frames)} is isolated and {name}"
    return None


@AT_EVERY_STEP.law(
    "CAP-once", eras=compacts, source="mm/page_alloc.c, compaction_capture, 5.8 to 6.12"
)
def captured_once(moment: Moment) -> Complaint:
    """A captured block is nobody else's: neither free nor on a CPU's list, nor held, nor isolated.

    It has the order that its slot is for.
    """
    compaction = moment.after
    zone = compaction.zone
    for cpu, slot in enumerate(compaction.captures):
        if slot is None or slot.pfn is None:
            continue
        seen = swept(zone)
        frames = frames_of(zone.machine, Block(slot.pfn, slot.order))
        others = seen.free | seen.held | seen.kept | isolated_frames(compaction)
        if frames & others:
            return (
                f"CPU {cpu} has captured {Block(slot.pfn, slot.order)}, of which frame "
                f"{lowest_of(zone.machine, frames & others)} is in another place"
            )
    return None


@AT_EVERY_STEP.law(
    "CMP-recheck",
    eras=compacts,
    source="mm/compaction.c, isolate_freepages_block; the thread of 2011",
)
def looked_at_under_the_lock(moment: Moment) -> Complaint:
    """What a step isolates was free when it began, and it had the zone's lock from then on.

    What was seen before the lock was had may have changed since: the frames may be somebody's.
    """
    compaction, before = moment.after, moment.before
    machine = compaction.zone.machine
    new = isolated_frames(compaction) & ~before.isolated
    if not new:
        return None
    if not moment.locked:
        return f"frame {lowest_of(machine, new)} was isolated without the zone's lock"
    free = 0
    for pfn, order in before.tag.items():
        free |= frames_of(machine, Block(pfn, order))
    if new & ~free:
        return f"frame {lowest_of(machine, new & ~free)} was isolated, and was not free"
    return None


@AT_EVERY_STEP.law(
    "CMP-suitable",
    eras=looks_again,
    source="mm/compaction.c, suitable_migration_target under the lock, 2.6.37 and 2.6.39",
)
def suitable_under_the_lock(moment: Moment) -> Complaint:
    """And its pageblock was one that frames are taken from: movable, or free as a whole.

    A pageblock that has become unmovable would be filled with movable blocks; one that is being
    emptied would never be empty.
    """
    compaction, before = moment.after, moment.before
    machine = compaction.zone.machine
    new = isolated_frames(compaction) & ~before.isolated
    if machine.pageblock is None or not new:
        return None
    for pfn, order in before.tag.items():
        if not new & frames_of(machine, Block(pfn, order)):
            continue
        mt = before.pageblocks[machine.pageblock_number(pfn)]
        suits = mt is MOVABLE or order >= machine.pageblock
        if mt in (ISOLATE, RESERVE) or not suits:
            return f"{Block(pfn, order)} was isolated, which lies in a pageblock of {mt.name}"
    return None


@AT_EVERY_STEP.law(
    "CMP-meet", eras=compacts, source="mm/compaction.c, compact_zone: migrate_pfn and free_pfn"
)
def scanners_approach(moment: Moment) -> Complaint:
    """The migrate scanner never goes down; the free scanner to no higher pageblock.

    Else a run has no end. Within a pageblock the free scanner goes up. In 2.6.37 one that has
    nowhere to look goes to the pageblock above the other scanner, which shows that they have met.
    """
    compaction, before = moment.after, moment.before
    if not compaction.runs or before.free is None or before.migrate is None:
        return None
    run, order = compaction.runs[-1], compaction.zone.machine.pageblock or 0
    if run.migrate < before.migrate:
        return f"the migrate scanner went from {before.migrate} down to {run.migrate}"
    beside = run.migrate + SIZES[order]
    met = compaction.machine.design.free_bound == "low" and run.free <= beside
    if head_of(run.free, order) > head_of(before.free, order) and not met:
        return f"the free scanner went from {before.free} up to {run.free}"
    return None
