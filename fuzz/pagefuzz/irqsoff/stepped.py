"""The spec as an engine of the workload: it counts what its steps visit with interrupts off."""

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter_ns
from types import GeneratorType

from pagefuzz.compaction.watched import SCANNER_OF
from pagefuzz.irqsoff.stretches import Part, Recorded, end_round
from pagefuzz.irqsoff.windows import ENDS, begins
from pagespec.compaction.laws.windows import Scanner
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import start, steps_of
from pagespec.compaction.verbs import FRAMES, CompactionOp
from pagespec.pcp.cpus import work_on
from pagespec.steps import Step
from pagespec.types import NO_MEMORY, Pfn, Refused
from pagespec.verbs import Outcome

NS_A_US = 1000


def parts_of(steps: object) -> Iterator[str]:
    """The names of the parts of an operation that are at work, the outermost first."""
    inner = steps
    while isinstance(inner, GeneratorType):
        yield inner.gi_code.co_name
        inner = inner.gi_yieldfrom


def part_of(steps: object) -> Part:
    """Whose a stretch is that begins where the operation stands."""
    names = list(parts_of(steps))
    if names[-1] in SCANNER_OF:
        return SCANNER_OF[names[-1]]
    return "alloc" if "alloc_pages" in names else "give"


class Stepped:
    """A zone of the spec, and what its operations had interrupts off for."""

    def __init__(self, machine: CompactionMachine) -> None:
        self.compaction = start(machine)
        self.recorded = Recorded(NS_A_US)
        self.visits: dict[Scanner, int] = {}
        self.ticks: dict[Part, int] = {}

    def serve(self, ops: Sequence[CompactionOp]) -> Sequence[Outcome]:
        """Serve the requests in their order: what came of each."""
        return [self._served(op) for op in ops]

    def moved(self) -> Iterable[tuple[Pfn, Pfn]]:
        """From where and to where the latest request has moved blocks, in order."""
        return [(move.source, move.target) for move in self.compaction.moves]

    def begin(self) -> None:
        """Record from here on."""
        self.recorded = Recorded(NS_A_US)
        self.visits, self.ticks = {}, {}

    def end_round(self) -> None:
        """Sample the round, and begin the next one."""
        end_round(self.recorded, self.visits, self.ticks)
        self.visits, self.ticks = {}, {}

    def _served(self, op: CompactionOp) -> Outcome:
        zone = self.compaction.zone
        self.compaction.moves.clear()
        self.compaction.log.clear()
        zone.log.clear()
        work_on(zone, op.cpu)
        steps = steps_of(self.compaction, op)
        begun: list[bool] = []
        visited = since = 0
        part: Part = "alloc"
        try:
            while True:
                stop = next(steps)
                off = any(begun)
                begin = True if stop is Step.IRQS_OFF else begins(zone, stop)
                if begin is not None:
                    begun.append(begin)
                elif stop in (*ENDS, Step.IRQS_ON):
                    begun.pop()
                if any(begun) and not off:
                    part, visited, since = part_of(steps), zone.visited, perf_counter_ns()
                elif off and not any(begun):
                    self._note(part, zone.visited - visited, perf_counter_ns() - since)
        except StopIteration as end:
            got: Outcome | None = end.value
        except Refused as fact:
            return fact.refusal
        none = NO_MEMORY if op.verb in FRAMES else 0
        return none if got is None else got

    def _note(self, part: Part, visited: int, ticks: int) -> None:
        self.recorded.counts[part] += 1
        self.recorded.timed[part] += 1
        self.recorded.ticks[part] += ticks
        self.recorded.buckets[part, ticks.bit_length() - 1] += 1
        if part != "alloc" and part != "give":
            self.visits[part] = max(visited, self.visits.get(part, 0))
        self.ticks[part] = max(ticks, self.ticks.get(part, 0))
