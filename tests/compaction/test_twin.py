"""The twin of compaction: both its forms do the same, byte for byte, and what the spec does.

Zones are filled with single blocks and thinned out, so that there is something to move.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from random import Random

import pytest
from tests.compaction.faulty import walked

from pagefuzz.compaction.requests import random_mix, random_requests
from pagefuzz.compaction.target import cleared
from pagefuzz.compaction.twin import TwinCompactionFactory
from pagefuzz.compaction.watched import watch
from pageimpl.compaction import recorder
from pageimpl.compaction.refine import compaction_of
from pageimpl.compaction.state import (
    BUCKETS,
    FRAMES_FIRST,
    KINDS_FIRST,
    LONGEST,
    bucket_of,
    cycles_of,
    longest_of,
    most_visited_of,
    set_records,
    stretches_of,
)
from pageimpl.compaction.twin import CompactionTwin
from pagespec.compaction.laws.step import difference
from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import start
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import CompactionOp, CompactionVerb
from pagespec.era import ERAS
from pagespec.machine import Machine

ADDRESSES = 5 * 8
"""The bytes at the start of the memory that say where the zone and its kernels are."""

SCANNERS = {
    "free": (recorder.FREE_SCAN, recorder.AROUND),
    "lists": (recorder.SEEK,),
    "migrate": (recorder.MIGRATE_SCAN,),
}
"""The recorder's kinds of stretches, by the scanner whose windows the spec is watched for."""

THEY_DIFFER = ["2.6.37", "2.6.39", "4.10", "5.15", "6.12"]
"""Eras that compact in different ways."""


def crowded(era: str) -> CompactionMachine:
    """Eight pageblocks of eight frames; in 4.10 four of 64, within which a lock is released."""
    pages, order = (256, 6) if era == "4.10" else (64, 3)
    return CompactionMachine(Machine(pages, order + 1, ERAS[era], pageblock=order))


def requests(rng: Random, spec: Compaction) -> Iterator[CompactionOp]:
    """Fill the zone, thin it out, compact it, allocate; and again. The spec knows what is held."""
    for turn in range(4):
        for _ in range(spec.zone.free_pages):
            yield CompactionOp(CompactionVerb.ALLOC, lru=rng.random() < 0.9)
        for pfn in sorted(spec.zone.held):
            held, chance = spec.zone.held[pfn], rng.random()
            if held.refs == 1 and chance < 0.6:
                yield CompactionOp(CompactionVerb.FREE, pfn=pfn, order=held.order)
            elif held.refs == 1 and chance < 0.65:
                yield CompactionOp(CompactionVerb.PIN, pfn=pfn)
        yield CompactionOp(CompactionVerb.DRAIN_ALL)
        yield CompactionOp(CompactionVerb.COMPACT, order=2 + turn % 2, mode="async")
        yield CompactionOp(CompactionVerb.DIRECT, order=3)
        yield CompactionOp(CompactionVerb.COMPACT, whole=True)
        yield CompactionOp(CompactionVerb.REST)


@pytest.mark.parametrize("era", THEY_DIFFER)
def test_both_forms_are_the_same_byte_for_byte(era: str) -> None:
    """And the spec's answers, moves and state are theirs, request for request, wrong ones too."""
    machine, moved = crowded(era), 0
    rng, spec = Random(f"forms {era}"), start(machine)
    others = islice(random_requests(rng, spec, random_mix(rng, machine)), 40)
    fast, plain = CompactionTwin(machine), CompactionTwin(machine, jit=False)
    for op in chain(requests(rng, spec), others):
        due = watch(cleared(spec), op).outcome
        assert fast.perform(op) == plain.perform(op) == due, op
        state = compaction_of(fast)
        assert state.moves == spec.moves, op
        assert difference(state, spec) is None, op
        moved += len(spec.moves)
    assert bytes(fast.memory.array[ADDRESSES:]) == bytes(plain.memory.array[ADDRESSES:])
    assert bytes(fast.zone.memory.array) == bytes(plain.zone.memory.array)
    assert moved > 20


@pytest.mark.parametrize("era", ["2.6.39", "4.10", "6.12"])
def test_walks_in_lockstep_with_the_spec(era: str) -> None:
    """On random machines, judged after each request; in the end everything is back."""
    for number in range(2):
        done = walked(f"twin {era} {number}", TwinCompactionFactory(), era=era)

        assert len(done.done) > 100
        assert done.seen.zone.held == {}


@pytest.mark.parametrize("era", ["2.6.37", "2.6.39", "4.10", "6.12"])
def test_the_recorder_counts_what_the_spec_visits(era: str) -> None:
    """As many stretches of each scanner as the spec has windows, and the longest as long."""
    machine = crowded(era)
    spec, twin = start(machine), CompactionTwin(machine)
    set_records(twin.memory, 1)
    seen: Counter[str] = Counter()
    for op in requests(Random(f"windows {era}"), spec):
        twin.memory.array[KINDS_FIRST:FRAMES_FIRST] = 0
        twin.perform(op)
        windows = watch(cleared(spec), op).windows
        for scanner, kinds in SCANNERS.items():
            due = [window.visited for window in windows if window.scanner == scanner]
            assert sum(stretches_of(twin.memory, kind) for kind in kinds) == len(due), op
            assert max(most_visited_of(twin.memory, kind) for kind in kinds) == max(due, default=0)
            seen[scanner] += len(due)
    assert min(seen["free"], seen["migrate"]) > 5
    assert (seen["lists"] > 0) == machine.design.seeks


def test_the_recorder_adds_up_and_leaves_no_trace_when_off() -> None:
    """Each stretch is in one bucket; the longest are part of the time; nothing else changes."""
    machine = crowded("5.15")
    spec, on, off = start(machine), CompactionTwin(machine), CompactionTwin(machine)
    set_records(on.memory, 1)
    for op in requests(Random("recorder"), spec):
        assert on.perform(op) == off.perform(op) == watch(cleared(spec), op).outcome

    for kind in (recorder.FREE_SCAN, recorder.SEEK, recorder.MIGRATE_SCAN, recorder.ALLOC):
        count = stretches_of(on.memory, kind)
        buckets = [bucket_of(on.memory, kind * BUCKETS + each) for each in range(BUCKETS)]
        kept = range(kind * LONGEST, kind * LONGEST + min(count, LONGEST))
        longest = sorted(longest_of(on.memory, each) for each in kept)
        assert count == sum(buckets) > 0
        assert 0 < longest[-1] <= sum(longest) <= cycles_of(on.memory, kind)
        # The longest of all is in the last bucket that has any.
        assert longest[-1].bit_length() - 1 == max(n for n, times in enumerate(buckets) if times)
    assert not off.memory.array[KINDS_FIRST:FRAMES_FIRST].any()
    assert bytes(on.memory.array[FRAMES_FIRST:]) == bytes(off.memory.array[FRAMES_FIRST:])
    assert bytes(on.zone.memory.array) == bytes(off.zone.memory.array)
