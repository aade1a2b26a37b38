"""An allocator beside the spec, judged after every request.

At every level the caller's book and the OUT laws judge what the allocator answered. If it shows
its free blocks, the state and step laws judge its own states. If it promises to be exact, the spec
serves the same request, the stamp oracle foretells the lists, and all three must agree.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pagefuzz.coverage import Reached, events_between, events_from_outside, events_of
from pagefuzz.late import decided_late, told_at_once
from pagefuzz.target.adapter import Adapter
from pagefuzz.target.protocol import Factory, TornList
from pagefuzz.target.readable import unreadable
from pagefuzz.undoing import enter, out_of_use, ways_back
from pagespec.boot import boot
from pagespec.events import Event
from pagespec.laws.exact import (
    COUNTED_LAWS,
    EXACT_LAWS,
    KEPT_LAWS,
    ORACLE_LAWS,
    TWIN_LAWS,
    Counted,
    Foretold,
    Kept,
    Placed,
    Twins,
    pcps_of,
)
from pagespec.laws.holdings import REFUSALS, UNSERVED, Book, settle
from pagespec.laws.law import LEVELS, LawBook, LawBroken, Level, Transition
from pagespec.laws.outside import OUTSIDE_LAWS, Sight
from pagespec.laws.state import READING_LAWS, STATE_LAWS
from pagespec.laws.step import STEP_LAWS, TOLD
from pagespec.laws.swept import Swept, swept
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.laws.wording import wording
from pagespec.machine import Machine
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.ops import perform
from pagespec.stamps import boot_stamps, expected_lists, expected_pcps, foretell
from pagespec.types import Pfn, Refusal
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, lists_of

STRICTER: dict[Level, int] = {level: place for place, level in enumerate(LEVELS)}


TOLD_LAWS: LawBook[Transition] = LawBook()
"""The laws about what the spec tells of a request; the rest of STEP_LAWS judge states alone."""

TOLD_LAWS.laws += [law for law in STEP_LAWS.laws if law.id in TOLD]

EVENTS_KEPT = 2_000
"""Events of the spec that wait to be counted: many at once are counted faster than one by one."""


class Lockstep:
    """One allocator on one machine, from boot on.

    level: the lower of what was asked for and what the allocator can be judged at. done: every
    request so far and its outcome. filled: the array of bulk requests after those of them, by their
    place in done, that were served. Raises LawBroken as soon as a law is broken, also from the
    constructor; after that it is of no more use.
    """

    def __init__(self, machine: Machine, factory: Factory, level: Level = "exact") -> None:
        self.machine, self.era = machine, machine.era
        self.target = Adapter(factory, machine)
        self.level: Level = min(level, self.target.level, key=STRICTER.__getitem__)
        self.book = Book(machine)
        self.out_of_use = out_of_use(machine)
        self.done: list[tuple[Op, Outcome]] = []
        self.filled: dict[int, Mapping[Pfn, int]] = {}
        self._reached: Reached = Counter()
        self._events: list[Event] = []
        self._view: Zone | None = None
        if self.level == "exact":
            self.spec = boot(machine)
            self.stamps = boot_stamps(machine)
        with self._reading():
            self.seen = self._look()
            if self.seen is not None:
                STATE_LAWS.check(self.era, self.seen, self.target.unshown, self.level)
                BOOT_LAWS.check(self.era, self.seen)
            if self.level == "exact":
                self._compare("boot", 0, 0)

    @property
    def reached(self) -> Reached:
        """How often each event has happened so far."""
        self._count()
        return self._reached

    def step(self, op: Op) -> Outcome:
        """Put one request to the allocator and judge what comes of it."""
        outcome = self.target.serve(op)
        self.done.append((op, outcome))
        slots = self._slots(op, outcome)
        sight = Sight(self.book, self.target.promises, op, outcome, slots)
        for broken in OUTSIDE_LAWS.broken(self.era, sight):
            raise broken from self.target.fault
        settle(self.book, op, outcome, slots)
        enter(self.out_of_use, op, outcome)
        with self._reading():
            before, self.seen = self.seen, self._look()
            if self.seen is not None and before is not None:
                STATE_LAWS.check(self.era, self.seen, self.target.unshown, self.level)
                step = Transition(before, op, outcome, self.seen)
                STEP_LAWS.check(self.era, step, self.target.unshown, self.level)
                if self.level == "exact":
                    self._follow(step)
                else:
                    self._reached.update(events_between(before.zone, op, outcome, self.seen.zone))
        if self.level != "exact":
            self._reached.update(events_from_outside(op, outcome))
        return outcome

    def finish(self) -> None:
        """Bring back what is out of use, give everything back, and judge that it can be had again.

        What can't be brought back is refused, and the laws know of it. What CPUs keep is drained,
        and what marks hold back is asked for in an emergency.
        """
        verbs, machine = self.target.verbs, self.machine
        for op in list(ways_back(self.out_of_use)):
            self.step(op)
        # Not in the order of frames: merges must meet their buddies from both sides. And on every
        # CPU that runs, so that each has something to drain.
        running = [cpu for cpu in range(machine.cpus) if cpu not in self.book.unplugged] or [0]
        for pfn in sorted(self.book.held, key=lambda pfn: (pfn % 7, pfn)):
            for _ in range(self.book.held[pfn].refs):
                held = self.book.held[pfn]
                last_of_block = held.refs == 1 or Verb.PUT not in verbs
                verb = Verb.FREE if last_of_block else Verb.PUT
                self.step(Op(verb, held.order, pfn, cpu=running[pfn % len(running)]))
        if machine.cpus and Verb.DRAIN_ALL in verbs:
            self.step(Op(Verb.DRAIN_ALL))
        if self.seen is not None:
            with self._reading():
                RETURN_LAWS.check(self.era, self.seen)
        # Movable requests may use whatever there is, CMA memory too.
        mt = UNMOVABLE if machine.pageblock is None else MOVABLE
        for order in range(machine.top, -1, -1):
            self.step(Op(Verb.ALLOC, order, mt=mt, emergency=machine.min_free is not None))

    def _slots(self, op: Op, outcome: Outcome) -> Mapping[Pfn, int]:
        """The array of bulk requests after a request; only a bulk request adds to it."""
        if op.verb is not Verb.BULK or outcome in UNSERVED:
            return self.book.slots
        try:
            slots = self.filled[len(self.done) - 1] = dict(self.target.slots())
        except TornList as torn:
            READING_LAWS.check(self.era, str(torn))
            raise
        return slots

    def _look(self) -> Swept | None:
        if self.level == "outside":
            return None
        try:
            self._view = self.target.view(self.book)
        except TornList as torn:
            READING_LAWS.check(self.era, str(torn))
            raise
        return None if self._view is None else swept(self._view)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Let a state that no law can read be a finding; any other fault is our own."""
        try:
            yield
        except LawBroken:
            raise
        except Exception as fault:
            if self._view is not None:
                complaint = unreadable(self._view, self.machine)
                for broken in READING_LAWS.broken(self.era, complaint):
                    raise broken from fault
            raise

    def _follow(self, step: Transition) -> None:
        """Let the spec and the stamps serve the same request, and compare all three."""
        spec, op = self.spec, step.op
        spec.log.clear()
        spec.visited = 0
        known = told_at_once(spec, op)
        due = perform(spec, op)
        log = tuple(spec.log)
        if known is not None:
            self._reached.update(decided_late(known, op, log))
        self._events += log
        if len(self._events) > EVENTS_KEPT:
            self._count()
        foretold = due
        if due not in REFUSALS:
            foretold = foretell(self.stamps, op, log)
        request = wording(op)
        ORACLE_LAWS.check(
            self.era, Foretold(request, due, foretold, spec.pageblocks, self.stamps.pageblocks)
        )
        # Who refuses without a reason has refused for the right one as far as anybody can tell.
        unsaid = step.outcome == Refusal.UNSAID and due in REFUSALS
        self._compare(request, due if unsaid else step.outcome, due)
        # The states are equal by now, so what the spec tells is told of the allocator's own.
        TOLD_LAWS.check(self.era, step._replace(visited=spec.visited, log=log))

    def _count(self) -> None:
        self._reached.update(events_of(self._events))
        self._events.clear()

    def _compare(self, request: str, outcome: Outcome, due: Outcome) -> None:
        assert self.seen is not None
        view, stamps = self.seen.zone, self.stamps
        placed = Placed(request, outcome, due, lists_of(view), expected_lists(stamps))
        EXACT_LAWS.check(self.era, placed)
        if self.machine.cpus:
            kept, due_kept = pcps_of(view), expected_pcps(stamps)
            KEPT_LAWS.check(self.era, Kept(request, kept, due_kept, view.slots, stamps.slots))
            COUNTED_LAWS.check(self.era, Counted(request, view.cells, stamps.cells))
        TWIN_LAWS.check(self.era, Twins(self.spec, view), self.target.unshown)
