"""The next request of a walk: mostly legal, now and then not."""

from random import Random

from pagefuzz.slabs.draws import DRAW, Mix, caches_of, create
from pagefuzz.slabs.episodes import EPISODES
from pagefuzz.slabs.wrong import illegal_request
from pagespec.slab.machine import SlabMachine
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import SlabOp, SlabVerb

OFTEN: dict[SlabVerb, int] = {
    SlabVerb.ALLOC: 14,
    SlabVerb.FREE: 14,
    SlabVerb.ALLOC_BULK: 6,
    SlabVerb.FREE_BULK: 6,
    SlabVerb.CREATE: 2,
    SlabVerb.DESTROY: 2,
    SlabVerb.RELEASE: 2,
    SlabVerb.FLUSH: 2,
    SlabVerb.REAP: 2,
}
"""Verbs that are drawn so many times as often as others."""

TURNED = {
    verb: pair
    for pair in (
        (SlabVerb.FREE, SlabVerb.ALLOC),
        (SlabVerb.FREE_BULK, SlabVerb.ALLOC_BULK),
    )
    for verb in pair
}
"""The verbs that take each other's place, as a phase prefers to take or to give back."""


def random_mix(rng: Random, machine: SlabMachine) -> Mix:
    """A mix for one walk, some of whose kinds are switched off."""
    verbs = {verb: rng.choice((0, 1, 1, 2)) * OFTEN.get(verb, 1) for verb in SlabVerb}
    # Something must live on slabs, whatever else is off.
    verbs[rng.choice((SlabVerb.ALLOC, SlabVerb.ALLOC_BULK))] += 8
    return Mix(
        verbs=verbs,
        hot_cpus=rng.sample(range(machine.cpus), min(2, machine.cpus)),
        illegal=rng.choice((0.0, 0.05, 0.15)),
        episodes=rng.choice((0.05, 0.1, 0.2)),
        withheld=rng.choice((0.0, 0.0, 0.1)),
        nobody=rng.choice((0.1, 0.5)),
        phase=rng.choice((10, 30, 80)),
    )


def random_request(rng: Random, known: Slabs, mix: Mix) -> SlabOp:
    """The next request of a walk."""
    if mix.drawn % mix.phase == 0:
        mix.up = rng.choice((0.1, 0.4, 0.6, 0.9))
    mix.drawn += 1
    if not caches_of(known):
        mix.next.clear()
        return create(rng, known, mix)
    if mix.next:
        return mix.next.pop(0)(rng, known, mix)
    if rng.random() < mix.illegal:
        return illegal_request(rng, known, mix)
    if rng.random() < mix.episodes:
        mix.next = rng.choice(EPISODES)(rng, known, mix)
        return mix.next.pop(0)(rng, known, mix)
    verb = rng.choices(list(mix.verbs), list(mix.verbs.values()))[0]
    if verb in TURNED:
        verb = TURNED[verb][rng.random() < mix.up]
    return DRAW[verb](rng, known, mix)
