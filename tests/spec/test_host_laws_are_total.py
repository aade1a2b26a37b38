"""Laws about hosts judge whatever an allocator does: they hold or are broken, and never stumble."""

from random import Random

import pytest

from pagefuzz.hosts.draw import random_host
from pagefuzz.hosts.lockstep import HostLockstep
from pagefuzz.hosts.target import SpecHost
from pagefuzz.hosts.walk import walk
from pagespec.laws.hostmarks import HOST_STATE_LAWS
from pagespec.laws.hosts import HOST_LAWS, HostState, HostStep
from pagespec.types import FAULT, NO_MEMORY, Refusal, ZoneClass
from pagespec.verbs import Op, Verb

OUTCOMES = (0, 1, 7, 40, 300, -200, NO_MEMORY, FAULT, *map(int, Refusal))


class Noted(HostLockstep):
    """A lockstep that notes every state."""

    states: list[HostState]

    def _look(self, last: HostState | None) -> HostState:
        state = super()._look(last)
        self.states = [*getattr(self, "states", []), state]
        return state


@pytest.mark.parametrize("seed", range(12))
def test_any_step_is_judged(seed: int) -> None:
    """Also one whose states, request and outcome have nothing to do with each other."""
    rng = Random(f"total {seed}")
    noted = Noted(random_host(rng), SpecHost)
    walk(noted, rng, 40)
    for _ in range(60):
        before, after = rng.choice(noted.states), rng.choice(noted.states)
        op = rng.choice(noted.done)[0]._replace(verb=rng.choice(list(Verb)))
        if rng.random() < 0.5:
            op = Op(
                rng.choice((Verb.ALLOC, Verb.BULK, Verb.EXPIRE, Verb.FREE)),
                rng.choice((0, 3, 9, -1)),
                rng.choice((0, 20, -7, 2**40)),
                pages=rng.choice((0, 2, 300)),
                cpu=rng.choice((0, 3, -1, 99)),
                node=rng.choice((0, 1, 9, -1)),
                highest=rng.choice(list(ZoneClass)),
                only_node=rng.random() < 0.5,
            )
        step = HostStep(before, op, rng.choice(OUTCOMES), after)

        assert all(broken.complaint for broken in HOST_LAWS.broken(noted.era, step))
        assert list(HOST_STATE_LAWS.broken(noted.era, after)) == []
