"""From frames to names and back: a trace asks for what the run asked for."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fuzz.material import SMALL

from pagefuzz.campaign.grouped import grouped_machine
from pagefuzz.campaign.stream import Replay
from pagefuzz.campaign.walk import FUZZED_ERAS, random_machine, walk
from pagefuzz.lockstep import Lockstep
from pagefuzz.record import NOTHING_FILLED, Recorder, trace_of
from pagefuzz.target.builtin import Spec
from pagespec.boot import boot
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.machine import MAX_CPUS, MAX_PFN, Machine
from pagespec.migratetype import CMA, ISOLATE, MOVABLE, RECLAIMABLE
from pagespec.ops import perform
from pagespec.trace import Names, Operand, text_of
from pagespec.trace_reader import parse
from pagespec.types import MAX_TOP, NO_MEMORY, Pfn, Refusal
from pagespec.verbs import Op, Outcome, Verb

BROKEN = LawBroken("BUD-maximal", "made up")
GROUPED_ERAS = tuple(era for era in FUZZED_ERAS if era.numbering is not None)


def replayed(
    machine: Machine,
    done: list[tuple[Op, Outcome]],
    filled: Mapping[int, Mapping[Pfn, int]] = NOTHING_FILLED,
) -> list[Outcome]:
    """What the spec answers to the requests after they went through a trace's text."""
    trace = parse(text_of(trace_of(machine, done, BROKEN, filled)))
    assert trace.machine == machine
    assert trace.expect == "BUD-maximal"
    zone, names, outcomes = boot(machine), Names(), []
    for request in trace.requests:
        op = names.op_of(request)
        assert op is not None
        outcome = perform(zone, op)
        assert outcome == request.answer
        names.learn(request, outcome, zone.slots)
        outcomes.append(outcome)
    return outcomes


@pytest.mark.parametrize("era", FUZZED_ERAS, ids=lambda era: era.name)
def test_walks_round_trip(era: Era) -> None:
    """A walk that was written and read again gets the same outcomes, request by request."""
    for seed in range(8):
        rng = Random(seed)
        lockstep = Lockstep(random_machine(rng, era), Spec, "outside")
        walk(lockstep, rng, 80)
        outcomes = [outcome for _, outcome in lockstep.done]
        assert replayed(lockstep.machine, lockstep.done, lockstep.filled) == outcomes
        # Without a word about the array its frames go by number, which is the same to the spec.
        assert replayed(lockstep.machine, lockstep.done) == outcomes


@pytest.mark.parametrize("era", FUZZED_ERAS, ids=lambda era: era.name)
def test_streams_round_trip(era: Era) -> None:
    """So does a stream, which also asks for orders and frames below zero."""
    for seed in range(8):
        rng = Random(seed)
        replay = Replay(random_machine(rng, era), rng)
        replay.run(300)
        assert replayed(replay.machine, replay.done) == [out for _, out in replay.done]


@pytest.mark.parametrize(
    ("op", "outcome"),
    [(Op(Verb.FREE, -1, 3), Refusal.BAD_ORDER), (Op(Verb.PUT, 0, -2), Refusal.OUTSIDE)],
)
def test_below_zero_is_written_as_far_above(op: Op, outcome: Refusal) -> None:
    """What no trace can say is written as a request that is refused for the same reason."""
    request = Recorder(SMALL).request_of(op, outcome)

    assert request.order in (None, MAX_TOP + 1)
    assert request.operand in (Operand(None, 3), Operand(None, MAX_PFN))
    assert replayed(SMALL, [(op, outcome)]) == [outcome]


def test_frames_go_by_the_latest_block() -> None:
    """A frame that two allocations covered one after the other goes by the later one's name."""
    done = [
        (Op(Verb.ALLOC, 1), 8),
        (Op(Verb.FREE, 1, 8), 0),
        (Op(Verb.ALLOC, 2), 8),
        (Op(Verb.FREE, 1, 8), int(Refusal.WRONG_ORDER)),
        (Op(Verb.FREE, 0, 9), int(Refusal.INTERIOR)),
        (Op(Verb.FREE, 0, 3), int(Refusal.NEVER_GIVEN)),
        (Op(Verb.FREE, 2, 8), 0),
    ]

    assert text_of(trace_of(SMALL, done, BROKEN)).splitlines()[3:-1] == [
        "a = alloc order=1 -> pfn 8",
        "free a -> done",
        "b = alloc order=2 -> pfn 8",
        "free b order=1 -> refused WRONG_ORDER",
        "free b+1 order=0 -> refused INTERIOR",
        "free pfn=3 order=0 -> refused NEVER_GIVEN",
        "free b -> done",
    ]


GROUPED = replace(SMALL, pageblock=2, pages=32)


