"""An allocator under test as a side. It cannot be copied, so each path is walked anew."""

from collections.abc import Iterator, Sequence

from pagefuzz.diff.seen import Path, Seen, Step
from pagefuzz.diff.state import State, frozen
from pagefuzz.errors import UsageError
from pagefuzz.target.adapter import Adapter
from pagefuzz.target.protocol import Factory, TornList
from pagespec.laws.holdings import Book, settle
from pagespec.laws.law import LawBroken, Transition
from pagespec.laws.outside import OUTSIDE_LAWS, Sight
from pagespec.laws.state import READING_LAWS, STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import swept
from pagespec.laws.whole import BOOT_LAWS
from pagespec.machine import Machine
from pagespec.verbs import Op, Outcome
from pagespec.zone import empty_zone


class TargetSide:
    """A fresh allocator for every request; see `Side`.

    What it shows must follow from its requests alone, else a path that is walked again leads
    elsewhere. Raises UsageError if none can be made, and DomainError if it declines the machine.
    """

    def __init__(self, name: str, factory: Factory, machine: Machine) -> None:
        self.name, self.factory, self.machine = name, factory, machine
        try:
            self.verbs = Adapter(factory, machine).verbs
        except LawBroken as broken:
            raise UsageError(f"target {name}: {broken}") from None

    def booted(self) -> Seen:
        """See `Side`."""
        return _Run(self.factory, self.machine, ()).seen(0)

    def serve(self, path: Path, shown: State, op: Op) -> Seen:
        """See `Side`."""
        run = _Run(self.factory, self.machine, path.steps())
        return run.seen(run.put(op))

    def broken(
        self, machine: Machine, path: Path | None, shown: State | None, op: Op, after: Seen
    ) -> Iterator[LawBroken]:
        """See `Side`. The request is put once more, and judged."""
        run = _Run(self.factory, machine, path.steps() if path is not None else ())
        return run.broken(op if path is not None else None)


class _Run:
    """A fresh allocator that has walked a path, and what its caller knows."""

    def __init__(self, factory: Factory, machine: Machine, steps: Sequence[Step]) -> None:
        self.machine, self.target, self.book = machine, Adapter(factory, machine), Book(machine)
        for op, _, _ in steps:
            self.put(op)

    def put(self, op: Op) -> Outcome:
        outcome = self.target.serve(op)
        settle(self.book, op, outcome)
        return outcome

    def seen(self, outcome: Outcome) -> Seen:
        try:
            zone = self.target.view(self.book)
        except TornList:
            # Which law that breaks is asked once the two part here.
            return Seen(outcome, self._known())
        if zone is None:
            return Seen(outcome, self._known(), shows=False)
        return Seen(outcome, frozen(zone))

    def _known(self) -> State:
        """What callers know, as the state of a zone with nothing free."""
        zone = empty_zone(self.machine)
        zone.held = self.book.held
        return frozen(zone)._replace(pageblocks=())

    def broken(self, op: Op | None) -> Iterator[LawBroken]:
        """The laws that the request breaks, or boot without one."""
        era, unshown = self.machine.era, self.target.unshown
        try:
            before, outcome = self.target.view(self.book), 0
            if op is not None:
                outcome = self.target.serve(op)
                sight = Sight(self.book, self.target.promises, op, outcome)
                yield from OUTSIDE_LAWS.broken(era, sight)
                settle(self.book, op, outcome)
            after = self.target.view(self.book)
        except TornList as torn:
            yield from READING_LAWS.broken(era, str(torn))
            return
        if before is None or after is None:
            return
        state = swept(after)
        yield from STATE_LAWS.broken(era, state, unshown)
        if op is None:
            yield from BOOT_LAWS.broken(era, state)
        else:
            step = Transition(swept(before), op, outcome, state)
            yield from STEP_LAWS.broken(era, step, unshown)
