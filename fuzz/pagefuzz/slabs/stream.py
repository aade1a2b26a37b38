"""Requests to the twin that the spec follows without asking laws: many a second.

What laws would find walks find, unless it takes very many requests. States are compared every so
often; an answer, and which objects a bulk request gave, after each request.
"""

from random import Random

from pagefuzz.slabs.requests import random_mix, random_request
from pagefuzz.slabs.target import perform_quietly
from pageimpl.slab.refine import slabs_of
from pageimpl.slab.twin import SlabTwin
from pageimpl.source import Kernels
from pagespec.laws.law import LawBroken
from pagespec.slab.laws.difference import difference
from pagespec.slab.machine import SlabMachine
from pagespec.slab.ops import start
from pagespec.slab.verbs import Address, SlabOp
from pagespec.verbs import Outcome

BATCH = 50
"""Requests between two comparisons of whole states."""


class SlabReplay:
    """The twin on one machine, and the spec that it follows.

    done: every request so far and the twin's outcome. filled: what each bulk request gave, by its
    place there.
    """

    def __init__(self, machine: SlabMachine, rng: Random, kernels: Kernels | None) -> None:
        self.machine, self.rng = machine, rng
        self.twin = SlabTwin(machine, modules=kernels)
        self.spec = start(machine)
        self.mix = random_mix(rng, machine)
        self.done: list[tuple[SlabOp, Outcome]] = []
        self.filled: dict[int, list[Address]] = {}

    def run(self, count: int) -> None:
        """Serve so many requests, rounded up to whole batches. Raises LawBroken."""
        for _ in range(-(-count // BATCH)):
            for _ in range(BATCH):
                self._step()
            self._compare()

    def _step(self) -> None:
        op = random_request(self.rng, self.spec, self.mix)
        outcome = self.twin.perform(op)
        self.done.append((op, outcome))
        due = perform_quietly(self.spec, op)
        if due != outcome:
            raise LawBroken("TWIN-slabs", f"{op} gave {outcome}, the spec answers {due}")
        if op.objects:
            self.filled[len(self.done) - 1] = slots = self.twin.slots()
            if slots != self.spec.slots:
                raise LawBroken("TWIN-slabs", f"{op} gave other objects than the spec does")

    def _compare(self) -> None:
        parts = difference(slabs_of(self.twin), self.spec)
        if parts is not None:
            raise LawBroken("TWIN-slabs", parts)
