"""An operation as a sequence of atomic steps.

Each operation is a generator that yields where another context may run: a lock is about to be
taken or has been released, or a write is about to depend on a value that was read before. Run to
its end it is the sequential allocator; several of them under a scheduler are the concurrent one.
All that lives across a yield is in named locals or in the zone, since an explorer that hashes
states sees only those; a test over the syntax tree holds every generator to it.
"""

from collections.abc import Generator
from enum import Enum
from typing import NamedTuple, TypeAlias, TypeVar

T = TypeVar("T")


class Step(Enum):
    """Where an operation stands when it lets others run."""

    LOCK = "about to take the zone's lock"
    UNLOCK = "has released the zone's lock"
    GUARD = "about to take the guard of the lists of its own CPU, which it may lose"
    UNGUARD = "has released the guard of a CPU's lists"
    REFERENCE = "about to change a count of references"
    TELL = "about to tell a zone, node or the machine what a CPU's cell held"
    EDIT = "about to write what depends on what it has read"
    ADD = "about to write a sum, which most machines read, add up and write in one instruction"
    IRQS_OFF = "about to turn interrupts off on its CPU"
    IRQS_ON = "has turned interrupts on again"
    PREEMPT_OFF = "about to pin itself to its CPU"
    PREEMPT_ON = "may be preempted again"
    STORE = "about to store one more of several values that belong together"
    BACK = "goes back to the CPU that it came from"


class Guard(NamedTuple):
    """About to take the guard of that CPU's lists, however long it takes."""

    cpu: int


class Visit(NamedTuple):
    """About to go on on that CPU, as the era has it: in an interrupt, or as a worker."""

    cpu: int


Stop: TypeAlias = Step | Guard | Visit
"""Where an operation lets others run, with the CPU that it concerns if that is not its own."""

Steps: TypeAlias = Generator[Stop, bool | None, T]
"""The steps of an operation. At GUARD it is told whether it has lost the guard to somebody else;
with nothing in between it never has."""


def run(steps: Steps[T]) -> T:
    """Run one operation to its end with nothing in between, and return its value."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        value: T = end.value
        return value
