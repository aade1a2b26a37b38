"""A walk: one zone of the spec, judged by every law after every request."""

from pagespec.boot import boot
from pagespec.events import Kind
from pagespec.laws.exact import (
    COUNTED_LAWS,
    EXACT_LAWS,
    KEPT_LAWS,
    ORACLE_LAWS,
    Counted,
    Foretold,
    Kept,
    Placed,
    pcps_of,
)
from pagespec.laws.holdings import REFUSALS, Book, settle
from pagespec.laws.law import Transition
from pagespec.laws.outside import OUTSIDE_LAWS, Promises, Sight
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import Swept, swept
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.stamps import boot_stamps, expected_lists, expected_pcps, foretell
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import copy_of, lists_of


class Walk:
    """The spec on one machine, beside a caller's book and, if told so, beside the stamps.

    reached: the kinds of events that have happened.
    """

    def __init__(self, machine: Machine, *, foretold: bool = True) -> None:
        self.foretold = foretold
        self.era = machine.era
        self.zone = boot(machine)
        self.stamps = boot_stamps(machine)
        self.book = Book(machine)
        self.reached: set[Kind] = set()
        self.seen = self.look()
        BOOT_LAWS.check(self.era, self.seen)

    @property
    def running(self) -> list[int]:
        """The CPUs that are not unplugged."""
        cpus = range(max(1, self.zone.machine.cpus))
        return [cpu for cpu in cpus if cpu not in self.zone.unplugged]

    def look(self) -> Swept:
        seen = swept(copy_of(self.zone))
        STATE_LAWS.check(self.era, seen)
        return seen

    def step(self, op: Op) -> Outcome:
        """Serve the request and judge it by the laws of all levels."""
        self.zone.log.clear()
        self.zone.visited = 0
        outcome = perform(self.zone, op)
        sight = Sight(self.book, Promises(), op, outcome, self.zone.slots)
        OUTSIDE_LAWS.check(self.era, sight)
        settle(self.book, op, outcome, self.zone.slots)
        before, self.seen = self.seen, self.look()
        log, visited = tuple(self.zone.log), self.zone.visited
        STEP_LAWS.check(self.era, Transition(before, op, outcome, self.seen, visited, log))
        self.reached.update(event.kind for event in log)
        if self.foretold:
            self._follow(op, outcome)
        for name in ("held", "given", "slots", "unplugged"):
            assert getattr(self.zone, name) == getattr(self.book, name)
        return outcome

    def _follow(self, op: Op, outcome: Outcome) -> None:
        """Let the stamps serve what the zone served, and compare the lists."""
        due = outcome
        if outcome not in REFUSALS:
            due = foretell(self.stamps, op, self.zone.log)
        types = self.zone.pageblocks, self.stamps.pageblocks
        ORACLE_LAWS.check(self.era, Foretold(str(op), outcome, due, *types))
        placed = Placed(str(op), outcome, due, lists_of(self.zone), expected_lists(self.stamps))
        EXACT_LAWS.check(self.era, placed)
        pcps = pcps_of(self.zone), expected_pcps(self.stamps)
        slots = self.zone.slots, self.stamps.slots
        KEPT_LAWS.check(self.era, Kept(str(op), *pcps, *slots))
        COUNTED_LAWS.check(self.era, Counted(str(op), self.zone.cells, self.stamps.cells))

    def give_everything_back(self) -> None:
        """Drop every reference there is, and judge the zone that is left."""
        while self.zone.held:
            pfn, held = next(reversed(self.zone.held.items()))
            self.step(Op(Verb.FREE, held.order, pfn, cpu=self.running[0]))
        RETURN_LAWS.check(self.era, self.seen)
        self.step(Op(Verb.DRAIN_ALL))
        assert not self.seen.kept_blocks
        RETURN_LAWS.check(self.era, self.seen)
