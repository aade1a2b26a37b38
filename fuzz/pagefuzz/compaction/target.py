"""What stands for a zone that is compacted, under test: requests and state. The spec is one."""

from collections.abc import Callable
from typing import Protocol, TypeAlias

from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import perform, start
from pagespec.compaction.state import Compaction, copy_of_compaction
from pagespec.compaction.verbs import CompactionOp
from pagespec.verbs import Outcome


class CompactionTarget(Protocol):
    """A zone, and whoever compacts it."""

    def perform(self, op: CompactionOp) -> Outcome:
        """What comes of the request: a frame, a result, or the code of its refusal."""

    def state(self) -> Compaction:
        """The state as it is now, with the moves of the last request alone; it does not change."""


CompactionFactory: TypeAlias = Callable[[CompactionMachine], CompactionTarget]
"""Makes a fresh zone of the machine, of which nothing is held."""


def cleared(compaction: Compaction) -> Compaction:
    """The spec, with nothing told of earlier requests."""
    for told in (compaction.moves, compaction.log, compaction.zone.log):
        told.clear()
    compaction.zone.visited = 0
    return compaction


def served(compaction: Compaction, op: CompactionOp) -> Outcome:
    """Let the spec serve a request, and keep of moves and events those of this one alone."""
    return perform(cleared(compaction), op)


class SpecCompaction:
    """The spec as a zone under test: slow, and right by definition."""

    def __init__(self, machine: CompactionMachine) -> None:
        self.compaction = start(machine)

    def perform(self, op: CompactionOp) -> Outcome:
        """See `CompactionTarget`."""
        return served(self.compaction, op)

    def state(self) -> Compaction:
        """See `CompactionTarget`."""
        return copy_of_compaction(self.compaction)