def test_every_word_of_a_request_is_written() -> None:
    """Types, flags, ranges and places go into the trace; frames of a range by the range's name."""
    done = [
        (Op(Verb.ALLOC, 1, mt=MOVABLE, atomic=True, nofragment=True), 8),
        (Op(Verb.SPLIT, 1, 8), 0),
        (Op(Verb.FREE, 0, 9), 0),
        (Op(Verb.UNRESERVE, mt=RECLAIMABLE, force=True), NO_MEMORY),
        (Op(Verb.CONTIG, pfn=17, pages=3, mt=CMA), 17),
        (Op(Verb.FREE, 0, 17), 0),
        (Op(Verb.GET, 0, 19), 0),
        (Op(Verb.FREE, 0, 18), 0),
        (Op(Verb.FREE, 1, 18), int(Refusal.WRONG_ORDER)),
        (Op(Verb.ISOLATE, pfn=4, pages=8), 0),
        (Op(Verb.OFFLINE, pfn=4, pages=4), int(Refusal.NOT_FREE)),
        (Op(Verb.RESTORE, pfn=4, pages=8, mt=MOVABLE), 0),
        (Op(Verb.POISON, pfn=9), 0),
        (Op(Verb.HEAL, pfn=9), 0),
        (Op(Verb.ONLINE, pfn=4, pages=0), int(Refusal.BAD_RANGE)),
        (Op(Verb.CONTIG, pfn=-1, pages=-2, mt=ISOLATE), int(Refusal.BAD_TYPE)),
    ]

    assert text_of(trace_of(GROUPED, done, BROKEN)).splitlines()[3:-1] == [
        "a = alloc order=1 mt=M atomic=1 nofragment=1 -> pfn 8",
        "split a -> done",
        "free a+1 order=0 -> done",
        "unreserve mt=E force=1 -> none",
        "b = contig pfn=17 pages=3 mt=C -> pfn 17",
        "free b -> done",
        "get b+2 -> done",
        "free b+1 -> done",
        "free b+1 order=1 -> refused WRONG_ORDER",
        "isolate pfn=4 pages=8 -> done",
        "offline pfn=4 pages=4 -> refused NOT_FREE",
        "restore pfn=4 pages=8 mt=M -> done",
        "poison pfn=9 -> done",
        "heal pfn=9 -> done",
        f"online pfn=4 pages={MAX_PFN} -> refused BAD_RANGE",
        f"c = contig pfn={MAX_PFN} pages={MAX_PFN} mt=I -> refused BAD_TYPE",
    ]


LISTED = replace(SMALL, cpus=2, batch=3, high=9, min_free=4)


def test_what_came_in_bulk_goes_by_its_slot() -> None:
    """Until a later block covers the frame, or a later array no longer holds it."""
    filled = {1: {4: 0, 5: 1, 9: 3}, 9: {9: 3, 10: 0}}
    done = [
        (Op(Verb.ALLOC, 0, cpu=1, emergency=True, cold=True), 4),
        (Op(Verb.BULK, pages=4, mt=MOVABLE, cpu=1, irq=True), 3),
        (Op(Verb.FREE, 0, 4, contended=True), 0),
        (Op(Verb.FREE, 0, 4), int(Refusal.DOUBLE)),
        (Op(Verb.FREE, 2, 5, cpu=-1), int(Refusal.WRONG_ORDER)),
        (Op(Verb.ALLOC, 0), 5),
        (Op(Verb.GET, 0, 5), 0),
        (Op(Verb.BULK, pages=-1), int(Refusal.BAD_RANGE)),
        (Op(Verb.PUT, 0, 9, cold=True), 0),
        (Op(Verb.BULK, pages=1), 1),
        (Op(Verb.FREE, 0, 4), int(Refusal.DOUBLE)),
        (Op(Verb.SPLIT, 0, 10), 0),
        (Op(Verb.UNPLUG, cpu=1), 0),
        (Op(Verb.REST, cpu=7, pages=3), 0),
    ]

    assert text_of(trace_of(LISTED, done, BROKEN, filled)).splitlines()[3:-1] == [
        "a = alloc order=0 cpu=1 emergency=1 cold=1 -> pfn 4",
        "bulk pages=4 cpu=1 mt=M irq=1 -> count 3",
        "free slot=0 contended=1 -> done",
        "free slot=0 -> refused DOUBLE",
        f"free slot=1 order=2 cpu={MAX_CPUS} -> refused WRONG_ORDER",
        "b = alloc order=0 -> pfn 5",
        "get b -> done",
        f"bulk pages={MAX_PFN} -> refused BAD_RANGE",
        "put slot=3 cold=1 -> done",
        "bulk pages=1 -> count 1",
        "free a -> refused DOUBLE",
        "split slot=0 -> done",
        "unplug cpu=1 -> done",
        "rest -> done",
    ]


@given(seed=st.integers(0, 2**32), era=st.sampled_from(GROUPED_ERAS))
@settings(max_examples=150)
def test_typed_runs_round_trip(seed: int, era: Era) -> None:
    """Whatever a walk asks of pageblocks, ranges and places is asked again by its trace."""
    rng = Random(seed)
    lockstep = Lockstep(grouped_machine(rng, era), Spec, "outside")
    walk(lockstep, rng, 60)

    assert replayed(lockstep.machine, lockstep.done) == [out for _, out in lockstep.done]


def test_a_faulty_range_is_named_as_far_as_the_zone_goes() -> None:
    """An allocator may claim that it served a range without end; naming it takes no time."""
    request = Recorder(GROUPED).request_of(Op(Verb.CONTIG, pfn=3, pages=0, mt=MOVABLE), 3)

    assert request.name == "a"


@pytest.mark.parametrize("outcome", [NO_MEMORY, -99, -(2**70), 2**70])
def test_any_answer_of_a_faulty_allocator_can_be_written(outcome: int) -> None:
    """An answer that no trace has words for is left out, and the trace can still be read."""
    trace = trace_of(SMALL, [(Op(Verb.ALLOC, 0), outcome)], BROKEN)

    assert parse(text_of(trace)) == trace
    assert trace.requests[0].answer == (outcome if outcome == NO_MEMORY else None)


def test_the_complaint_and_its_cause_are_one_comment() -> None:
    """A comment of several lines would end the trace's head early."""
    broken = LawBroken("OUT-fault", "no\nanswer")
    broken.__cause__ = KeyError("line\nbreak")

    assert trace_of(SMALL, [], broken).comments == (
        r"OUT-fault: no answer (KeyError('line\nbreak'))",
    )
