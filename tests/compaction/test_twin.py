"""The twin of compaction: both its forms do the same, byte for byte, and what the spec does."""

from itertools import islice
from random import Random

import pytest

from pagefuzz.compaction.draw import random_compaction
from pagefuzz.compaction.requests import random_mix, random_requests
from pageimpl.compaction.refine import compaction_of
from pageimpl.compaction.twin import CompactionTwin
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import perform, start
from pagespec.compaction.verbs import CompactionOp, CompactionVerb, Result
from pagespec.era import ERAS
from pagespec.machine import Machine

ADDRESSES = 5 * 8
"""The bytes at the start of the memory that say where the zone and its kernels are."""
MOST_PAGES = 300
"""The plain form is slow."""


@pytest.mark.parametrize("era", ["2.6.37", "4.10", "5.15", "6.12"])
def test_both_forms_are_the_same_byte_for_byte(era: str) -> None:
    """And so is the spec, in outcomes, moves and state, request for request."""
    rng = Random(f"forms {era}")
    machine = random_compaction(rng, ERAS[era])
    while machine.zone.pages > MOST_PAGES:
        machine = random_compaction(rng, ERAS[era])
    spec = start(machine)
    fast, plain = CompactionTwin(machine), CompactionTwin(machine, jit=False)
    for op in islice(random_requests(rng, spec, random_mix(rng, machine)), 60):
        spec.moves.clear()
        due = perform(spec, op)

        assert fast.perform(op) == plain.perform(op) == due, op
        assert compaction_of(fast).moves == spec.moves
    assert bytes(fast.memory.array[ADDRESSES:]) == bytes(plain.memory.array[ADDRESSES:])
    assert bytes(fast.zone.memory.array) == bytes(plain.zone.memory.array)


def test_a_zone_is_compacted() -> None:
    """So what is compared above is no empty run: blocks move, and a large block is there."""
    machine = CompactionMachine(Machine(64, 3, ERAS["6.1"], pageblock=3))
    twin = CompactionTwin(machine)
    for _ in range(64):
        twin.perform(CompactionOp(CompactionVerb.ALLOC))
    for pfn in range(64):
        if pfn % 8 != 5:
            twin.perform(CompactionOp(CompactionVerb.FREE, pfn=pfn))
    before = len(compaction_of(twin).moves)

    assert twin.zone.free_area()[3] == {mt: [] for mt in twin.zone.free_area()[3]}
    assert twin.perform(CompactionOp(CompactionVerb.COMPACT, order=3)) == Result.SUCCESS
    assert len(compaction_of(twin).moves) > before
    assert any(twin.zone.free_area()[3].values())
