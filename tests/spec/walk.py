"""A walk: one zone of the spec, judged by every law after every request."""

from pagespec.boot import boot
from pagespec.events import Kind
from pagespec.laws.exact import EXACT_LAWS, Placed
from pagespec.laws.holdings import Book, settle
from pagespec.laws.law import Transition
from pagespec.laws.outside import OUTSIDE_LAWS, Promises, Sight
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.stamps import boot_stamps, expected_alloc, expected_free, expected_lists
from pagespec.types import NO_MEMORY, Pfn
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import copy_of


class Walk:
    """The spec on one machine, beside the stamps and a caller's book.

    reached: the kinds of events that have happened.
    """

    def __init__(self, machine: Machine) -> None:
        self.era = machine.era
        self.zone = boot(machine)
        self.stamps = boot_stamps(machine)
        self.book = Book(machine)
        self.reached: set[Kind] = set()
        STATE_LAWS.check(self.era, self.zone)
        BOOT_LAWS.check(self.era, self.zone)
        assert self.lists() == expected_lists(self.stamps)

    def lists(self) -> list[list[Pfn]]:
        return [list(blocks) for blocks in self.zone.free_area]

    def step(self, op: Op) -> Outcome:
        """Serve the request and judge it by the laws of all levels."""
        before = copy_of(self.zone)
        self.zone.log.clear()
        self.zone.visited = 0
        outcome = perform(self.zone, op)
        verb, order, pfn = op.verb.value, op.order, op.pfn
        OUTSIDE_LAWS.check(self.era, Sight(self.book, Promises(), verb, order, pfn, outcome))
        settle(self.book, verb, order, pfn, op.compound, outcome)
        STATE_LAWS.check(self.era, self.zone)
        visited = self.zone.visited
        step = Transition(before, verb, order, pfn, outcome, self.zone, visited, op.compound)
        STEP_LAWS.check(self.era, step)
        self._follow(op, outcome)
        assert (self.zone.held, self.zone.given) == (self.book.held, self.book.given)
        return outcome

    def _follow(self, op: Op, outcome: Outcome) -> None:
        """Let the stamps serve what the zone served, and compare the lists."""
        due = outcome
        if op.verb is Verb.ALLOC and outcome >= NO_MEMORY:
            got = expected_alloc(self.stamps, op.order)
            due = NO_MEMORY if got is None else got
        for event in self.zone.log:
            self.reached.add(event.kind)
            if event.kind is Kind.FREE:
                expected_free(self.stamps, event.pfn, event.order)
        placed = Placed(str(op), outcome, due, self.lists(), expected_lists(self.stamps))
        EXACT_LAWS.check(self.era, placed)

    def give_everything_back(self) -> None:
        """Drop every reference there is, and judge the zone that is left."""
        while self.zone.held:
            pfn, held = next(reversed(self.zone.held.items()))
            self.step(Op(Verb.FREE, held.order, pfn))
        RETURN_LAWS.check(self.era, self.zone)
