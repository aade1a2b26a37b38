"""Which events of compaction a request was, as the spec tells them.

A run that never moved a block has said nothing about moving: it is vacuous, not green.
"""

from collections.abc import Iterator
from enum import Enum
from typing import TypeAlias

from pagespec.compaction.events import Kind
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import ANSWERS, CompactionOp, CompactionVerb, Result
from pagespec.types import Refusal
from pagespec.verbs import Outcome


class CompactionEvent(Enum):
    """What comes of requests, told apart by a number: the result, or the refusal's code."""

    __hash__ = object.__hash__

    ENDED = "compaction ended"
    REFUSED = "request of compaction refused"


CompactionMet: TypeAlias = tuple[Kind | CompactionEvent | CompactionVerb, int]
"""An event, and what tells it from others of its kind, or 0."""


def events_of_request(
    op: CompactionOp, outcome: Outcome, spec: Compaction
) -> Iterator[CompactionMet]:
    """The events of a request that the spec has just served."""
    if outcome <= max(Refusal):
        yield CompactionEvent.REFUSED, outcome
        return
    if op.verb in ANSWERS:
        yield CompactionEvent.ENDED, outcome
    yield from ((event.kind, 0) for event in spec.log)


def name_of_compaction_event(kind: Kind | CompactionEvent, number: int) -> str:
    """The event in words, for a table."""
    if kind is CompactionEvent.ENDED:
        return f"{kind.value}: {Result(number).name.lower()}"
    if kind is CompactionEvent.REFUSED:
        return f"{kind.value}: {Refusal(number).name}"
    return kind.value
