"""The small counters whose every state is visited, and what is counted there."""

from typing import NamedTuple

from pagefuzz.prove.drift.closing import Closed, close
from pagefuzz.prove.drift.requests import Asking
from pagespec.era import ERAS
from pagespec.laws.law import LawBroken
from pagespec.vmstat.machine import CountedZone, CounterMachine

Counted = dict[str, tuple[int, ...]]
"""Numbers by name."""


class DriftDomain(NamedTuple):
    """Counters of one era, once for each threshold, and what is requested there.

    pressure: the threshold while kswapd is awake. by_laws: whether the laws judge each step.
    """

    era: str
    cpus: int
    zones: int
    thresholds: tuple[int, ...]
    asking: Asking
    pressure: int | None = None
    by_laws: bool = False

    def machine(self, threshold: int) -> CounterMachine:
        """The machine with one threshold. Its marks are all 0, so drift marks stand."""
        zones = tuple(CountedZone(0, 100) for _ in range(self.zones))
        return CounterMachine(
            ERAS[self.era],
            tuple(0 for _ in range(self.cpus)),
            zones,
            normal=threshold,
            pressure=self.pressure,
        )

    def counts(self) -> Counted:
        """What was found, the states for each threshold and the rest in sum.

        ends: of bounds, every one of which was reached. fallen: how many of these were also reached
        with a cell beyond a threshold that fell. furthest: the largest of them.
        Raises LawBroken for a bound that does not hold, or whose end nothing reaches.
        """
        found = [
            close(self.machine(threshold), self.asking, by_laws=self.by_laws)
            for threshold in self.thresholds
        ]
        for threshold, closed in zip(self.thresholds, found, strict=True):
            check_tight(threshold, closed)
        counts = {
            "states": tuple(len(closed.came_from) for closed in found),
            "steps": (sum(closed.steps for closed in found),),
            "told": (sum(closed.told for closed in found),),
            "ends": (sum(len(closed.reached) for closed in found),),
            "fallen": (sum(len(closed.fallen) for closed in found),),
            "furthest": (max(abs(end.pages) for closed in found for end in closed.reached),),
        }
        return {name: numbers for name, numbers in counts.items() if any(numbers)}

    def __str__(self) -> str:
        words = f"drift era {self.era} cpus {self.cpus} zones {self.zones} thresholds "
        words += ",".join(map(str, self.thresholds))
        if self.pressure is not None:
            words += f" or {self.pressure}"
        return f"{words} {self.asking}" + (" by laws" if self.by_laws else "")


def check_tight(threshold: int, closed: Closed) -> None:
    """Raise LawBroken for the end of a bound that no state is at."""
    loose = sorted(str(end.claim) for end in closed.ends if end not in closed.reached)
    if loose:
        raise LawBroken("VM-drift", f"threshold {threshold}: nothing reaches the end of {loose[0]}")


TO_3 = (0, 1, 2, 3)
ONE_TWO = (1, 2)

DRIFT_DOMAINS = (
    # One CPU, on which others fill the cell again while two updates are under way.
    DriftDomain("6.1", 1, 1, TO_3, Asking("any", ONE_TWO, updates=2)),
    DriftDomain("6.1", 1, 1, TO_3, Asking("mod", ONE_TWO, groups=("refresh",))),
    DriftDomain("6.1", 1, 1, TO_3, Asking("inc", updates=3, groups=("refresh",))),
    DriftDomain("6.1", 1, 1, TO_3, Asking("dec", groups=("refresh",))),
    # One CPU with so many contexts and no more.
    DriftDomain("6.1", 1, 1, TO_3, Asking("any", (1, 2, 7), updates=1, contexts=1, refreshes=1)),
    DriftDomain("6.1", 1, 1, TO_3, Asking("any", (1, 7), updates=2, contexts=2)),
    DriftDomain("6.1", 1, 1, (0, 1), Asking("any", ONE_TWO, updates=3, contexts=3)),
    DriftDomain("6.1", 1, 1, TO_3, Asking("inc", updates=3, contexts=3)),
    # Several CPUs, which come and go.
    DriftDomain("6.1", 2, 1, (0, 1), Asking("any", (1,), updates=2)),
    DriftDomain("6.1", 3, 1, (0, 1), Asking("any", (1,), updates=2)),
    DriftDomain("6.1", 3, 1, TO_3, Asking("any", ONE_TWO, groups=("refresh", "unplug"))),
    # The sum over zones, which a refresh tells last.
    DriftDomain("6.1", 1, 1, TO_3, Asking("any", (1,), 2, refreshes=1, groups=("refresh",))),
    DriftDomain("6.1", 1, 2, (0, 1), Asking("any", (1,), 1, refreshes=1, groups=("refresh",))),
    DriftDomain("6.1", 1, 1, TO_3, Asking("any", (1,), 1, refreshes=2)),
    # Thresholds that fall and rise again; in a small zone the other way round.
    DriftDomain("6.1", 1, 1, TO_3, Asking("any", (0, 1, 2), 1, groups=("wake",)), 1),
    DriftDomain("6.1", 1, 1, (1, 2), Asking("any", (1,), 2, groups=("wake",)), 0),
    DriftDomain("6.1", 1, 1, (1, 2, 3), Asking("inc", groups=("wake", "refresh")), 0),
    DriftDomain("6.1", 2, 1, (2,), Asking("any", (1,), 1, groups=("wake", "unplug")), 1),
    # No exchange: an update holds its CPU up.
    DriftDomain("2.6.37", 2, 1, (0, 1, 2), Asking("any", ONE_TWO, 2, 0, 1, ("refresh", "unplug"))),
    DriftDomain("2.6.37", 1, 2, (0, 1, 2), Asking("any", ONE_TWO, 1, 1, 1)),
    # Judged by the laws about counters as well, which keep books of their own.
    DriftDomain("6.1", 1, 1, (0, 1), Asking("any", (1,), 1, 1, None, ("refresh", "wake")), 0, True),
    DriftDomain("6.1", 2, 1, (1, 2), Asking(groups=("refresh", "wake", "unplug")), 0, True),
    DriftDomain("2.6.37", 2, 1, (1,), Asking("any", (1,), 2, 1, 1, ("unplug",)), None, True),
    # All of it at once.
    DriftDomain("6.1", 2, 1, TO_3, Asking("any", ONE_TWO, updates=2)),
    DriftDomain(
        "6.1", 2, 1, (2,), Asking("any", (1,), 1, 1, None, ("refresh", "wake", "unplug")), 0
    ),
)
