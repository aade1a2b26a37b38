"""A host beside the spec, judged after every request: each zone by itself, and all together."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from pagefuzz.coverage import Reached, events_of
from pagefuzz.hosts.target import HostFactory
from pagefuzz.lockstep import TOLD_LAWS
from pagefuzz.target.protocol import TornList
from pagefuzz.target.readable import unreadable
from pagefuzz.undoing import OutOfUse, enter, out_of_use, ways_back
from pagespec.host import Host
from pagespec.laws.exact import TWIN_LAWS, Twins
from pagespec.laws.holdings import REFUSALS, Book, settle
from pagespec.laws.hostmarks import HOST_STATE_LAWS
from pagespec.laws.hosts import HOST_LAWS, TWIN_HOST_LAWS, HostState, HostStep, HostTwins
from pagespec.laws.law import LawBroken, Transition
from pagespec.laws.near import HOST_VERBS, LISTED_VERBS, class_of, due_numbers, number_at, seen
from pagespec.laws.outside import OUTSIDE_LAWS, Promises, Sight
from pagespec.laws.state import READING_LAWS, STATE_LAWS
from pagespec.laws.step import STEP_LAWS, TOLD
from pagespec.laws.swept import Swept, swept
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.laws.wording import wording
from pagespec.migratetype import MOVABLE, UNMOVABLE
from pagespec.system import System, boot_system, perform
from pagespec.types import FAULT, Pfn, ZoneClass
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone

PROMISES = Promises(exact=True)


class HostLockstep:
    """One allocator of a host, from boot on.

    books, out_of_use: what a caller knows of each zone. done: every request so far and its outcome.
    filled: the array of bulk requests after each that was served, by its place in done. reached:
    how often each event has happened in the spec. fault: what the allocator raised last.

    Raises LawBroken as soon as a law is broken, also from the constructor; after that it is of no
    more use.
    """

    def __init__(self, host: Host, factory: HostFactory) -> None:
        self.host, self.era = host, host.era
        machines = [replace(part.machine, min_free=host.min_free) for part in host.parts]
        self.books = [Book(machine) for machine in machines]
        self.out_of_use: list[OutOfUse] = [out_of_use(machine) for machine in machines]
        self.done: list[tuple[Op, Outcome]] = []
        self.filled: dict[int, dict[Pfn, int]] = {}
        self.reached: Reached = Counter()
        self.target = factory(host)
        self.fault: BaseException | None = None
        self.spec = boot_system(host)
        with self._reading():
            self.seen = self._look(None)
            for zone in self.seen.zones:
                BOOT_LAWS.check(self.era, zone)
            self._compare("boot", 0, 0)

    def step(self, op: Op) -> Outcome:
        """Put one request to the allocator and judge what comes of it."""
        outcome = self._serve(op)
        self.done.append((op, outcome))
        if outcome == FAULT:
            sight = Sight(self.books[0], PROMISES, op, outcome)
            for broken in OUTSIDE_LAWS.broken(self.era, sight):
                raise broken from self.fault
        with self._reading():
            before, self.seen = self.seen, self._look(self.seen)
            step = HostStep(before, op, outcome, self.seen)
            self._enter(step)
            if op.verb is Verb.BULK and outcome >= 0:
                self.filled[len(self.done) - 1] = self.slots()
            HOST_LAWS.check(self.era, step)
            for _, transition in zone_steps(step):
                STEP_LAWS.check(self.era, transition, TOLD)
            self._follow(step)
        return outcome

    def _serve(self, op: Op) -> Outcome:
        """Put the request to the allocator; whatever it raises becomes an outcome."""
        try:
            return self.target.serve(op)
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            self.fault = fault
            return FAULT

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Let a state that no law can read be a finding; any other fault is our own."""
        try:
            yield
        except LawBroken:
            raise
        except TornList as torn:
            READING_LAWS.check(self.era, str(torn))
            raise
        except Exception as fault:
            for zone, book in zip(self.target.state().zones, self.books, strict=True):
                complaint = unreadable(zone, book.machine)
                for broken in READING_LAWS.broken(self.era, complaint):
                    raise broken from fault
            raise

    def slots(self) -> dict[Pfn, int]:
        """The frames that the array of bulk requests holds, each with its slot."""
        return {pfn: slot for book in self.books for pfn, slot in book.slots.items()}

    def finish(self) -> None:
        """Bring back what is out of use, give everything back, and judge that it can be had again.

        What CPUs keep is drained; then the largest blocks are asked for, near each node in turn.
        """
        for out in self.out_of_use:
            for op in list(ways_back(out)):
                self.step(_of_zone(op, out))
        for book in self.books:
            # Not in the order of frames: merges must meet their buddies from both sides.
            for pfn in sorted(book.held, key=lambda pfn: (pfn % 7, pfn)):
                while pfn in book.held:
                    held = book.held[pfn]
                    self.step(Op(Verb.FREE if held.refs == 1 else Verb.PUT, held.order, pfn))
        if self.host.cpus:
            self.step(Op(Verb.DRAIN_ALL))
        for zone in self.seen.zones:
            RETURN_LAWS.check(self.era, zone)
        machine = self.host.parts[0].machine
        mt = UNMOVABLE if machine.pageblock is None else MOVABLE
        highest = ZoneClass.MOVABLE if mt is MOVABLE else ZoneClass.NORMAL
        for node in self.host.nodes:
            for order in range(machine.top, -1, -1):
                op = Op(Verb.ALLOC, order, mt=mt, node=node, highest=highest)
                self.step(op._replace(emergency=self.host.min_free is not None))

    def _look(self, last: HostState | None) -> HostState:
        """The state now, each zone judged by itself unless it is as it was."""
        system = self.target.state()
        zones: list[Swept] = []
        for number, zone in enumerate(system.zones):
            if last is not None and last.zones[number].zone == zone:
                zones.append(last.zones[number])
            else:
                zones.append(swept(zone))
                STATE_LAWS.check(self.era, zones[-1])
        state = HostState(self.host, tuple(zones), tuple(system.numa))
        HOST_STATE_LAWS.check(self.era, state)
        return state

    def _enter(self, step: HostStep) -> None:
        """Let the callers' laws judge, and enter the request where its frames are."""
        op, outcome = step.op, step.outcome
        for number in _concerned(step):
            book, zone = self.books[number], step.after.zones[number].zone
            OUTSIDE_LAWS.check(self.era, Sight(book, PROMISES, op, outcome))
            settle(book, op, outcome, zone.slots)
            enter(self.out_of_use[number], op, outcome)

    def _follow(self, step: HostStep) -> None:
        """Let the spec serve the same request, and compare the two."""
        due = perform(self.spec, step.op)
        told = [(zone.visited, tuple(zone.log)) for zone in self.spec.zones]
        for zone in self.spec.zones:
            self.reached.update(events_of(zone.log))
            zone.log.clear()
            zone.visited = 0
        self._compare(wording(step.op), step.outcome, due)
        # The states are equal by now, so what the spec tells is told of the allocator's own.
        for number, transition in zone_steps(step):
            visited, log = told[number]
            TOLD_LAWS.check(self.era, transition._replace(visited=visited, log=log))

    def _compare(self, request: str, outcome: Outcome, due: Outcome) -> None:
        spec: System = self.spec
        for zone, mine in zip(spec.zones, self.seen.zones, strict=True):
            TWIN_LAWS.check(self.era, Twins(zone, mine.zone))
        numa = tuple(spec.numa), self.seen.numa
        TWIN_HOST_LAWS.check(self.era, HostTwins(request, outcome, due, *numa))


