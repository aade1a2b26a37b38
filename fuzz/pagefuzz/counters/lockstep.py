"""Counters beside the spec, judged after every request."""

from collections import Counter

from pagefuzz.counters.events import events_of_boot, events_of_step
from pagefuzz.counters.target import CounterFactory
from pagefuzz.coverage import Reached
from pagespec.laws.law import LawBroken
from pagespec.types import FAULT
from pagespec.verbs import Outcome
from pagespec.vmstat.counters import Counters, boot_counters
from pagespec.vmstat.laws.book import book_of
from pagespec.vmstat.laws.judge import judge_counters
from pagespec.vmstat.laws.step import CounterStep
from pagespec.vmstat.laws.wording import wording
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import ALL, CounterOp, CounterVerb


class CounterLockstep:
    """The counters of one machine, from boot on.

    done: every request so far and its outcome. spec: what the spec has by now. book: what requests
    have made of the truth. reached: how often each event has happened. fault: what the counters
    raised last.

    What is wrong at boot already shows at the first request, and has a law's own name there. Raises
    LawBroken as soon as a law is broken, also from the constructor; after that it is of no more
    use.
    """

    def __init__(self, machine: CounterMachine, factory: CounterFactory) -> None:
        self.machine = machine
        self.done: list[tuple[CounterOp, Outcome]] = []
        self.spec = boot_counters(machine)
        self.book = book_of(machine)
        self.fault: BaseException | None = None
        self.target = factory(machine)
        self.seen = self._look("boot")
        self.reached: Reached = Counter(events_of_boot(self.seen))

    def step(self, op: CounterOp) -> Outcome:
        """Put one request to the counters and judge what comes of it."""
        outcome = self._serve(op)
        self.done.append((op, outcome))
        if outcome == FAULT:
            raise LawBroken("OUT-fault", f"{wording(op)} raised {self.fault!r}") from self.fault
        before, self.seen = self.seen, self._look(wording(op))
        due = perform(self.spec, op)
        judge_counters(CounterStep(before, op, outcome, self.seen, self.book, self.spec, due))
        # The states are equal by now, so those under test tell what the spec met.
        self.reached.update(events_of_step(before, op, outcome, self.seen))
        return outcome

    def _serve(self, op: CounterOp) -> Outcome:
        """Put the request to the counters; whatever they raise becomes an outcome."""
        try:
            return self.target.perform(op)
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            self.fault = fault
            return FAULT

    def _look(self, request: str) -> Counters:
        """The state now; memory that does not read as counters is a finding, too."""
        try:
            return self.target.state()
        except Exception as fault:
            complaint = f"after {request} the state does not read as counters: {fault!r}"
            raise LawBroken("OUT-fault", complaint) from fault

    def finish(self) -> None:
        """Let all updates end and all CPUs tell what they keep, and read every total."""
        while self.spec.updates:
            self.step(CounterOp(CounterVerb.LAND))
        for cpu in sorted(self.spec.running):
            self.step(CounterOp(CounterVerb.REFRESH, cpu))
        for item in self.spec.totals:
            self.step(CounterOp(CounterVerb.READ, item=item, where=ALL))
