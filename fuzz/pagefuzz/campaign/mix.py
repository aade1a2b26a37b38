"""The mix of one walk: how often each kind of request is drawn, and what the walk remembers."""

from dataclasses import dataclass, field
from random import Random

from pagefuzz.campaign.floor import SERVES
from pagefuzz.machines.pageblocks import heads_of_ranges
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import REQUESTED
from pagespec.types import Block, Pfn
from pagespec.verbs import Op, Outcome, Verb

ANYWHERE = frozenset({Verb.SPLIT, Verb.POISON, Verb.HEAL})
"""The verbs beside those on blocks that need neither pageblocks nor lists nor marks."""

OF_LISTS = frozenset(
    {Verb.DRAIN, Verb.DRAIN_ALL, Verb.DISABLE, Verb.ENABLE, Verb.AGE, Verb.EXPIRE, Verb.BULK}
)
"""The verbs that need CPUs with lists."""

OF_CELLS = frozenset({Verb.REFRESH})
"""The verbs that need CPUs which keep parts of counts."""

OF_CPUS = frozenset({Verb.UNPLUG, Verb.PLUG})
"""The verbs that need more than one such CPU."""

OFTEN = {Verb.BULK: 4, Verb.REFRESH: 3}
"""Verbs that are drawn so many times as often as others: to fill an array is to allocate, and what
happens at the third refresh in a row wants many."""

STEADY, CROWDED = (0.2, 0.4, 0.6, 0.9), (0.5, 0.7, 0.95)
"""The chances to allocate among which phases choose; a crowded zone is full of fragments."""


@dataclass(slots=True)
class Mix:
    """How often each kind of request is drawn in one walk, and what the walk remembers.

    orders: weight per order. types: weight per type that a request may have, redrawn each phase;
    none for an allocator that knows no types. compound, references, illegal: chances of one
    request; atomic, nofragment, emergency: of an allocation. cpus: weight per CPU that keeps lists;
    irq, contended, cold: chances of a request that may go through them. filling: the chance that a
    request allocates, redrawn out of `fillings` each phase of `phase` requests. rest: the chance of
    the verbs that speak of pageblocks, places of frames, CPUs and marks, and verbs: their weights.
    strange: those that an allocator may be asked for in vain.

    heads: the first frames of the smallest ranges that can be isolated, of range_pages frames each.
    stale: blocks that were freed, for requests that come too late. unplugged: the CPUs that are
    not running. disabled: whether the lists keep nothing.
    """

    orders: list[int]
    types: list[int]
    compound: float
    references: float
    illegal: float
    atomic: float
    nofragment: float
    emergency: float
    cpus: list[int]
    irq: float
    contended: float
    cold: float
    fillings: tuple[float, ...]
    phase: int
    rest: float
    verbs: dict[Verb, int]
    strange: list[Verb]
    range_pages: int
    heads: list[Pfn]
    stale: list[Block] = field(default_factory=list)
    unplugged: set[int] = field(default_factory=set)
    disabled: bool = False
    filling: float = 0.7
    drawn: int = 0


def random_types(rng: Random) -> list[int]:
    """How often each type is asked for, some of them never."""
    return [rng.choice((0, 1, 2, 4)) for _ in REQUESTED]


def random_mix(rng: Random, machine: Machine, offered: frozenset[Verb]) -> Mix:
    """A mix for one walk, some of whose kinds are switched off, as far as they are offered."""
    top = machine.top
    shapes = (
        [1 << (top - order) for order in range(top + 1)],
        [1] * (top + 1),
        [1] + [0] * top,
        [4, 2, 1, 1][: top + 1] + [0] * (top - 3),
    )
    references = Verb.GET in offered
    grouped, marked = machine.pageblock is not None, machine.min_free is not None
    listed = machine.cpus > 0
    verbs = {
        verb: rng.choice((0, 1, 2, 4)) * OFTEN.get(verb, 1)
        for verb, serves in SERVES.items()
        if verb in offered and serves(machine.era) and suits(machine, verb)
    }
    return Mix(
        orders=rng.choice(shapes),
        types=random_types(rng) if verbs else [],
        compound=rng.choice((0.0, 0.3, 1.0)) if references else 0.0,
        references=rng.choice((0.0, 0.15, 0.4)) if references else 0.0,
        illegal=rng.choice((0.0, 0.1, 0.2)),
        atomic=rng.choice((0.0, 0.2, 0.7)) if grouped or marked else 0.0,
        nofragment=rng.choice((0.0, 0.2, 0.7)) if grouped else 0.0,
        emergency=rng.choice((0.0, 0.1, 0.5)) if marked else 0.0,
        cpus=[rng.choice((0, 1, 4)) for _ in range(machine.cpus)],
        irq=rng.choice((0.0, 0.1, 0.5)) if listed else 0.0,
        contended=rng.choice((0.0, 0.1, 0.5)) if listed else 0.0,
        cold=rng.choice((0.0, 0.1, 0.5)) if listed else 0.0,
        fillings=rng.choice((STEADY, CROWDED)),
        phase=rng.choice((8, 32, 2 * machine.pages)),
        rest=rng.choice((0.0, 0.1, 0.3)) if any(verbs.values()) else 0.0,
        verbs=verbs,
        strange=[verb for verb in SERVES if verb in offered],
        range_pages=SIZES[machine.isolation_order],
        heads=heads_of_ranges(machine),
    )


def suits(machine: Machine, verb: Verb) -> bool:
    """Whether the machine has what a verb beside those on blocks speaks about."""
    if verb in OF_LISTS:
        return machine.cpus > 0
    if verb in OF_CELLS:
        return machine.cells
    if verb in OF_CPUS:
        return machine.cpus > 1
    if verb is Verb.REST:
        return machine.min_free is not None
    return machine.pageblock is not None or verb in ANYWHERE


def remember(mix: Mix, op: Op, outcome: Outcome) -> None:
    """Keep what the walk knows of the CPUs in step with a request and its outcome."""
    if outcome != 0:
        return
    if op.verb is Verb.UNPLUG:
        mix.unplugged.add(op.cpu)
    elif op.verb is Verb.PLUG:
        mix.unplugged.discard(op.cpu)
    elif op.verb in (Verb.DISABLE, Verb.ENABLE):
        mix.disabled = op.verb is Verb.DISABLE
