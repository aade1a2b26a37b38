"""From the twin's memory to the spec's state of compaction, by reading every raw field."""

from pageimpl.compaction import state
from pageimpl.compaction.state import (
    FRAME_WORDS,
    FRAMES_FIRST,
    MOVE_WORDS,
    ON_LRU,
    PASSED_OVER,
    WORD,
    CompactionMemory,
)
from pageimpl.compaction.twin import CompactionTwin
from pageimpl.memory import shift_of
from pageimpl.refine import zone_of
from pagespec.compaction.state import Compaction, Move


def moves_of(memory: CompactionMemory) -> list[Move]:
    """The moves of the last request, in order."""
    count, first = state.nr_moves_of(memory), state.moves_first_of(memory) // WORD
    if count > state.most_moves_of(memory):
        raise OverflowError(f"{count} moves by one request: expected each frame to move once")
    words = memory.view[first : first + count * MOVE_WORDS].tolist()
    return [Move(*words[at : at + MOVE_WORDS]) for at in range(0, len(words), MOVE_WORDS)]


def compaction_of(twin: CompactionTwin) -> Compaction:
    """The state that the twin's memory stands for, at rest. Raises TornList as `zone_of` does."""
    memory, machine = twin.memory, twin.machine.zone
    shift = shift_of(memory.zone)
    frames = memory.array.view("q")[FRAMES_FIRST // WORD :]
    rows = frames[: memory.zone.slots * FRAME_WORDS].reshape(-1, FRAME_WORDS)
    marked = [(p - shift, int(rows[p, 2])) for p in rows[:, 2].nonzero()[0].tolist()]
    strays = [(p - shift, int(rows[p, 3]) - 1) for p in rows[:, 3].nonzero()[0].tolist()]
    return Compaction(
        machine=twin.machine,
        zone=zone_of(twin.zone),
        cached_free=state.cached_free_of(memory),
        cached_migrate=[state.cached_async_of(memory), state.cached_sync_of(memory)],
        skips={machine.pageblock_number(pfn) for pfn, mark in marked if mark & PASSED_OVER},
        flush=state.flush_of(memory) != 0,
        # Nothing is under way between requests.
        runs=[],
        captures=[None] * (machine.cpus or 1),
        lru={pfn for pfn, mark in marked if mark & ON_LRU},
        isolated_lru=state.isolated_lru_of(memory),
        strays=dict(strays),
        moves=moves_of(memory),
        log=[],
    )
