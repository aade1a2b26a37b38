"""Shortest traces to the ends of bounds, as texts: `python -m pagefuzz.prove.drift.witness`."""

from pathlib import Path
from typing import NamedTuple

from pagefuzz.prove.drift.claims import Claim
from pagefuzz.prove.drift.closing import Closed, End, close
from pagefuzz.prove.drift.requests import Asking, asked, requests_in
from pagefuzz.prove.drift.state import Small, State, booted, copy_of, frozen
from pagespec.era import ERAS
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.trace import CounterRequest, CounterTrace, counter_text_of
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb

TRACES = Path(__file__).parents[4] / "tests" / "prove" / "traces"

READS = (
    CounterOp(CounterVerb.READ),
    CounterOp(CounterVerb.READ, close=True),
    CounterOp(CounterVerb.READ, where=ALL),
)
"""What is read at the end of a trace: cheaply, closely, and in all."""


class Witness(NamedTuple):
    """An end of a bound, and the machine on which it is looked for.

    says: what can be seen there. fallen: whether a cell is to be beyond a threshold that fell.
    """

    says: str
    end: End
    asking: Asking
    threshold: int
    cpus: int = 1
    era: str = "6.1"
    pressure: int | None = None
    fallen: bool = False

    def machine(self) -> CounterMachine:
        """The machine, with one zone."""
        cpus = tuple(0 for _ in range(self.cpus))
        zones = (CountedZone(0, 100),)
        normal, pressure = self.threshold, self.pressure
        return CounterMachine(ERAS[self.era], cpus, zones, normal=normal, pressure=pressure)


def end_of(
    what: str, pages: int, *cpus: tuple[int, tuple[int, ...], int], upwards: bool = True
) -> End:
    """The end of a claim about CPUs, each by its threshold, updates and refreshes."""
    return End(Claim(what, cpus), pages, upwards)


WITNESSES = {
    "full-cell": Witness(
        "a CPU keeps a whole threshold", end_of("cell", 3, (3, (), 0)), Asking(), 3
    ),
    "half-left-behind": Witness(
        "increments alone have told half a threshold more than there was",
        end_of("cell", -1, (3, (), 0), upwards=False),
        Asking("inc"),
        3,
    ),
    "all-cells": Witness(
        "every CPU keeps a whole threshold", end_of("zone", 6, *[(2, (), 0)] * 3), Asking(), 2, 3
    ),
    "fallen-threshold": Witness(
        "a CPU keeps what the threshold was before kswapd woke",
        end_of("cell", 3, (3, (), 0)),
        Asking(groups=("wake",)),
        3,
        pressure=1,
        fallen=True,
    ),
    "interrupts-off": Witness(
        "without exchanges an update adds its change to a full cell",
        end_of("zone", 9, (2, (7,), 0)),
        Asking("any", (1, 7), updates=1, contexts=1),
        2,
        era="2.6.37",
    ),
    "context-alone": Witness(
        "a context that nothing interrupts adds its change to a full cell",
        end_of("zone", 4, (3, (1,), 0)),
        Asking("inc", updates=1, contexts=1),
        3,
    ),
    "context-interrupted": Witness(
        "while an update is under way, others fill its cell again",
        end_of("zone", 8, (3, (1,), 0)),
        Asking("inc", updates=1),
        3,
    ),
    "two-contexts-alone": Witness(
        "two contexts are under way, and nobody is left to fill the cell",
        end_of("zone", 4, (1, (1, 1), 0)),
        Asking("inc", updates=2, contexts=2),
        1,
    ),
    "two-contexts-interrupted": Witness(
        "two contexts are under way, and a third has filled the cell",
        end_of("zone", 5, (1, (1, 1), 0)),
        Asking("inc", updates=2),
        1,
    ),
    "missed-closely": Witness(
        "a close look misses all that two updates have taken out",
        end_of("close look", 4, (1, (1, 1), 0)),
        Asking("inc", updates=2),
        1,
    ),
    "refresh-under-way": Witness(
        "the cell that a refresh has told its zone is full again before the total is told",
        end_of("sum", 4, (2, (), 2)),
        Asking("inc", refreshes=1),
        2,
    ),
    "refresh-and-update": Witness(
        "and a context that nothing else interrupts adds its change",
        end_of("sum", 5, (2, (1,), 2)),
        Asking("inc", updates=1, refreshes=1, contexts=1),
        2,
    ),
}
"""By name, what is stored."""


def found(witness: Witness) -> CounterTrace:
    """The trace. Raises KeyError if nothing reaches the end."""
    machine, asking = witness.machine(), witness.asking
    closed = close(machine, asking)
    state = (closed.fallen if witness.fallen else closed.reached)[witness.end]
    counters = boot_counters(machine)
    requests: list[CounterRequest] = []
    for op in (*requests_to(machine, asking, closed, state), *READS):
        answer = perform(counters, op)
        requests.append(CounterRequest(op, answer if op in READS else None))
    comments = (witness.says, f"{witness.end.claim}: {abs(witness.end.pages)} off")
    return CounterTrace(machine, tuple(requests), comments=comments)


def requests_to(
    machine: CounterMachine, asking: Asking, closed: Closed, state: State
) -> list[CounterOp]:
    """The requests of a shortest way to a state, for CPUs as they are numbered from boot on."""
    way = [state]
    while (before := closed.came_from[way[-1]]) is not None:
        way.append(before)
    small = booted(machine)
    ops: list[CounterOp] = []
    for goal in reversed(way[:-1]):
        op, small = _step_to(asking, small, goal)
        ops.append(op)
    return ops


def _step_to(asking: Asking, before: Small, goal: State) -> tuple[CounterOp, Small]:
    for op in requests_in(asking, before):
        small = copy_of(before)
        asked(asking, small, op)
        if frozen(small) == goal:
            return op, small
    raise AssertionError(f"no request leads to {goal}")


def main() -> None:
    """Write every trace anew."""
    for name, witness in WITNESSES.items():
        (TRACES / f"drift-{name}.trace").write_text(counter_text_of(found(witness)))


if __name__ == "__main__":
    main()
