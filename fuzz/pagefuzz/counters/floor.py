"""The floor of events of counters: what a run must have met, era by era and design by design."""

from collections.abc import Callable

from pagefuzz.counters.events import CHANGES, DESIGNS, STAGES, CounterEvent, CounterMet
from pagespec.era import Era
from pagespec.types import Refusal
from pagespec.vmstat.numa import NEVER, NUMA_DESIGNS
from pagespec.vmstat.verbs import CounterVerb

REFUSED = (
    *(Refusal.BAD_CPU, Refusal.BUSY, Refusal.BAD_NODE, Refusal.NO_COUNTER, Refusal.NO_UPDATE),
    *(Refusal.BAD_ORDER, Refusal.BAD_RANGE, Refusal.UNSUPPORTED),
)
"""Why requests are refused, in every era."""


def _keeps(era: Era) -> bool:
    """Whether CPUs keep anything of zones' counters."""
    return era.cells != "none"


def _looks(era: Era) -> bool:
    """Whether anybody ever adds up what CPUs keep before deciding."""
    return era.close_reads != "never"


MEETS: dict[CounterEvent, Callable[[Era], bool]] = {
    CounterEvent.OVERSTEP: _keeps,
    # Only an exchange looks at both ends of the range, and where it can, kswapd lowers thresholds.
    CounterEvent.BACK: lambda era: era.exchanges_cells,
    CounterEvent.BEYOND: lambda era: era.lowers_thresholds,
    CounterEvent.OPEN: lambda era: True,
    CounterEvent.REFRESHED: lambda era: True,
    CounterEvent.HELD: _keeps,
    CounterEvent.UNPLUGGED: _keeps,
    CounterEvent.MARKED: _looks,
    CounterEvent.OUTDATED: _looks,
    CounterEvent.LOWERED: lambda era: era.lowers_thresholds,
    CounterEvent.RESTORED: lambda era: era.lowers_thresholds,
    CounterEvent.RESET: lambda era: era.lowers_thresholds,
    CounterEvent.CLAMPED: lambda era: True,
    CounterEvent.CLOSE: _keeps,
    CounterEvent.LAGGED: lambda era: True,
    CounterEvent.LOOKED: _looks,
    CounterEvent.CHANGED_MIND: _looks,
    CounterEvent.TAKEN: lambda era: True,
    CounterEvent.DECLINED: lambda era: True,
    CounterEvent.BREACHED: _keeps,
    CounterEvent.MISSED: lambda era: True,
    CounterEvent.UNCOUNTED: lambda era: True,
    CounterEvent.FOLDED: lambda era: True,
    CounterEvent.ZEROED: lambda era: True,
}
"""Which eras meet each event that nothing tells from others of its kind."""


def counter_floor(era: Era) -> set[CounterMet]:
    """The events that a run over the era must reach, in each design of NUMA statistics.

    Each kind of change tells in its direction, updates go on from each stage, each request is
    served, each reason of refusal is met, and each design counts, and tells if it ever does.
    """
    floor: set[CounterMet] = {(event, 0) for event, meets in MEETS.items() if meets(era)}
    floor |= {(verb, 0) for verb in CounterVerb}
    floor |= {
        *((CounterEvent.UP, CHANGES.index(verb)) for verb in (CounterVerb.MOD, CounterVerb.INC)),
        *((CounterEvent.DOWN, CHANGES.index(verb)) for verb in (CounterVerb.MOD, CounterVerb.DEC)),
    }
    floor |= {(CounterEvent.LANDED, stage) for stage in range(len(STAGES))}
    floor |= {(CounterEvent.REFUSED, refusal) for refusal in REFUSED}
    for number, name in enumerate(DESIGNS):
        floor.add((CounterEvent.COUNTED, number))
        if NUMA_DESIGNS[name].threshold != NEVER:
            floor.add((CounterEvent.NUMA_TOLD, number))
    return floor
