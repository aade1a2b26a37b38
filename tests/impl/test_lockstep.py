"""The twin is the spec: every answer and every field of the state, request by request."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.impl.machines import (
    LISTED_MACHINES,
    MACHINES,
    TWIN_ERAS,
    TYPED_ERAS,
    TYPED_MACHINES,
    name_of,
    requests,
    varied,
)
from tests.strategies import machines

from pageimpl.allocator import Allocator, Stream
from pageimpl.refine import zone_of
from pagespec.boot import boot
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import BLOCK_VERBS, MAY_FAIL, Verb

NAMES = [era.name for era in TWIN_ERAS]


def run_beside_spec(
    machine: Machine,
    seed: int,
    count: int,
    jit: bool,
    whole_every: int = 1,
    illegal: int = 32,
    typed: int = 64,
) -> list[tuple[Verb, int]]:
    """Run a stream and the spec side by side, comparing whole states; the answers, by verb."""
    zone, allocator = boot(machine), Allocator(machine, jit=jit)
    stream = Stream(allocator, seed, illegal=illegal, typed=typed)
    answers = []
    for number in range(count):
        [(op, actual)] = requests(stream.run(1))
        expected = perform(zone, op)
        assert (op, expected) == (op, actual)
        answers.append((op.verb, actual))
        if number % whole_every == 0:
            # The spec's record of what it did is no part of the state.
            zone.log.clear()
            zone.visited = 0
            assert zone == zone_of(allocator)
    return answers


@pytest.mark.parametrize("machine", MACHINES + TYPED_MACHINES + LISTED_MACHINES, ids=name_of)
def test_a_stream_leaves_the_spec_s_state(machine: Machine) -> None:
    """On every era and shape, the state after each request is the spec's."""
    run_beside_spec(machine, 3, 400, jit=True)


@settings(deadline=None, max_examples=60)
@given(machines(eras=NAMES), st.integers(0, 2**32), st.booleans())
def test_any_machine_any_seed(machine: Machine, seed: int, jit: bool) -> None:
    """On machines of any shape too, in both forms."""
    run_beside_spec(machine, seed, 60, jit)


UNTYPED_REASONS = {
    Refusal.BAD_ORDER,
    Refusal.OUTSIDE,
    Refusal.MISALIGNED,
    Refusal.HOLE,
    Refusal.WRONG_ORDER,
    Refusal.INTERIOR,
    Refusal.DOUBLE,
    Refusal.NEVER_GIVEN,
    Refusal.COMPOUND,
}


def test_a_stream_reaches_every_answer() -> None:
    """A stream is no test of what it never does: all verbs, all refusals, and exhaustion."""
    machine = Machine(61, 3, TWIN_ERAS[-1], start=5, holes=((9, 14), (30, 31)))
    found = Counter(run_beside_spec(machine, 1, 6000, jit=True))

    assert {answer for _, answer in found if answer < NO_MEMORY} == UNTYPED_REASONS
    assert found[Verb.ALLOC, NO_MEMORY] > 100
    for verb in (Verb.FREE, Verb.GET, Verb.PUT, Verb.SPLIT):
        assert found[verb, 0] > 20
    assert {verb for verb, _ in found} == {*BLOCK_VERBS, Verb.SPLIT}


def test_typed_streams_reach_every_answer() -> None:
    """With pageblocks, lists and marks all verbs are served, and refused for all reasons.

    In one era or another; but for the reasons that hosts, counters or slabs alone have.
    """
    found: Counter[tuple[Verb, int]] = Counter()
    for era in TYPED_ERAS:
        least = 2 if era.retypes_on_merge else 1
        machine = Machine(
            400,
            3,
            era,
            start=4,
            holes=((9, 14), (90, 160)),
            pageblock=least,
            cpus=3,
            batch=2,
            high=9,
            # Zones with marks give the reserve up by themselves, and leave nothing to ask for.
            min_free=40 if era.reserve == "none" else None,
            cells=True,
        )
        found.update(
            run_beside_spec(varied(machine), 1, 6000, True, whole_every=20, illegal=200, typed=200)
        )

    of_counters = {Refusal.NO_COUNTER, Refusal.BUSY, Refusal.NO_UPDATE}
    of_slabs = set(range(Refusal.GROUP_OFFLINE, Refusal.NO_UPDATE))
    reasons = set(Refusal) - {Refusal.UNSAID, Refusal.BAD_NODE} - of_counters - of_slabs
    assert {answer for _, answer in found if answer < NO_MEMORY} == reasons
    for verb in Verb:
        served = sum(count for (of, answer), count in found.items() if of is verb and answer >= 0)
        assert served > 10, verb
    for verb in MAY_FAIL:
        assert found[verb, NO_MEMORY] > 20
