"""Where compaction lies in its memory, and the state before the first request."""

from pageimpl.compaction.choices import (
    BOUNDS,
    MEETINGS,
    RELEASES,
    SCANS,
    SOURCE_RULES,
    TARGET_MARKS,
    TARGET_RULES,
)
from pageimpl.compaction.state import (
    DRAINED_WORDS,
    FRAME_WORDS,
    FRAMES_FIRST,
    MOVE_WORDS,
    NO_FRAME,
    WORD,
    Calls,
    CompactionMemory,
    set_background,
    set_cached_async,
    set_cached_free,
    set_cached_sync,
    set_caches_next,
    set_captured,
    set_captures,
    set_captures_movable,
    set_drained_first,
    set_drains_after_failure,
    set_drains_as_it_goes,
    set_drains_in_parts,
    set_free_bound,
    set_heeds_skips,
    set_keeps_orders,
    set_meeting,
    set_most_moves,
    set_moves_first,
    set_moves_large,
    set_moves_others,
    set_refused,
    set_released,
    set_remembers,
    set_scan,
    set_seeks,
    set_skips_pinned,
    set_skips_used,
    set_sources,
    set_stops_within,
    set_target_mark,
    set_targets,
    set_waits_apart,
)
from pageimpl.frames import head_of
from pageimpl.memory import Memory
from pagespec.compaction.machine import CompactionMachine

MOVES_A_FRAME = 4
"""A run passes a frame once; there is room for more moves, so that a fault in that shows."""


def write_design(memory: CompactionMemory, machine: CompactionMachine) -> None:
    """Write what the machine's design has chosen."""
    design = machine.design
    set_scan(memory, SCANS[design.scan])
    set_targets(memory, TARGET_RULES[design.targets])
    set_sources(memory, SOURCE_RULES[design.sources])
    set_target_mark(memory, TARGET_MARKS[design.target_mark])
    set_refused(memory, design.refused)
    set_stops_within(memory, design.stops_within)
    set_free_bound(memory, BOUNDS[design.free_bound])
    set_meeting(memory, MEETINGS[design.meeting])
    set_keeps_orders(memory, design.keeps_orders)
    set_remembers(memory, design.remembers)
    set_seeks(memory, design.seeks)
    set_captures(memory, design.captures)
    set_captures_movable(memory, design.captures_movable)
    set_skips_pinned(memory, design.skips_pinned)
    set_moves_others(memory, design.moves_others)
    set_moves_large(memory, design.moves_large)
    set_released(memory, RELEASES[design.released])
    set_waits_apart(memory, design.waits_apart)
    set_background(memory, design.background)
    set_heeds_skips(memory, design.heeds_skips)
    set_drains_after_failure(memory, design.drains_after_failure)
    set_drains_as_it_goes(memory, design.drains_as_it_goes)
    set_drains_in_parts(memory, machine.era.drains_in_parts)
    set_skips_used(memory, design.skips_used)
    set_caches_next(memory, design.caches_next)


def empty_compaction(machine: CompactionMachine, zone: Memory, calls: Calls) -> CompactionMemory:
    """The memory of a zone that has just been handed over, and has never been compacted."""
    pages = machine.zone.pages
    moves = FRAMES_FIRST + zone.slots * FRAME_WORDS * WORD
    drained = moves + MOVES_A_FRAME * pages * MOVE_WORDS * WORD
    memory = CompactionMemory(drained + pages * DRAINED_WORDS * WORD, zone, calls)
    write_design(memory, machine)
    set_most_moves(memory, MOVES_A_FRAME * pages)
    set_moves_first(memory, moves)
    set_drained_first(memory, drained)
    start = machine.zone.start
    set_cached_free(memory, head_of(machine.zone.end - 1, machine.zone.pageblock or 0))
    set_cached_async(memory, start)
    set_cached_sync(memory, start)
    set_captured(memory, NO_FRAME)
    return memory
