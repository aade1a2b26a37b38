"""The floor of events of slabs: what a run must have met, era by era."""

from collections.abc import Callable

from pagefuzz.slabs.events import SlabEvent, SlabMet
from pagespec.era import Era
from pagespec.slab.verbs import SlabVerb
from pagespec.types import Refusal


def _has_arrays(era: Era) -> bool:
    return "slab" in era.slab_designs


def _loses(era: Era) -> bool:
    """Whether a bulk request that fails leaves its group charged for what it never got."""
    return era.slab_charge != "after"


MEETS: dict[SlabEvent, Callable[[Era], bool]] = {
    SlabEvent.AT_HAND: _has_arrays,
    SlabEvent.FROM_SHARED: _has_arrays,
    SlabEvent.FROM_SLABS: _has_arrays,
    SlabEvent.TO_ARRAY: _has_arrays,
    SlabEvent.TO_SHARED: _has_arrays,
    SlabEvent.TO_SLABS: _has_arrays,
    SlabEvent.UNTOUCHED: _has_arrays,
    SlabEvent.SPARED: _has_arrays,
    SlabEvent.LOST: _loses,
}
"""Events that some eras alone meet; all others are met in every era that has slabs."""

REFUSED = (
    *(Refusal.NO_CACHE, Refusal.CACHE_EXISTS, Refusal.CACHE_BUSY, Refusal.BAD_SIZE),
    *(Refusal.NOT_OBJECT, Refusal.WRONG_CACHE, Refusal.BAD_ORDER, Refusal.BAD_CPU),
    *(
        Refusal.BAD_RANGE,
        Refusal.UNSUPPORTED,
        Refusal.NO_GROUP,
        Refusal.GROUP_EXISTS,
        Refusal.GROUP_OFFLINE,
    ),
)
"""Why requests are refused, in every era."""


def slab_floor(era: Era) -> set[SlabMet]:
    """The events that a run over the era must reach; none in an era without slabs."""
    if not era.slab_designs:
        return set()
    floor: set[SlabMet] = {
        (event, 0)
        for event in SlabEvent
        if event is not SlabEvent.REFUSED and (event not in MEETS or MEETS[event](era))
    }
    floor |= {(verb, 0) for verb in SlabVerb if verb is not SlabVerb.REAP or _has_arrays(era)}
    floor |= {(SlabEvent.REFUSED, refusal) for refusal in REFUSED}
    return floor
