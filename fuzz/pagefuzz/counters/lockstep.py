"""Counters beside the spec, judged after every request."""

from collections import Counter

from pagefuzz.counters.events import events_of_boot, events_of_step
from pagefuzz.counters.target import CounterFactory
from pagefuzz.coverage import Reached
from pagespec.laws.law import LawBroken
from pagespec.types import FAULT
from pagespec.verbs import Outcome
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp, CounterVerb


class CounterLockstep:
    """The counters of one machine, from boot on.

    done: every request so far and its outcome. reached: how often each event has happened. spec:
    what the spec has by now. fault: what the counters raised last.

    Raises LawBroken as soon as a law is broken, also from the constructor; after that it is of no
    more use.
    """

    def __init__(self, machine: CounterMachine, factory: CounterFactory) -> None:
        self.machine = machine
        self.done: list[tuple[CounterOp, Outcome]] = []
        self.reached: Reached = Counter()
        self.spec = boot_counters(machine)
        self.fault: BaseException | None = None
        self.target = factory(machine)
        self.seen = self.target.state()
        self.reached.update(events_of_boot(self.spec))

    def step(self, op: CounterOp) -> Outcome:
        """Put one request to the counters and judge what comes of it."""
        outcome = self._serve(op)
        self.done.append((op, outcome))
        if outcome == FAULT:
            raise LawBroken("OUT-fault", f"{op} raised {self.fault!r}") from self.fault
        before, self.seen = self.seen, self.target.state()
        due = perform(self.spec, op)
        if due != outcome or self.spec != self.seen:
            raise LawBroken("TWIN-equal", f"{op} gave {outcome}, the spec answers {due}")
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

    def finish(self) -> None:
        """Let all updates end and all CPUs tell what they keep, and read every total."""
        while self.spec.updates:
            self.step(CounterOp(CounterVerb.LAND))
        for cpu in sorted(self.spec.running):
            self.step(CounterOp(CounterVerb.REFRESH, cpu))
        for item in self.spec.totals:
            self.step(CounterOp(CounterVerb.READ, item=item, where=-1))
