"""The twin is the spec: every answer and every field of the state, request by request."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.impl.machines import MACHINES, TWIN_ERAS, name_of, requests
from tests.strategies import machines

from pageimpl.allocator import Allocator, Stream
from pageimpl.refine import zone_of
from pagespec.boot import boot
from pagespec.machine import Machine
from pagespec.ops import perform
from pagespec.types import NO_MEMORY, Refusal
from pagespec.verbs import Verb

NAMES = [era.name for era in TWIN_ERAS]


def run_beside_spec(machine: Machine, seed: int, count: int, jit: bool) -> list[tuple[Verb, int]]:
    """Run a stream and the spec side by side, comparing whole states; the answers, by verb."""
    zone, allocator = boot(machine), Allocator(machine, jit=jit)
    stream = Stream(allocator, seed)
    answers = []
    for _ in range(count):
        [(op, actual)] = requests(stream.run(1))
        expected = perform(zone, op)
        assert (op, expected) == (op, actual)
        answers.append((op.verb, actual))
        # The spec's record of what it did is no part of the state.
        zone.log.clear()
        zone.visited = 0
        assert zone == zone_of(allocator)
    return answers


@pytest.mark.parametrize("machine", MACHINES, ids=name_of)
def test_a_stream_leaves_the_spec_s_state(machine: Machine) -> None:
    """On every era and shape, the state after each request is the spec's."""
    run_beside_spec(machine, 3, 600, jit=True)


@settings(deadline=None, max_examples=60)
@given(machines(eras=NAMES), st.integers(0, 2**32), st.booleans())
def test_any_machine_any_seed(machine: Machine, seed: int, jit: bool) -> None:
    """On machines of any shape too, in both forms."""
    run_beside_spec(machine, seed, 60, jit)


def test_a_stream_reaches_every_answer() -> None:
    """A stream is no test of what it never does: all verbs, all refusals, and exhaustion."""
    machine = Machine(61, 3, TWIN_ERAS[-1], start=5, holes=((9, 14), (30, 31)))
    found = Counter(run_beside_spec(machine, 1, 6000, jit=True))

    answers = {answer for _, answer in found}
    reasons = set(Refusal) - {Refusal.UNSAID}
    assert reasons <= answers
    assert found[Verb.ALLOC, NO_MEMORY] > 100
    for verb in (Verb.FREE, Verb.GET, Verb.PUT):
        assert found[verb, 0] > 50
