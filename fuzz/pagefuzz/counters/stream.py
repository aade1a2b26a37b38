"""Batches of requests to the compiled twin, which the spec follows: many requests a second.

Requests are drawn a batch at a time, from the state at its beginning. Laws are not asked: what they
would find, walks find, unless it takes very many requests.
"""

from random import Random

from pagefuzz.counters.requests import random_mix, random_request
from pageimpl.source import Kernels
from pageimpl.vmstat.refine import counters_of
from pageimpl.vmstat.twin import CounterTwin, perform_all
from pageimpl.vmstat.verbs import rows_of
from pagespec.laws.law import LawBroken
from pagespec.verbs import Outcome
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.laws.judge import FIELDS
from pagespec.vmstat.machine import CounterMachine
from pagespec.vmstat.ops import perform
from pagespec.vmstat.verbs import CounterOp

BATCH = 100
"""Requests between two comparisons of whole states."""


class CounterReplay:
    """The twin on one machine, and the spec that follows it.

    done: every request so far and the twin's outcome.
    """

    def __init__(self, machine: CounterMachine, rng: Random, kernels: Kernels | None) -> None:
        self.machine, self.rng = machine, rng
        self.twin = CounterTwin(machine, modules=kernels)
        self.spec = boot_counters(machine)
        self.mix = random_mix(rng, machine)
        self.done: list[tuple[CounterOp, Outcome]] = []

    def run(self, count: int) -> None:
        """Serve so many requests, rounded up to whole batches. Raises LawBroken."""
        for _ in range(-(-count // BATCH)):
            self._batch()

    def _batch(self) -> None:
        ops = [random_request(self.rng, self.spec, self.mix) for _ in range(BATCH)]
        outcomes: list[Outcome] = perform_all(self.twin, rows_of(ops)).tolist()
        for op, outcome in zip(ops, outcomes, strict=True):
            self.done.append((op, outcome))
            due = perform(self.spec, op)
            if due != outcome:
                raise LawBroken("TWIN-counters", f"{op} gave {outcome}, the spec answers {due}")
        seen = counters_of(self.twin)
        for name in FIELDS:
            got, other = getattr(seen, name), getattr(self.spec, name)
            if got != other:
                raise LawBroken("TWIN-counters", f"{name} is {got}, the spec's {other}")
