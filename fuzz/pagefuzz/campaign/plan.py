"""What a campaign is asked to do, and what came of each of its units."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pagefuzz.coverage import Reached
from pagespec.laws.law import Level

Gear = Literal[
    "stream", "walk", "hypothesis", "hosts", "counters", "slabs", "compaction", "schedules"
]


@dataclass(frozen=True, slots=True)
class Plan:
    """What all units of a campaign have in common.

    command: the command's name and eras, as they were asked. target: as `--target` names it. eras,
    gears: taken in turn. out: where findings are kept. rounds: how much one unit does; a round is
    roughly a tenth of a second of one core.
    """

    command: tuple[str, ...]
    seed: int
    target: str
    level: Level
    eras: tuple[str, ...]
    gears: tuple[Gear, ...]
    out: Path
    rounds: int

    @property
    def turn(self) -> int:
        """How many units take each gear through each era once."""
        return len(self.gears) * len(self.eras)


@dataclass(slots=True)
class Result:
    """What came of one unit.

    operations: requests put. judged: those after which every law was asked, and not only outcomes
    and lists compared. declined: machines that the allocator takes in no form. law, complaint,
    finding: of the failure, if there is one, with its file. A complaint without a law says why the
    unit came to nothing.
    """

    number: int
    gear: Gear
    era: str
    operations: int = 0
    judged: int = 0
    declined: int = 0
    reached: Reached = field(default_factory=Counter)
    law: str | None = None
    complaint: str = ""
    finding: Path | None = None
    seconds: float = 0.0


def enter(result: Result, operations: int, reached: Reached) -> None:
    """Enter operations after each of which every law was asked, and the events that they met."""
    result.operations += operations
    result.judged += operations
    result.reached += reached
