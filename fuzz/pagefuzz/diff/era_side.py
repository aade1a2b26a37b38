"""An era's spec as a side, whose requests the laws of another era can judge."""

from collections.abc import Iterator
from functools import lru_cache

from pagefuzz.diff.seen import Path, Seen
from pagefuzz.diff.state import State, frozen, in_terms_of, thawed
from pagespec.boot import boot
from pagespec.laws.law import LawBroken, Transition
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import Swept, swept
from pagespec.laws.whole import BOOT_LAWS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.verbs import Op, Verb
from pagespec.zone import COUNTS

REMEMBERED = 1024
"""States whose judgement is kept: one is met many times in a row, before and after requests."""


class EraSide:
    """The spec on a machine of its era; see `Side`."""

    def __init__(self, machine: Machine) -> None:
        self.name = machine.era.name
        self.machine = machine
        self.verbs = frozenset(Verb)
        # Tracepoints came after pageblocks, and before the first era that has them here.
        self.prints = machine.era.numbering is not None

    def booted(self) -> Seen:
        """See `Side`."""
        return Seen(0, frozen(boot(self.machine)))

    def serve(self, path: Path, shown: State, op: Op) -> Seen:
        """See `Side`. The path is not needed: a state is enough to go on from."""
        zone = thawed(self.machine, shown)
        outcome = perform(zone, op)
        # A thawed zone has counted nothing yet.
        counted = tuple(getattr(zone, name) for name in COUNTS)
        return Seen(outcome, frozen(zone), tuple(zone.log), self.prints, counted=counted)

    def broken(
        self, machine: Machine, path: Path | None, shown: State | None, op: Op, after: Seen
    ) -> Iterator[LawBroken]:
        """See `Side`. The path is not needed."""
        state = _posed(machine, after.state)
        yield from _broken(machine, after.state)
        if shown is None:
            yield from BOOT_LAWS.broken(machine.era, state)
        else:
            before = _posed(machine, shown)
            # How much it looked at is left at 0: another era's bound is no law for it.
            step = Transition(before, op, after.outcome, state, log=after.log)
            yield from STEP_LAWS.broken(machine.era, step)


@lru_cache(maxsize=REMEMBERED)
def _posed(machine: Machine, state: State) -> Swept:
    """The state as one of the machine's era."""
    return swept(thawed(machine, in_terms_of(machine.era, state)))


@lru_cache(maxsize=REMEMBERED)
def _broken(machine: Machine, state: State) -> tuple[LawBroken, ...]:
    """The laws of a state that it breaks."""
    return tuple(STATE_LAWS.broken(machine.era, _posed(machine, state)))
