"""The spec and the second opinion are asked the same, and give the same objects.

A million requests were compared by hand, with the state of CPUs, nodes and zone after each.
"""

from random import Random

import pytest
from tests.slabs.plain_parts import Store
from tests.slabs.plain_slabs import PlainSlabs

from pagefuzz.slabs.draw import random_slabs
from pagefuzz.slabs.requests import random_mix, random_request
from pagespec.era import ERAS, SlabDesign
from pagespec.slab.ops import perform, start
from pagespec.slab.state import Slabs
from pagespec.slab.verbs import SlabOp
from pagespec.types import Refusal

SLUB, SLAB = ("5.8", "5.15", "6.1", "6.12"), ("5.8", "6.1")
BOTH: list[tuple[str, SlabDesign]] = [
    *[(era, "slub") for era in SLUB],
    *[(era, "slab") for era in SLAB],
]
WALKS, REQUESTS = 22, 150


def owed(slabs: Slabs) -> dict[int, tuple[int, int, int]]:
    """What groups owe, by number."""
    return {number: (group.pages, group.rest, group.lost) for number, group in slabs.groups.items()}


def objects_of(store: Store | None, plain: PlainSlabs) -> int:
    """The number of the cache, 0 if it is none."""
    return next((number for number, each in plain.stores.items() if each is store), 0)


@pytest.mark.parametrize(("era", "design"), BOTH)
def test_same_objects(era: str, design: SlabDesign) -> None:
    """Every address, what is left of arrays, who holds what, and what groups owe at the end."""
    for seed in range(WALKS):
        rng = Random(f"plain {era} {design} {seed}")
        machine = random_slabs(rng, ERAS[era], design, rng.choice(("none", "objects")))
        slabs, plain, mix = start(machine), PlainSlabs(machine), random_mix(rng, machine)
        done: list[SlabOp] = []
        for _ in range(REQUESTS):
            done.append(random_request(rng, slabs, mix))
            due = perform(slabs, done[-1])
            slabs.zone.log.clear()
            if due > max(Refusal):
                assert (plain.ask(done[-1]), plain.slots) == (due, slabs.slots), done

        held = {
            address: (objects_of(store, plain), charged)
            for address, (store, charged) in plain.held.items()
        }
        assert held == {address: (each.cache, each.charged) for address, each in slabs.held.items()}
        owes = {
            number: (payer.frames, payer.rest, payer.lost)
            for number, payer in plain.purses.payers.items()
        }
        assert owes == owed(slabs), done
        assert plain.zone.free_area == slabs.zone.free_area, done


def test_same_walks_differ_without_a_word() -> None:
    """Who frees the other way round is found out: the comparison has something to find."""
    era, found = ERAS["6.1"], 0
    for seed in range(8):
        rng = Random(f"plain turned {seed}")
        machine = random_slabs(rng, era, "slub", "none")
        slabs, plain, mix = start(machine), PlainSlabs(machine), random_mix(rng, machine)
        for _ in range(REQUESTS):
            op = random_request(rng, slabs, mix)
            due = perform(slabs, op)
            if due <= max(Refusal):
                continue
            given = op._replace(addresses=op.addresses[::-1])
            if (plain.ask(given), [*plain.slots]) != (due, slabs.slots):
                found += 1
                break
    assert found
