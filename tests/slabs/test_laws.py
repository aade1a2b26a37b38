"""Laws about slabs judge whatever is done to them: they hold or are broken, and never stumble.

And what the spec does keeps them all, in every era and design.
"""

import itertools
from collections.abc import Callable
from random import Random

import pytest

from pagefuzz.slabs.draw import random_slabs
from pagefuzz.slabs.requests import random_mix, random_request
from pagespec.era import ERAS, SlabDesign
from pagespec.laws.law import LawBroken
from pagespec.slab.laws.book import SlabBook, book_of
from pagespec.slab.laws.judge import (
    SLAB_REST_LAWS,
    TWIN_SLAB_LAWS,
    judge_slabs,
)
from pagespec.slab.laws.refused import HELD_LAWS, SLAB_REFUSAL_LAWS
from pagespec.slab.laws.rounds import rounds_of
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.machine import SCHEMES, SlabMachine
from pagespec.slab.ops import perform, start
from pagespec.slab.state import Cache, HeldObject, Slabs, copy_of_slabs
from pagespec.slab.verbs import SlabOp, SlabVerb
from pagespec.types import FAULT, NO_MEMORY, Refusal

OUTCOMES = (0, 1, 7, 4096, -200, NO_MEMORY, FAULT, *map(int, Refusal))
STEP_BOOKS = (SLAB_REFUSAL_LAWS, HELD_LAWS, TWIN_SLAB_LAWS)
"""Those that judge any step; the others ask where these and the laws about states have held."""

NUMBERS = (-(2**40), -1, 0, 1, 2, 3, 9, 4096, 8192, 4100, 2**40)
BOTH: tuple[tuple[str, SlabDesign], ...] = (
    *(("5.8", "slub"), ("5.15", "slab"), ("5.15", "slub")),
    *(("6.1", "slab"), ("6.1", "slub"), ("6.12", "slub")),
)


def walked(rng: Random, machine: SlabMachine, count: int) -> list[SlabStep]:
    """Random requests that the spec serves, each judged."""
    slabs, book, mix = start(machine), book_of(machine), random_mix(rng, machine)
    steps: list[SlabStep] = []
    for _ in range(count):
        op, before = random_request(rng, slabs, mix), copy_of_slabs(slabs)
        outcome = perform(slabs, op)
        slabs.zone.log.clear()
        after = copy_of_slabs(slabs)
        steps.append(SlabStep(before, op, outcome, after, book, after, outcome))
        judge_slabs(steps[-1])
    return steps


@pytest.mark.parametrize(("era", "design"), BOTH)
def test_the_spec_keeps_all_laws(era: str, design: SlabDesign) -> None:
    """Each request of walks on machines of that era and design, however groups are charged."""
    for scheme in SCHEMES:
        rng = Random(f"slab laws {era} {design} {scheme}")
        walked(rng, random_slabs(rng, ERAS[era], design, scheme), 100)


def strange_op(rng: Random) -> SlabOp:
    """Of any verb, about anything, also what is not there."""

    def number() -> int:
        return rng.choice(NUMBERS)

    return SlabOp(
        rng.choice(list(SlabVerb)),
        cpu=number(),
        cache=number(),
        size=number(),
        order=rng.choice((None, *NUMBERS)),
        objects_kept=rng.choice((None, *NUMBERS)),
        batch=rng.choice((None, *NUMBERS)),
        group=number(),
        objects=number(),
        addresses=tuple(number() for _ in range(rng.choice((0, 1, 1, 2, 3)))),
        withheld=tuple(number() for _ in range(rng.choice((0, 0, 1)))),
    )


def stir_cache(rng: Random, cache: Cache) -> None:
    """Change what a cache has at random."""

    def first() -> int:
        return rng.choice((*cache.slabs, 1, 9))

    for slab in cache.slabs.values():
        if rng.random() < 0.3:
            slab.chain = rng.choices(range(-1, 5), k=rng.randrange(4))
            slab.inuse, slab.frozen = rng.choice(NUMBERS), rng.random() < 0.5
    for mine in cache.cpus:
        if rng.random() < 0.3:
            mine.slab = rng.choice((None, first()))
            mine.chain, mine.partial = [rng.choice(NUMBERS)], [first() for _ in range(2)]
    for array in cache.arrays:
        if rng.random() < 0.3:
            array.entries = rng.choices(NUMBERS, k=3)
    changed = rng.choice((cache.partial, cache.full, cache.empty))
    changed.append(first())


