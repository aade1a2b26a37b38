"""Every exact state that a zone can reach, with no bound on the number of operations.

Each request of a vocabulary is tried in each state, from boot on, until nothing new turns up; in
between, laws are judged. So what holds here holds after any sequence of such requests, however
long, on a zone this small. No held block has a second reference.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias
from zlib import crc32

from pagefuzz.prove.heldtypes import other_types
from pagefuzz.prove.judging import (
    Judge,
    Shape,
    Step,
    judge_of,
    judge_order,
    judge_state,
    judge_step,
)
from pagefuzz.prove.renaming import canonical_of, renaming_of
from pagefuzz.prove.states import State, check_small, frozen, learns, thawed
from pagefuzz.prove.vocabulary import Asked, Vocabulary, requests_in, vocabulary_of
from pagespec.boot import boot
from pagespec.events import Event, Kind
from pagespec.laws.law import LawBroken
from pagespec.laws.swept import Swept, swept
from pagespec.laws.wording import wording
from pagespec.machine import Machine
from pagespec.migratetype import LETTER_OF
from pagespec.ops import perform
from pagespec.stamps import Stamps, stamps_of
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, copy_of

Beside: TypeAlias = Callable[[Zone, Op, Outcome, Zone], None]
"""Another allocator's part: serve the request in the state before, raise LawBroken if it differs.
"""


class Counts(NamedTuple):
    """What an exhaustion found: states, and what happened on the steps between them.

    heads, tails: blocks that entered their list at the head and at the tail. checksum: of boot's
    state and of every step, so that any other allocator has another one; it is that of the states
    that were visited, so it is another one without renaming. served: blocks from CPUs' lists.
    drained: blocks that went back from there. barred: requests that might not use them. below:
    questions whether a zone keeps above a mark that were answered by no.
    """

    states: int
    steps: int
    failures: int
    splits: int
    merges: int
    heads: int
    tails: int
    checksum: int
    served: int = 0
    refills: int = 0
    drained: int = 0
    barred: int = 0
    below: int = 0


PLAIN_COUNTS = Counts._fields[: Counts._fields.index("served")]
"""The counts that every zone has; the others are of CPUs' lists and of marks."""


def named(counts: Counts) -> dict[str, int]:
    """The counts by name; those of CPUs' lists and marks only where they are not 0."""
    return {name: n for name, n in counts._asdict().items() if n or name in PLAIN_COUNTS}


KINDS = (Kind.FAIL, Kind.SPLIT, Kind.MERGE, Kind.HEAD, Kind.TAIL)
"""The events that are counted from failures to tails."""

LIST_KINDS = (Kind.FROM_LIST, Kind.REFILL, Kind.PCPU_DRAIN, Kind.BARRED, Kind.BELOW_MARK)
"""The events that are counted from served to below."""


def exhaust(
    machine: Machine,
    vocabulary: Vocabulary | None = None,
    *,
    renaming: bool = True,
    beside: Beside | None = None,
) -> Counts:
    """The counts over all reachable states and all steps between them.

    vocabulary: what is requested; alloc of every order and free if it is not given. renaming:
    whether one state stands for all that exchange whole TOP-order blocks, where there are no
    pageblocks; what is counted is all of them either way, but for zones with lists or marks.

    Raises LawBroken, which names the step, for the first law that a state or a step breaks.
    """
    check_small(machine)
    if vocabulary is None:
        vocabulary = vocabulary_of(machine, Asked(tuple(range(machine.top + 1))), ("alloc",))
    exchange = renaming_of(machine)
    renaming = renaming and machine.pageblock is None and len(exchange.heads) > 1
    zone = boot(machine)
    judge = judge_of(machine, zone)
    booted = frozen(zone)
    todo = [canonical_of(exchange, booted) if renaming else (booted, 1)]
    seen = {todo[0][0]}
    counts = Counts(0, 0, 0, 0, 0, 0, 0, crc32(booted))
    while todo:
        state, size = todo.pop()
        # With lists or marks a class may have states that are not reached: it counts as one.
        size = 1 if learns(machine) else size
        before = thawed(machine, state)
        shape = judge_state(judge, before, state)
        at = Standing(judge, state, swept(before), shape, stamps_of(before), beside)
        log: list[Event] = []
        steps = sums = 0
        for op in requests_in(vocabulary, before):
            for outcome, zone, reached in served(at, op):
                after = canonical_of(exchange, reached) if renaming else (reached, 1)
                if after[0] not in seen:
                    seen.add(after[0])
                    todo.append(after)
                log += zone.log
                steps += 1
                sums += checksum_of(zone, state, op, outcome, after[0])
        kinds = [event.kind for event in log]
        counted = [[size * kinds.count(kind) for kind in of] for of in (KINDS, LIST_KINDS)]
        found = (size, size * steps, *counted[0], sums, *counted[1])
        counts = Counts(*map(int.__add__, counts, found))
    return counts._replace(checksum=counts.checksum % 2**32)