def _of_zone(op: Op, out: OutOfUse) -> Op:
    """The request with a frame of the zone that it is about, if it names none."""
    return op._replace(pfn=out.machine.start) if op.verb in (Verb.DISABLE, Verb.ENABLE) else op


def _concerned(step: HostStep) -> list[int]:
    """The zones of which a caller learns something by the outcome."""
    host, op, outcome = step.host, step.op, step.outcome
    if outcome in REFUSALS:
        return []
    if op.verb in HOST_VERBS or op.verb is Verb.EXPIRE:
        return list(range(len(host.parts)))
    if op.verb not in LISTED_VERBS:
        number = number_at(host, op.pfn)
        return [] if number is None else [number]
    if op.verb is Verb.ALLOC and outcome >= 0:
        number = number_at(host, outcome)
        return [0 if number is None else number]
    return due_numbers(host, op)


def zone_steps(step: HostStep) -> Iterator[tuple[int, Transition]]:
    """What the request is to each zone that it concerns, by number, as if that were alone.

    A bulk request is judged as a whole, since its array may hold frames of all zones.
    """
    host, op = step.host, step.op
    if op.verb is Verb.BULK:
        return
    # A drain asks whether a zone is above its high mark again for whoever may use all of memory.
    zone_class = ZoneClass.MOVABLE
    if op.verb is Verb.ALLOC:
        zone_class = class_of(host, op, due_numbers(host, op))
    for number in _concerned(step):
        before, after = step.before.zones[number], step.after.zones[number]
        if before is after and op.verb in (Verb.UNRESERVE, Verb.EXPIRE):
            continue
        before = _view(before, seen(before.zone, zone_class))
        after = _view(after, seen(after.zone, zone_class))
        yield number, Transition(before, op, step.outcome, after)


def _view(swept: Swept, zone: Zone) -> Swept:
    return swept if swept.zone is zone else replace(swept, zone=zone)
