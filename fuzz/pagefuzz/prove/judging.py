"""The laws over very many states and steps, each judged once where the answer must be the same.

The laws of state and step speak about which blocks are free and held, and of which types; not
about the order of the free lists. So they are judged once for each *shape*: a state without that
order, but with the types of what is held, and with the order of what CPUs keep. Only BUD-place,
ORACLE-lists and SPEC-stamps ask for more; the stamps answer on every step.
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from pagefuzz.prove.implied import Implied, implied
from pagefuzz.prove.states import SEPARATOR, State, check_in_step, parts_behind_lists
from pagespec.events import Event
from pagespec.frames import SIZES
from pagespec.laws.exact import (
    EXACT_LAWS,
    KEPT_LAWS,
    ORACLE_LAWS,
    Foretold,
    Kept,
    Placed,
    pcps_of,
)
from pagespec.laws.holdings import REFUSALS
from pagespec.laws.law import LawBroken, Transition
from pagespec.laws.state import STATE_LAWS
from pagespec.laws.step import STEP_LAWS
from pagespec.laws.swept import Swept, swept
from pagespec.laws.whole import BOOT_LAWS, RETURN_LAWS
from pagespec.laws.wording import wording
from pagespec.machine import Machine
from pagespec.migratetype import ISOLATE, MOVABLE
from pagespec.pcp.state import Load
from pagespec.stamps import Stamps, boot_stamps, expected_lists, expected_pcps, foretell
from pagespec.stamps.state import mask_of
from pagespec.types import Block, Pfn
from pagespec.verbs import Op, Outcome
from pagespec.zone import Zone, lists_of

Shape: TypeAlias = int
"""The number of a set of free blocks, holdings and types."""


class Step(NamedTuple):
    """All but the log that a law of steps can see of one, states by their shapes.

    counted: the frames that were counted as allocated and as freed.
    """

    was: Shape
    op: Op
    outcome: Outcome
    visited: int
    counted: tuple[int, int]
    becomes: Shape


@dataclass(slots=True)
class Judge:
    """What has been judged already.

    repeats: what the lists of a state imply, by their bytes. shapes: the number of each shape.
    steps: the logs of each request between shapes. rest: the parts of a state behind its lists.
    """

    machine: Machine
    rest: int
    repeats: dict[bytes, Implied] = field(default_factory=dict)
    shapes: dict[bytes, Shape] = field(default_factory=dict)
    steps: dict[Step, list[list[Event]]] = field(default_factory=dict)


def judge_of(machine: Machine, booted: Zone) -> Judge:
    """A judge for one machine, who has looked at the zone after boot.

    Raises LawBroken, as all judging does.
    """
    BOOT_LAWS.check(machine.era, swept(booted))
    expected = expected_lists(boot_stamps(machine))
    EXACT_LAWS.check(machine.era, Placed("boot", 0, 0, lists_of(booted), expected))
    return Judge(machine, parts_behind_lists(machine))


def judge_state(judge: Judge, zone: Zone, state: State) -> Shape:
    """Judge a state, unless its shape has been judged; return the shape."""
    machine = judge.machine
    lists, *rest = state.rsplit(SEPARATOR, judge.rest)
    repeats = judge.repeats.get(lists)
    if repeats is None:
        repeats = judge.repeats[lists] = implied(machine, lists.split(SEPARATOR))
    check_in_step(zone, state, repeats)
    types = bytes(
        sorted(pfn - machine.start for pfn, held in zone.held.items() if held.mt is MOVABLE)
    )
    mark = SEPARATOR.join((repeats.marks, *rest, types))
    shape = judge.shapes.get(mark)
    if shape is None:
        sweep = swept(zone)
        STATE_LAWS.check(judge.machine.era, sweep)
        if is_whole(zone):
            RETURN_LAWS.check(judge.machine.era, sweep)
        shape = judge.shapes[mark] = len(judge.shapes)
    return shape


def is_whole(zone: Zone) -> bool:
    """Whether nothing is held and nothing is out of use, so that all memory is back."""
    return not (zone.held or zone.poisoned or zone.offline or ISOLATE in zone.pageblocks)


def judge_step(judge: Judge, step: Step, before: Swept, after: Zone) -> None:
    """Judge a step between two states, unless one like it, with the same log, has been judged."""
    logs = judge.steps.setdefault(step, [])
    # To compare logs is much faster than to hash them, and there is rarely more than one.
    if after.log not in logs:
        _, op, outcome, visited, _, _ = step
        transition = Transition(before, op, outcome, swept(after), visited, tuple(after.log))
        STEP_LAWS.check(judge.machine.era, transition)
        logs.append(after.log)


def judge_order(stamps: Stamps, op: Op, outcome: Outcome, after: Zone, state: State) -> None:
    """Judge the lists after a step, and what it returned, by the stamps of the state before."""
    due = outcome
    if outcome not in REFUSALS:
        stamps = fresh(stamps)
        due = foretell(stamps, op, after.log)
    era, pageblocks = stamps.machine.era, after.pageblocks
    if outcome != due or pageblocks != stamps.pageblocks:
        told = Foretold(wording(op), outcome, due, pageblocks, stamps.pageblocks)
        ORACLE_LAWS.check(era, told)
    if not state.startswith(expected_bytes(stamps)):
        placed = Placed(wording(op), outcome, due, lists_of(after), expected_lists(stamps))
        EXACT_LAWS.check(era, placed)
        listed = expected_pcps(stamps)
        kept = Kept(wording(op), pcps_of(after), listed, after.slots, stamps.slots)
        KEPT_LAWS.check(era, kept)
    if places_of(stamps) != places_in(after, stamps.origin):
        raise LawBroken(
            "SPEC-stamps",
            f"after {wording(op)} the spec has {places_in(after, stamps.origin)}, the stamps "
            f"{places_of(stamps)}",
        )


def expected_bytes(stamps: Stamps) -> bytes:
    """The lists that the stamps expect, those of CPUs included, as a state begins."""
    machine = stamps.machine
    types, origin = machine.types_listed, stamps.origin
    lists = [bytearray() for _ in range((machine.top + 1) * len(types))]
    place = {mt: at for at, mt in enumerate(types)}
    for block in sorted(stamps.stamp, key=stamps.stamp.__getitem__):
        lists[block.order * len(types) + place[stamps.listed[block]]].append(origin + block.pfn)
    kept = [bytes(blocks) for sets in expected_pcps(stamps) for of in sets for blocks in of]
    # The last one is for the separator at the end.
    return SEPARATOR.join((*lists, *kept, b""))


def fresh(stamps: Stamps) -> Stamps:
    """The same stamps, sharing nothing that changes."""
    return replace(
        stamps,
        pageblocks=stamps.pageblocks.copy(),
        stamp=stamps.stamp.copy(),
        listed=stamps.listed.copy(),
        guards=stamps.guards.copy(),
        kept=stamps.kept.copy(),
        loads=[loads.copy() for loads in stamps.loads],
        unplugged=stamps.unplugged.copy(),
        slots=stamps.slots.copy(),
    )


class Places(NamedTuple):
    """What stamps know besides lists and types, counted from their origin."""

    guards: set[Block]
    movable: int
    reserved: int
    offline: int
    loads: list[list[Load]]
    unplugged: set[int]
    disabled: bool
    slots: dict[Pfn, int]
    standing: tuple[int, bool, bool, bool] | None


def places_of(stamps: Stamps) -> Places:
    """What the stamps say about it."""
    return Places(
        stamps.guards,
        stamps.movable,
        stamps.reserved,
        stamps.offline,
        stamps.loads,
        stamps.unplugged,
        stamps.disabled,
        stamps.slots,
        None
        if stamps.marks is None
        else (stamps.boost, stamps.boosted, stamps.below_high, stamps.reclaiming),
    )


def places_in(zone: Zone, origin: Pfn) -> Places:
    """What the zone says about it."""
    movable = 0
    for pfn, held in zone.held.items():
        if held.mt is MOVABLE:
            movable |= mask_of(pfn - origin, held.order)
    guards = {Block(pfn - origin, order) for pfn, order in zone.guards.items()}
    offline = len(zone.offline) * SIZES[zone.machine.pageblock or 0]
    loads = [[pcp.load for pcp in pcps] for pcps in zone.pcps]
    levels = zone.levels
    return Places(
        guards,
        movable,
        zone.nr_reserved,
        offline,
        loads,
        zone.unplugged,
        zone.disabled,
        zone.slots,
        None
        if levels is None
        else (levels.boost, levels.boosted, levels.below_high, levels.reclaiming),
    )
