"""What came of following every schedule of a scenario."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

from pagespec.events import Kind
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move

BROKEN, NOT_REACHED = "broken", "not reached"


@dataclass(slots=True)
class Explored:
    """How far it came, and what the laws said.

    states: distinct ones; without hashing, those of every schedule. steps: transitions between
    them. ends: distinct states in which everybody has finished; final: the zone and the outcomes in
    each. depth: steps from the start to the farthest state. broken, schedule: the law that broke
    first, and how to come there. exhausted: whether everything within the bounds has been visited.
    cut: whether the bounds left anything out. asked: the laws that were asked at all. events: what
    the steps did, by kind.
    """

    states: int = 1
    steps: int = 0
    ends: int = 0
    depth: int = 0
    broken: LawBroken | None = None
    schedule: tuple[Move, ...] = ()
    exhausted: bool = False
    cut: bool = False
    bound: int | None = None
    deepest: int | None = None
    asked: frozenset[str] = frozenset()
    events: Counter[Kind] = field(default_factory=Counter)
    final: set[Hashable] = field(default_factory=set)

    def extent(self) -> str:
        """How much was looked at, in the words of a verdict."""
        limits = []
        if self.bound is not None:
            limits.append(f"bound {self.bound}")
        if self.deepest is not None:
            limits.append(f"depth {self.deepest}")
        within = " and ".join(limits)
        if not self.exhausted:
            return f"not refuted in {self.states} states"
        # A bound that left nothing out is none.
        return f"exhausted to {within}" if self.cut else "exhausted"

    def verdict(self, law: str) -> str:
        """What is known of one law: broken, not reached if it was never asked, or how far it held.

        A run that ends at a broken law says little of the others.
        """
        if self.broken is not None and self.broken.law_id == law:
            return BROKEN
        if law not in self.asked:
            return NOT_REACHED
        if self.broken is not None:
            return f"not refuted in {self.states} states"
        return self.extent()

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict of each law that was asked or is broken."""
        laws = set(self.asked)
        if self.broken is not None:
            laws.add(self.broken.law_id)
        return {law: self.verdict(law) for law in sorted(laws)}
