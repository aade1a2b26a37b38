"""The spec on machines with pageblocks: every law after every request of the whole vocabulary."""

from collections.abc import Callable
from random import Random

import pytest
from tests.spec.test_listed import CELLED, LISTED
from tests.spec.typed import machine_of, op_of
from tests.spec.walk import Walk

from pagespec.era import ERAS, Era
from pagespec.events import Kind
from pagespec.migratetype import REQUESTED
from pagespec.verbs import Op, Verb

GROUPED = [name for name, era in ERAS.items() if era.numbering is not None]
SEEDS, REQUESTS = 40, 130

NEEDS: dict[Kind, Callable[[Era], bool]] = {
    # Until 5.15 ranges are whole largest blocks, so isolated memory has no buddy to keep away.
    Kind.BARRIER: lambda era: era.barrier == "unmergeable",
    Kind.RETYPE: lambda era: era.retypes_on_merge,
    Kind.MIXED: lambda era: era.fallback != "claim-or-single",
    Kind.SMALLEST: lambda era: era.fallback in ("move-then-retry", "claim-or-single"),
    Kind.CMA_FIRST: lambda era: era.cma == "balanced",
    Kind.CMA_LAST: lambda era: era.cma != "none",
    Kind.RESERVE_USED: lambda era: era.reserve != "none",
    Kind.RESERVE_LAST: lambda era: era.fallback == "take-largest" or era.reserve == "one-percent",
    Kind.RESERVED: lambda era: era.reserve != "none",
    Kind.UNRESERVED: lambda era: era.reserve != "none",
    Kind.REMERGED: lambda era: era.isolation != "move",
    Kind.CUT: lambda era: era.isolates_pageblocks,
    Kind.RANGE: lambda era: era.isolation != "move",
    Kind.UNDONE: lambda era: era.isolation != "move",
    Kind.GUARDED: lambda era: era.guards,
    Kind.UNGUARDED: lambda era: era.guards,
    Kind.POISONED: lambda era: era.takes_poisoned,
    Kind.HEALED: lambda era: era.returns_poisoned,
}
"""The kinds of events that not every era has."""


@pytest.mark.parametrize("era", GROUPED)
def test_every_law_holds_after_every_request(era: str) -> None:
    """The stamps foretell outcomes, lists and types; and the era's every branch has been taken."""
    reached: set[Kind] = set()
    for seed in range(SEEDS):
        rng = Random(f"{era} {seed}")
        walk = Walk(machine_of(rng, ERAS[era]))
        for _ in range(REQUESTS):
            walk.step(op_of(rng, walk.zone))
        if seed % 2:
            while walk.step(Op(Verb.ALLOC, 0, mt=rng.choice(REQUESTED), atomic=True)) >= 0:
                pass
        walk.give_everything_back()
        reached |= walk.reached

    due = set(Kind) - LISTED.keys() - CELLED - {Kind.LOWER, Kind.FAR}
    assert reached == {kind for kind in due if kind not in NEEDS or NEEDS[kind](ERAS[era])}
