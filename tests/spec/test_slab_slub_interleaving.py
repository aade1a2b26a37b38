"""What may come between the steps of SLUB's operations, and does no harm.

Each test stops an operation where another comes between, and shows that the fault that was there
once would do harm at that very place.
Source: fd4d9c7d0c71 (the number that a bulk request forgot to change), 5076190daded (a chain that
was read twice), and "mm/slub: restore/expand unfreeze_partials() local exclusion scope" (2021).
"""

import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from tests.spec.slub import Slub

from pagespec.slab import designs, partial, slub
from pagespec.slab.state import Slabs, address_of
from pagespec.slab.verbs import SlabVerb
from pagespec.steps import Step, Steps, run


def patched(function: Callable[..., object], old: str, new: str) -> Any:
    """The function with a piece of its source replaced."""
    source = inspect.getsource(function)
    assert source.count(old) == 1
    names = dict(vars(inspect.getmodule(function)))
    exec(source.replace(old, new), names)
    return names[function.__name__]


def advance(steps: Steps[int], until: Step) -> None:
    """Take steps until the operation stands there."""
    while next(steps) is not until:
        pass


def finish(steps: Steps[int]) -> int:
    """Take all that are left."""
    outcome = run(steps)
    assert outcome >= 0
    return outcome


def places(slabs: Slabs) -> Counter[int]:
    """How often each object of the cache is anywhere: held, at hand on a CPU, or on its slab."""
    found = Counter(list(slabs.held))
    for cache in slabs.caches.values():
        for first, slab in cache.slabs.items():
            found.update(address_of(cache.shape, first, number) for number in slab.chain)
        for mine in cache.cpus:
            for number in mine.chain:
                found[address_of(cache.shape, mine.slab or 0, number)] += 1
    return found


def is_whole(world: Slub) -> bool:
    """Whether each object is in one place."""
    cache = world.cache
    every = {
        address_of(cache.shape, first, number)
        for first in cache.slabs
        for number in range(cache.shape.objects)
    }
    return places(world.slabs) == Counter(every)


def lists_of(world: Slub) -> Counter[int]:
    """How often each slab is on a list or a CPU's own."""
    cache = world.cache
    found = Counter(cache.partial)
    for mine in cache.cpus:
        found.update(mine.partial)
        if mine.slab is not None:
            found[mine.slab] += 1
    return found


@pytest.mark.parametrize("verb", [SlabVerb.ALLOC, SlabVerb.FREE])
def test_who_was_interrupted_between_read_and_exchange_tries_anew(verb: SlabVerb) -> None:
    """An interrupt has taken the object that was read."""
    world = Slub("5.15")
    world.alloc(times=2)
    task = world.begin(verb, names="A0" if verb is SlabVerb.FREE else "")
    advance(task, Step.EDIT)

    assert world.alloc() == "A2"

    assert next(task) is Step.EDIT
    finish(task)
    assert is_whole(world)


BUMP = "        mine.tid += 1\n        yield from let_in(slabs)\n"


@pytest.mark.parametrize("forgets", [False, True])
def test_a_bulk_request_changes_the_number_before_it_lets_others_in(
    forgets: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task has read the head of the chain, which the bulk request takes as well."""
    if forgets:
        mended = patched(slub.take_bulk, BUMP, BUMP.partition("\n")[2])
        monkeypatch.setitem(designs.TAKE_BULK, "slub", mended)
    world = Slub("5.15")
    world.alloc(times=3)
    task = world.begin(SlabVerb.ALLOC)
    advance(task, Step.EDIT)
    bulk = world.begin(SlabVerb.ALLOC_BULK, objects=2)
    advance(bulk, Step.IRQS_ON)

    if forgets:
        taken = finish(task)
        finish(bulk)
        assert taken in world.slabs.slots
        return
    assert next(task) is Step.IRQS_OFF
    finish(bulk)
    finish(task)
    assert len(world.slabs.held) == 6
    assert is_whole(world)


@pytest.mark.parametrize("twice", [False, True])
def test_the_chain_that_an_object_joins_is_the_one_that_is_exchanged(
    twice: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read anew for the comparison, the number would agree, and the chain be the old one."""
    if twice:
        racy = patched(slub.give, "        if mine.tid == tid:", "        if mine.tid == mine.tid:")
        monkeypatch.setitem(designs.GIVE, "slub", racy)
    world = Slub("5.15")
    world.alloc(times=2)
    task = world.begin(SlabVerb.FREE, names="A0")
    advance(task, Step.EDIT)
    world.alloc()

    finish(task)

    assert is_whole(world) is not twice


def test_two_cpus_that_free_to_one_full_slab_keep_it_once() -> None:
    """Whoever comes second finds the slab kept already, and its chain another."""
    world = Slub("5.15")
    world.alloc(times=5)
    one = world.begin(SlabVerb.FREE, cpu=1, names="A0")
    advance(one, Step.EDIT)
    other = world.begin(SlabVerb.FREE, cpu=2, names="A1")
    advance(other, Step.EDIT)

    finish(other)
    assert next(one) is Step.EDIT
    finish(one)

    assert is_whole(world)
    assert (world.kept(1), world.kept(2), world.inuse("A")) == ("", "A", 2)


def test_a_slab_is_not_emptied_while_another_takes_it_off_the_node() -> None:
    """Who empties it has not the lock yet when a CPU takes it; so it is not given up."""
    world = Slub("6.1", objects=2, partials=0)
    world.alloc(times=3)
    world.free("A0", cpu=1)
    world.do(SlabVerb.FLUSH, cpu=1)
    task = world.begin(SlabVerb.FREE, cpu=1, names="A1")
    advance(task, Step.LOCK)

    assert world.alloc(cpu=2) == "A0"
    finish(task)

    assert world.alive == "A B"
    assert is_whole(world)
    assert max(lists_of(world).values()) == 1


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("era", ["5.8", "6.1"])
def test_a_cpus_partial_slabs_are_put_and_taken_with_interrupts_off(
    era: str, bare: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt in the middle would hand slabs to the node that are put on the list again."""
    if bare:
        source = patched(partial.keep_partial, "    yield Step.IRQS_OFF\n", "")
        monkeypatch.setattr(slub, "keep_partial", source)
    world = Slub(era, objects=2, kept=9)
    world.alloc(times=6)
    world.free("A0", cpu=1)
    task = world.begin(SlabVerb.FREE, cpu=1, names="B0")
    advance(task, Step.EDIT)  # about to write the slab's chain
    stop = next(task)
    if not bare:
        assert stop is Step.IRQS_OFF
    assert world.kept(1) == "A"

    world.do(SlabVerb.FLUSH, cpu=1)  # an interrupt, where it may come
    finish(task)

    assert (max(lists_of(world).values()) == 1) is not bare
