"""The floor of events of compaction: what a run must have met, era by era."""

from collections.abc import Callable

from pagefuzz.compaction.events import CompactionEvent, CompactionMet
from pagespec.compaction.design import CompactionDesign
from pagespec.compaction.events import Kind
from pagespec.compaction.verbs import CompactionVerb, Result
from pagespec.era import Era
from pagespec.types import Refusal


def _always(design: CompactionDesign) -> bool:
    return True


def _remembers(design: CompactionDesign) -> bool:
    return design.remembers


def _seeks(design: CompactionDesign) -> bool:
    return design.seeks


MEETS: dict[Kind, Callable[[CompactionDesign], bool]] = {
    **dict.fromkeys(
        (
            *(Kind.TARGET, Kind.REFUSED, Kind.UNSUITABLE, Kind.SOURCE, Kind.MOVED),
            *(Kind.NO_TARGET, Kind.GIVEN_BACK, Kind.MET, Kind.KILLED, Kind.SKIPPED),
        ),
        _always,
    ),
    **dict.fromkeys(
        (Kind.PASSED_OVER, Kind.FORGOTTEN, Kind.CLAIMED, Kind.STRAY, Kind.PINNED), _remembers
    ),
    **dict.fromkeys((Kind.SOUGHT, Kind.AROUND), _seeks),
    Kind.ENOUGH: lambda design: design.stops_within,
    Kind.CUT: lambda design: design.keeps_orders,
    Kind.CAPTURED: lambda design: design.captures,
}
"""Which designs meet each event."""

UNMET = frozenset({Kind.CHANGED, Kind.FREED})
"""What takes somebody else who comes in between."""

SELDOM = frozenset({Kind.THROTTLED, Kind.FULL, Kind.DRAINED})
"""What takes many held blocks, or says nothing of what came of it."""

LATER = frozenset({CompactionVerb.CLAIM, CompactionVerb.REST})
"""The verbs of eras in which something is remembered."""


def compaction_floor(era: Era) -> set[CompactionMet]:
    """The events that a run over the era must reach: none where nothing is compacted."""
    design = era.compaction
    if design is None:
        return set()
    floor: set[CompactionMet] = {(kind, 0) for kind, meets in MEETS.items() if meets(design)}
    results = {Result.SKIPPED, Result.SUCCESS, Result.COMPLETE, Result.CONTENDED}
    floor |= {(CompactionEvent.ENDED, result) for result in results}
    verbs = set(CompactionVerb)
    verbs -= set() if design.remembers else LATER
    verbs -= set() if design.background else {CompactionVerb.BACKGROUND}
    floor |= {(verb, 0) for verb in verbs}
    floor.add((CompactionEvent.REFUSED, Refusal.BAD_ORDER))
    return floor