def stir(rng: Random, slabs: Slabs) -> None:
    """Change a state at random."""
    for cache in slabs.caches.values():
        stir_cache(rng, cache)
    wrong: list[Callable[[], object]] = [
        lambda: slabs.held.update(
            {rng.choice(NUMBERS): HeldObject(rng.choice(NUMBERS), 0, rng.choice(NUMBERS))}
        ),
        lambda: slabs.frames.pop(next(iter(slabs.frames), 0), None),
        lambda: slabs.large.update({rng.choice(NUMBERS): rng.randrange(3)}),
        lambda: slabs.withheld[0].append(rng.choice(NUMBERS)),
        lambda: slabs.caches.pop(next(iter(slabs.caches), (0, 0)), None),
        lambda: slabs.groups.clear(),
        lambda: setattr(slabs.stocks[0], "group", rng.choice(NUMBERS)),
        lambda: setattr(slabs, "slots", rng.choices(NUMBERS, k=3)),
    ]
    for change in rng.sample(wrong, 2):
        change()


def book_before(step: SlabStep) -> SlabBook:
    """What callers have been told when they ask."""
    before = step.before
    return SlabBook(
        before.machine,
        before.held.copy(),
        before.large.copy(),
        [[(address, HeldObject(1, 0, 0)) for address in each] for each in before.withheld],
        {number for number, _ in before.caches},
        {number: group.online for number, group in before.groups.items()},
    )


def judged(step: SlabStep) -> list[str]:
    """The laws that a request breaks, and that which speaks first in order."""
    era = step.before.machine.era
    names = [
        broken.law_id for broken in itertools.islice(SLAB_REST_LAWS.broken(era, step.after), 1)
    ]
    if step.outcome != FAULT:
        for book in STEP_BOOKS:
            names += [broken.law_id for broken in book.broken(era, step)]
        try:
            judge_slabs(step._replace(book=book_before(step)))
        except LawBroken as broken:
            names.append(broken.law_id)
    return names


@pytest.mark.parametrize("seed", range(6))
def test_any_step_is_judged(seed: int) -> None:
    """A state after a request that the spec has as it was before, whatever comes of it."""
    rng = Random(f"slabs total {seed}")
    era, design = BOTH[seed]
    machine = random_slabs(rng, ERAS[era], design)
    steps = walked(rng, machine, 40)
    states = [copy_of_slabs(step.after) for step in steps]
    for state in states[::2]:
        stir(rng, state)
    names: list[str] = []
    for _ in range(80):
        step = rng.choice(steps)
        op = strange_op(rng) if rng.random() < 0.3 else step.op
        outcome, after = rng.choice((step.outcome, *OUTCOMES)), rng.choice(states)
        names += judged(step._replace(op=op, outcome=outcome, after=after))

    assert {"SLB-refused", "SLB-place", "SLB-held", "TWIN-slabs"} <= set(names)


def test_rounds_of_bulk_frees() -> None:
    """Sixteen objects of two slabs in turn take four rounds, in the orders that kernels have."""
    alternate: list[int | None] = [number % 2 for number in range(16)]
    marked = [[15, 13, 11], [14, 12, 10, 8, 6], [9, 7, 5, 3, 1], [4, 2, 0]]
    swapped = [[15, 13, 11], [12, 14, 10, 8, 6], [7, 9, 5, 3, 1], [2, 4, 0]]

    assert rounds_of(alternate, swaps=False) == marked
    assert rounds_of(alternate, swaps=True) == swapped
    assert rounds_of([0, 0, 0, 1, 1, 1], swaps=True) == [[5, 4, 3], [2, 1, 0]]
    assert rounds_of([0, None, 0], swaps=False) == [[2, 0]]
