"""Zones whose CPUs keep lists, and zones with watermarks, under every law, era by era."""

from collections.abc import Callable
from random import Random

import pytest
from tests.spec.listed import machine_of, op_of
from tests.spec.walk import Walk

from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.migratetype import REQUESTED
from pagespec.verbs import Op, Verb

SEEDS, REQUESTS = 16, 110

LISTED: dict[Kind, Callable[[Era], bool]] = {
    Kind.REFILL: lambda era: True,
    Kind.FROM_LIST: lambda era: True,
    Kind.TO_LIST: lambda era: True,
    Kind.PCPU_DRAIN: lambda era: True,
    Kind.BELOW_MARK: lambda era: True,
    Kind.KSWAPD: lambda era: True,
    Kind.UNPLUGGED: lambda era: True,
    Kind.PLUGGED: lambda era: True,
    Kind.BARRED: lambda era: era.guard not in ("irqs-off", "local-lock"),
    Kind.BULK: lambda era: era.bulk != "none",
    Kind.FILLED: lambda era: era.bulk != "none",
    Kind.BOOSTED: lambda era: era.boosts,
}
"""The kinds of events that only such zones have, and the eras in which they do."""

CELLED = frozenset(
    {Kind.TOLD_MORE, Kind.TOLD_LESS, Kind.READ_OUT, Kind.LOWERED, Kind.RAISED, Kind.RESTED}
)
"""Those of zones whose CPUs keep parts of counts."""


@pytest.mark.parametrize("era", ERAS)
def test_every_law_holds_after_every_request(era: str) -> None:
    """And each branch that an era has was taken. What the stamps say of it is asked elsewhere."""
    reached: set[Kind] = set()
    for seed in range(SEEDS):
        rng = Random(f"{era} {seed}")
        walk = Walk(machine_of(rng, ERAS[era]), foretold=False)
        for _ in range(REQUESTS):
            walk.step(op_of(rng, walk.zone))
        if seed % 2:
            cpu = walk.running[0]
            while walk.step(Op(Verb.ALLOC, 0, mt=rng.choice(REQUESTED), cpu=cpu)) >= 0:
                pass
        walk.give_everything_back()
        reached |= walk.reached

    assert reached & LISTED.keys() == {kind for kind in LISTED if LISTED[kind](ERAS[era])}
