"""What a side shows after a request, how a state was reached, and what a side must offer."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from pagefuzz.diff.state import State
from pagespec.events import Event
from pagespec.laws.law import LawBroken
from pagespec.machine import Machine
from pagespec.types import Pfn
from pagespec.verbs import Op, Outcome, Verb


class Seen(NamedTuple):
    """What a request, or boot with outcome 0, made visible.

    log: the spec's events; empty for any other allocator. prints: whether tracepoints are among
    them. shows: whether it shows its free lists; without, `state` says what callers know. counted:
    by how much each of COUNTS grew, if it is known.
    """

    outcome: Outcome
    state: State
    log: tuple[Event, ...] = ()
    prints: bool = False
    shows: bool = True
    counted: tuple[int, ...] = ()


class Step(NamedTuple):
    """A request, the first side's answer, and the frames in its slots afterwards, by slot."""

    op: Op
    outcome: Outcome
    slots: tuple[tuple[int, Pfn], ...]


class Path(NamedTuple):
    """A state that both sides reached by the same requests with the same answers.

    before: the path without its last request; None at boot. outcome: the answer to it. states: what
    the two sides show now.
    """

    before: "Path | None"
    op: Op
    outcome: Outcome
    states: tuple[State, State]

    def steps(self) -> list[Step]:
        """The requests since boot with their answers, oldest first."""
        path, steps = self, []
        while path.before is not None:
            steps.append(Step(path.op, path.outcome, path.states[0].slots))
            path = path.before
        return steps[::-1]


class Side(Protocol):
    """One of the two that are compared, on one machine.

    name: what reports call it. machine: in the era whose laws it keeps. verbs: what it serves.
    """

    name: str
    machine: Machine
    verbs: frozenset[Verb]

    def booted(self) -> Seen:
        """What it shows after boot."""

    def serve(self, path: Path, shown: State, op: Op) -> Seen:
        """What it shows after one more request; shown: its state after the path."""

    def broken(
        self, machine: Machine, path: Path | None, shown: State | None, op: Op, after: Seen
    ) -> Iterator[LawBroken]:
        """The laws of the machine's era that the request broke, if what it logged is told.

        shown: its state before. Without a path and a state, the laws that boot broke.
        """
