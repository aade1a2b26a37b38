"""The same workload in several eras, round by round side by side."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import NamedTuple, Protocol

from pagefuzz.irqsoff.stretches import Recorded
from pagefuzz.irqsoff.workload import Engine, Shape, Workload, machine_of
from pagespec.compaction.laws.windows import WINDOW_LAWS, Scanner, ScanWindow, bound
from pagespec.compaction.machine import CompactionMachine
from pagespec.laws.law import LawBroken


class Recorder(Engine, Protocol):
    """An engine that records in rounds."""

    recorded: Recorded

    def begin(self) -> None:
        """Record from here on."""
        ...

    def end_round(self) -> None:
        """Sample the round, and begin the next one."""
        ...


class Side(NamedTuple):
    """An era: its machine, what was recorded, and how many huge pages were asked for and got."""

    era: str
    machine: CompactionMachine
    recorded: Recorded
    asked: int
    got: int

    def at_most(self, scanner: Scanner) -> int:
        """The bound of CMP-window; nothing here can be mistaken for an order."""
        return bound(self.machine, scanner, strays=False)


def run_sides(
    shape: Shape,
    eras: Sequence[str],
    make: Callable[[CompactionMachine], Recorder],
    rounds: int,
    seconds: float | None,
    tell: Callable[[str], None],
) -> list[Side]:
    """Fill a zone of each era and run so many rounds in each, or fewer if the time is over.

    All of them run the same number. Raises DomainError.
    """
    machines = [machine_of(era, shape) for era in eras]
    engines = [make(machine) for machine in machines]
    works = [Workload(shape, engine) for engine in engines]
    for era, work, engine in zip(eras, works, engines, strict=True):
        tell(f"{era}: filling {shape.pages:,} frames")
        work.fill()
        engine.begin()
    began = monotonic()
    for number in range(rounds):
        for era, work, engine in zip(eras, works, engines, strict=True):
            tell(f"{era}: round {number + 1} of {rounds} at most")
            work.round()
            engine.end_round()
        if seconds is not None and monotonic() - began >= seconds:
            break
    return [
        Side(era, machine, engine.recorded, work.asked, work.got)
        for era, machine, engine, work in zip(eras, machines, engines, works, strict=True)
    ]


def breaches(sides: Sequence[Side]) -> list[str]:
    """What CMP-window says of the longest window of each scanner, where it is broken."""
    found = []
    for side in sides:
        for scanner, visited in side.recorded.most.items():
            try:
                WINDOW_LAWS.check(
                    side.machine.era,
                    ScanWindow(side.machine, scanner, strays=False, visited=visited),
                )
            except LawBroken as broken:
                found.append(f"{broken}, era {side.era}")
    return found
