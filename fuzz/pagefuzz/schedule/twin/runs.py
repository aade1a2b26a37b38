"""One run of all contexts, one greenlet each, under somebody who decides who goes on."""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeAlias

from greenlet import greenlet

from pagefuzz.schedule.twin.scenes import Scene
from pagefuzz.schedule.twin.watch import Context, Endless, Watch
from pageimpl.memory import OutsideMemory
from pagespec.laws.law import LawBroken


class Stop(NamedTuple):
    """Where somebody is to decide.

    number: of the decision. running: the context that stopped, or -1 before any ran. enabled: those
    that can go on. state: all that what follows depends on.
    """

    number: int
    running: int
    enabled: Sequence[int]
    state: Hashable

    @property
    def default(self) -> int:
        """Who goes on if nobody intervenes: the same, or the first that can."""
        return self.running if self.running in self.enabled else self.enabled[0]


Decide: TypeAlias = Callable[[Stop], int | None]
"""Which context goes on, or None to give the run up."""


class Ended(NamedTuple):
    """How a run ended: the law that was broken, if any, and after how many decisions."""

    broken: LawBroken | None
    decisions: int


FAULTS = (OutsideMemory, IndexError)
"""What plain kernels raise where compiled ones would read or write anything."""


class Runner:
    """Runs one scene again and again.

    judged: the states at rest whose laws have been judged already, and held.
    """

    def __init__(self, scene: Scene, watch: Watch) -> None:
        self.scene, self.watch = scene, watch
        self.judged: set[Hashable] = set()

    def run(self, decide: Decide, *, tells: bool = False) -> Ended:
        """Run the scene from its start until all have ended, a law is broken, or it is given up."""
        self.scene.reset()
        contexts = [Context(number) for number in range(len(self.scene.names))]
        self.watch.begin(contexts, tells=tells)
        greenlets = [greenlet(lambda c=context: self._work(c)) for context in contexts]
        number, running = 0, -1
        while True:
            broken = self._at_rest(contexts, greenlets)
            if broken is not None:
                return Ended(broken, number)
            alive = [c for c, one in zip(contexts, greenlets, strict=True) if not one.dead]
            if not alive:
                return Ended(None, number)
            enabled = [c.number for c in alive if c.waits_at is None]
            if not enabled:
                waiting = ", ".join(f"{c.number} at byte {c.waits_at}" for c in alive)
                return Ended(LawBroken("LIVE-ends", f"all contexts wait: {waiting}"), number)
            chosen = decide(Stop(number, running, enabled, self._state(contexts, running)))
            if chosen is None:
                return Ended(None, number)
            number, running = number + 1, chosen
            self.watch.running = contexts[chosen]
            try:
                greenlets[chosen].switch()
            except Endless as endless:
                return Ended(LawBroken("LIVE-ends", f"context {chosen}: {endless}"), number)
            except FAULTS as fault:
                return Ended(LawBroken("BUD-inside", f"context {chosen}: {fault}"), number)
            finally:
                self.watch.running = None

    def _work(self, context: Context) -> None:
        for number in range(len(self.scene.names[context.number])):
            if number:
                self.watch.stop(context)
            before = context.history
            context.at_rest, context.accesses = False, 0
            outcome = self.scene.step(context.number, number)
            # What it has read matters no more, but for what came of it.
            context.history = self.watch.after(before, outcome)
            context.at_rest, context.served = True, number + 1

    def _state(self, contexts: Sequence[Context], running: int) -> Hashable:
        # Without how many were served, an outcome might be taken for one more thing read.
        told = tuple((c.history, c.served, c.at_rest, c.waits_at) for c in contexts)
        return self.watch.memory, running, told

    def _at_rest(
        self, contexts: Sequence[Context], greenlets: Sequence[greenlet]
    ) -> LawBroken | None:
        if not all(context.at_rest for context in contexts):
            return None
        ended = all(one.dead for one in greenlets)
        state = ended, self._state(contexts, -1)
        if state in self.judged:
            return None
        broken = self.scene.broken(ended=ended)
        if broken is None:
            self.judged.add(state)
        return broken
