"""The events of slabs: what a run must have met before its silence means anything.

A run in which no slab was ever discarded has said nothing about discarding: it is vacuous.
"""

from enum import Enum
from typing import TypeAlias

from pagespec.slab.verbs import SlabVerb
from pagespec.types import Refusal


class SlabEvent(Enum):
    """What can happen to slabs, arrays and charges."""

    __hash__ = object.__hash__

    # A slab per CPU.
    FAST = "an object from the CPU's own chain"
    TAKEN_OVER = "the chain of the CPU's slab taken over"
    FROM_CPU = "a slab from the CPU's partial ones"
    FROM_NODE = "a slab from the node's partial ones"
    MORE_KEPT = "more of the node's partial slabs kept by the CPU"
    OWN = "an object back on the CPU's own chain"
    REMOTE = "an object back on the slab of another CPU"
    TO_CPU = "a full slab back among the CPU's partial ones"
    DRAINED = "the CPU's partial slabs drained to the node"
    KEPT_EMPTY = "an empty slab kept by the node"

    # An array per CPU.
    AT_HAND = "an object from the CPU's array"
    FROM_SHARED = "objects from the shared array"
    FROM_SLABS = "objects from slabs to an array"
    TO_ARRAY = "an object into the CPU's array"
    TO_SHARED = "objects flushed to the shared array"
    TO_SLABS = "objects flushed to slabs"
    UNTOUCHED = "an array drained that was not used lately"
    SPARED = "an array spared that was used lately"

    # Both.
    GROWN = "a new slab"
    DISCARDED = "a slab given back"
    FAILED = "no object for want of frames"
    BULK = "several objects at once"
    BULK_FAILED = "a bulk request failed"
    UNDONE = "a bulk request failed part way"
    ROUNDS = "several slabs given objects back at once"
    STOPPED = "a slab that is given objects back in two rounds"
    NOTHING = "a bulk request for nothing"
    ANY_CACHE = "objects of several caches back at once"
    WITHHELD = "an object withheld"
    RELEASED = "withheld objects released"
    LARGE_BACK = "whole frames back"
    FLUSHED = "a CPU that goes had objects"
    SHRUNK = "an empty slab given back by shrinking"
    DESTROYED = "a cache destroyed that had slabs"

    # Groups.
    GROUP_CACHE = "a cache of a group's own"
    SLAB_CHARGED = "a slab charged to a group"
    SLAB_UNCHARGED = "a slab of a group's given back"
    STOCKED = "objects charged from the CPU's stock"
    PAGES_CHARGED = "frames charged and the rest stocked"
    SWITCHED = "the stock taken over from another group"
    OVER_LIMIT = "a charge beyond the limit"
    UNCHARGED = "an object of a group's given back"
    PAGES_UNCHARGED = "frames of a group uncharged"
    LATE = "an object back whose group has gone"
    LOST = "bytes that stay charged for ever"

    REFUSED = "refused"


SlabMet: TypeAlias = tuple[SlabEvent | SlabVerb, int]
"""An event, and what tells it from others of its kind: the refusal's code, or 0."""


def name_of_slab_event(kind: SlabEvent, number: int) -> str:
    """The event in words, for a table."""
    if kind is SlabEvent.REFUSED:
        return f"request for objects {kind.value}: {Refusal(number).name}"
    return f"{kind.value}"
