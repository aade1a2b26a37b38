"""An allocator beside the spec, judged after every request.

At every level the caller's book and the OUT laws judge what the allocator answered. If it shows
its free blocks, the state and step laws judge its own states. If it promises to be exact, the spec
serves the same request, the stamp oracle foretells the lists, and all three must agree.
"""

from collections import Counter

from pagefuzz.coverage import Reached, events_between, events_from_outside, events_of
from pagefuzz.target.adapter import Adapter
from pagefuzz.target.protocol import Factory, TornList
from pagespec.boot import boot
from pagespec.events import Kind
from pagespec.laws.exact import EXACT_LAWS, ORACLE_LAWS, TWIN_LAWS, Foretold, Placed, Twins
from pagespec.laws.holdings import Book, settle
from pagespec.laws.law import LEVELS, Level, Transition
from pagespec.laws.outside import OUTSIDE_LAWS, Sight
from pagespec.laws.state import READING_LAWS, STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.stamps import boot_stamps, expected_alloc, expected_free, expected_lists
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone

STRICTER: dict[Level, int] = {level: place for place, level in enumerate(LEVELS)}


class Lockstep:
    """One allocator on one machine, from boot on.

    level: the lower of what was asked for and what the allocator can be judged at. done: every
    request so far and its outcome. reached: the events so far. Raises LawBroken as soon as a law
    is broken, also from the constructor; after that it is of no more use.
    """

    def __init__(self, machine: Machine, factory: Factory, level: Level = "exact") -> None:
        self.machine, self.era = machine, machine.era
        self.target = Adapter(factory, machine)
        self.level: Level = min(level, self.target.level, key=STRICTER.__getitem__)
        self.book = Book(machine)
        self.done: list[tuple[Op, Outcome]] = []
        self.reached: Reached = Counter()
        self.view = self._look()
        if self.view is not None:
            STATE_LAWS.check(self.era, self.view, self.target.unshown)
            BOOT_LAWS.check(self.era, self.view)
        if self.level == "exact":
            self.spec = boot(machine)
            self.stamps = boot_stamps(machine)
            self._compare("boot", 0, 0)

    def step(self, op: Op) -> Outcome:
        """Put one request to the allocator and judge what comes of it."""
        outcome = self.target.serve(op)
        self.done.append((op, outcome))
        verb, order, pfn, compound = op.verb.value, op.order, op.pfn, op.compound
        sight = Sight(self.book, self.target.promises, verb, order, pfn, outcome)
        for broken in OUTSIDE_LAWS.broken(self.era, sight):
            raise broken from self.target.fault
        settle(self.book, verb, order, pfn, compound, outcome)
        before, self.view = self.view, self._look()
        if self.view is not None and before is not None:
            STATE_LAWS.check(self.era, self.view, self.target.unshown)
            step = Transition(before, verb, order, pfn, outcome, self.view, compound=compound)
            STEP_LAWS.check(self.era, step, self.target.unshown)
            if self.level == "refines":
                self.reached.update(events_between(before, op, outcome, self.view))
        if self.level == "exact":
            self._follow(op, outcome)
        else:
            self.reached.update(events_from_outside(op, outcome))
        return outcome

    def finish(self) -> None:
        """Give everything back, and judge that it can be had again."""
        # Not in the order of frames: merges must meet their buddies from both sides.
        for pfn in sorted(self.book.held, key=lambda pfn: (pfn % 7, pfn)):
            while pfn in self.book.held:
                held = self.book.held[pfn]
                last_of_block = held.refs == 1 or Verb.PUT not in self.target.verbs
                self.step(Op(Verb.FREE if last_of_block else Verb.PUT, held.order, pfn))
        if self.view is not None:
            RETURN_LAWS.check(self.era, self.view)
        for order in range(self.machine.top, -1, -1):
            self.step(Op(Verb.ALLOC, order))

    def _look(self) -> Zone | None:
        if self.level == "outside":
            return None
        try:
            return self.target.view(self.book)
        except TornList as torn:
            READING_LAWS.check(self.era, str(torn))
            raise

    def _follow(self, op: Op, outcome: Outcome) -> None:
        """Let the spec and the stamps serve the same request, and compare all three."""
        self.spec.log.clear()
        self.spec.visited = 0
        due = perform(self.spec, op)
        self.reached.update(events_of(self.spec.log))
        foretold = due
        if op.verb is Verb.ALLOC and (due >= 0 or due == NO_MEMORY):
            got = expected_alloc(self.stamps, op.order)
            foretold = NO_MEMORY if got is None else got
        for event in self.spec.log:
            if event.kind is Kind.FREE:
                expected_free(self.stamps, event.pfn, event.order)
        request = f"{op.verb.value} pfn {op.pfn} order {op.order}"
        ORACLE_LAWS.check(self.era, Foretold(request, due, foretold))
        self._compare(request, outcome, due)

    def _compare(self, request: str, outcome: Outcome, due: Outcome) -> None:
        view = self.view
        assert view is not None
        foretold = expected_lists(self.stamps)
        lists = [list(blocks) for blocks in view.free_area]
        EXACT_LAWS.check(self.era, Placed(request, outcome, due, lists, foretold))
        TWIN_LAWS.check(self.era, Twins(self.spec, view))