class Standing(NamedTuple):
    """A state from which requests are tried, and what is known of it."""

    judge: Judge
    state: State
    before: Swept
    shape: Shape
    stamps: Stamps
    beside: Beside | None


class Reached(NamedTuple):
    """What came of a request."""

    outcome: Outcome
    zone: Zone
    state: State


def served(at: Standing, op: Op) -> Iterator[Reached]:
    """What comes of a request, for all types that matter of what is held."""
    first = judged(at, op)
    yield first
    for before in other_types(at.before.zone, first.zone.log):
        shape = judge_state(at.judge, before, at.state)
        yield judged(at._replace(before=swept(before), shape=shape, stamps=stamps_of(before)), op)


def judged(at: Standing, op: Op) -> Reached:
    """What comes of a request. Raises LawBroken with the step at which it showed."""
    judge, before, zone = at.judge, at.before.zone, copy_of(at.before.zone)
    try:
        outcome = perform(zone, op)
        state = frozen(zone)
        becomes = judge_state(judge, zone, state)
        counted = zone.pgalloc, zone.pgfree
        step = Step(at.shape, op, outcome, zone.visited, counted, becomes)
        judge_step(judge, step, at.before, zone)
        judge_order(at.stamps, op, outcome, zone, state)
        if at.beside is not None:
            at.beside(before, op, outcome, zone)
    except LawBroken as broken:
        raise located(broken, before, op) from broken
    except (LookupError, ValueError) as fault:
        raise located(LawBroken("OUT-fault", repr(fault)), before, op) from fault
    return Reached(outcome, zone, state)


VERBS = tuple(Verb)


def checksum_of(zone: Zone, state: State, op: Op, outcome: Outcome, after: State) -> int:
    """A number for one step; the numbers of all steps are added, in whatever order they come.

    zone: as it stands after the step, which began with nothing counted.
    """
    machine = zone.machine
    asked = bytes((op.verb is Verb.FREE, op.order, op.pfn, outcome % 256))
    if machine.pageblock is not None or learns(machine):
        flags = op.atomic | op.nofragment << 1 | op.force << 2 | op.emergency << 3
        flags |= op.irq << 4 | op.contended << 5 | op.cold << 6
        asked += bytes((VERBS.index(op.verb), op.mt, flags, op.pages))
    if learns(machine):
        asked += bytes((op.cpu, zone.pgalloc, zone.pgfree))
    return crc32(asked + state + asked + after)


def located(broken: LawBroken, before: Zone, op: Op) -> LawBroken:
    """The same breach with the step at which it showed."""
    machine = before.machine
    lists = [
        f"{LETTER_OF[mt]}{order} {list(blocks)}"
        for order, by_type in enumerate(before.free_area)
        for mt, blocks in by_type.items()
        if blocks
    ]
    held = [f"{pfn} {LETTER_OF[held.mt]}{held.order}" for pfn, held in before.held.items()]
    where = f"free lists {' '.join(lists) or 'empty'}, held {', '.join(held) or 'nothing'}"
    for cpu, pcps in enumerate(before.pcps):
        kept = [[list(blocks) for blocks in pcp.lists if blocks] for pcp in pcps]
        where += f", CPU {cpu} keeps {kept} with {[tuple(pcp.load) for pcp in pcps]}"
    if before.levels is not None:
        where += f", {before.levels}"
    if before.pageblocks:
        where += f", pageblocks {''.join(LETTER_OF[mt] for mt in before.pageblocks)}"
    return LawBroken(
        broken.law_id,
        f"{broken.complaint}; at {wording(op)} with {where} of machine pages={machine.pages} "
        f"top={machine.top} start={machine.start} era={machine.era.name}",
    )
