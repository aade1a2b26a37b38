"""A zone that is compacted beside the spec, judged after every request."""

from collections import Counter

from pagefuzz.compaction.events import events_of_request
from pagefuzz.compaction.target import CompactionFactory, cleared
from pagefuzz.compaction.watched import watch
from pagefuzz.coverage import Reached
from pagespec.compaction.laws.judge import judge_compaction
from pagespec.compaction.laws.legal import COMPACTING
from pagespec.compaction.laws.step import CompactionStep
from pagespec.compaction.laws.wording import wording
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import perform, start
from pagespec.compaction.state import Compaction, Move
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.laws.law import LawBroken
from pagespec.types import FAULT
from pagespec.verbs import Outcome

WATCHED = 4
"""One in so many requests is watched, if it compacts."""


class CompactionLockstep:
    """The zone of one machine, from boot on.

    done: every request so far and its outcome. moves: the blocks that each of them moved. spec:
    what the spec has by now. reached: how often each event has happened. fault: what the one under
    test raised last.

    Raises LawBroken as soon as a law is broken, also from the constructor; after that it is of no
    more use.
    """

    def __init__(self, machine: CompactionMachine, factory: CompactionFactory) -> None:
        self.machine = machine
        self.done: list[tuple[CompactionOp, Outcome]] = []
        self.moves: list[tuple[Move, ...]] = []
        self.spec = start(machine)
        self.fault: BaseException | None = None
        self.target = factory(machine)
        self.seen = self._look("boot")
        self.reached: Reached = Counter()

    def step(self, op: CompactionOp) -> Outcome:
        """Put one request to the zone and judge what comes of it."""
        outcome = self._serve(op)
        self.done.append((op, outcome))
        self.moves.append(())
        if outcome == FAULT:
            raise LawBroken("OUT-fault", f"{wording(op)} raised {self.fault!r}") from self.fault
        before, self.seen = self.seen, self._look(wording(op))
        self.moves[-1] = tuple(self.seen.moves)
        due = self._due(op)
        visited = self.spec.zone.visited
        judge_compaction(CompactionStep(before, op, outcome, self.seen, visited, self.spec, due))
        # The states are equal by now, so the spec tells what the one under test met.
        self.reached.update(events_of_request(op, outcome, self.spec))
        return outcome

    def _due(self, op: CompactionOp) -> Outcome:
        """What the spec answers; some of its runs are watched step by step."""
        spec = cleared(self.spec)
        watched = op.verb in COMPACTING and len(self.done) % WATCHED == 0
        return watch(spec, op).outcome if watched else perform(spec, op)

    def _serve(self, op: CompactionOp) -> Outcome:
        """Put the request to the zone; whatever it raises becomes an outcome."""
        try:
            return self.target.perform(op)
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            self.fault = fault
            return FAULT

    def _look(self, request: str) -> Compaction:
        """The state now; memory that does not read as one is a finding, too."""
        try:
            return self.target.state()
        except Exception as fault:
            complaint = f"after {request} the state does not read as a zone: {fault!r}"
            raise LawBroken("OUT-fault", complaint) from fault

    def finish(self) -> None:
        """Give everything back, and have what CPUs keep drained."""
        for pfn in sorted(self.spec.zone.held):
            held = self.spec.zone.held[pfn]
            for _ in range(held.refs - 1):
                self.step(CompactionOp(CompactionVerb.UNPIN, pfn=pfn))
            self.step(CompactionOp(CompactionVerb.FREE, pfn=pfn, order=held.order))
        self.step(CompactionOp(CompactionVerb.DRAIN_ALL))
