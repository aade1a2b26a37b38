"""An operation as a sequence of atomic steps.

Each operation is a generator that yields where another context may run: a lock is about to be
taken or has been released, or a write is about to depend on a value that was read before. Run to
its end it is the sequential allocator; several of them under a scheduler are the concurrent one.
All that lives across a yield is in named locals or in the zone, since an explorer that hashes
states sees only those; a test over the syntax tree holds every generator to it.
"""

from collections.abc import Generator
from enum import Enum
from typing import TypeAlias, TypeVar

T = TypeVar("T")


class Step(Enum):
    """Where an operation stands when it lets others run."""

    LOCK = "about to take the zone's lock"
    UNLOCK = "has released the zone's lock"
    GUARD = "about to take the guard of a CPU's lists"
    UNGUARD = "has released the guard of a CPU's lists"
    REFERENCE = "about to change a count of references"
    TELL = "about to tell a zone, node or the machine what a CPU's cell held"


Steps: TypeAlias = Generator[Step, None, T]


def run(steps: Steps[T]) -> T:
    """Run one operation to its end with nothing in between, and return its value."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        value: T = end.value
        return value
