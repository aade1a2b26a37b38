"""Random requests of compaction, in mixes that vary by walk.

Runs have work only where held and free frames are mixed, and free ones lie above. So mixes come in
phases: a zone is filled, thinned out, and compacted; and single requests come in between.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple, TypeAlias

from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import MODES, CompactionOp, CompactionVerb, Mode
from pagespec.migratetype import MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.types import Order, Pfn

FILLED, THINNED = 64, 32
"""The most requests of a phase that fills a zone, or thins it out."""

ROOMY = 24
"""Frames of a zone in which a block that must not be moved leaves room for others."""

NUMBERS = (0, 1, 2, 3, 5, 11, 16, 63, 64, 127)
"""Numbers that may stand where others look for an order."""


class Mix(NamedTuple):
    """What a walk prefers.

    movable, on_lru: how many blocks are; large: how many are of more than one frame. pinned: how
    many of those that must not be moved any more are pinned; the others are stray. wrong: how many
    requests should be refused.
    wants: the orders that are compacted for. mode: of callers that may say so, mostly.
    """

    movable: float
    on_lru: float
    large: float
    pinned: float
    wrong: float
    wants: tuple[Order, ...]
    mode: Mode


def random_mix(rng: Random, machine: CompactionMachine) -> Mix:
    """The preferences of one walk."""
    top = machine.zone.top
    return Mix(
        movable=rng.choice((0.7, 0.95, 1.0)),
        on_lru=rng.choice((0.5, 1.0, 1.0)),
        large=rng.choice((0.0, 0.1, 0.4)),
        pinned=rng.choice((0.3, 0.7)),
        wrong=rng.choice((0.0, 0.1, 0.1)),
        wants=tuple(rng.randint(1, top) for _ in range(2)),
        mode=rng.choice(MODES) if machine.design.waits_apart else "sync",
    )


Known: TypeAlias = Compaction
Draw: TypeAlias = Callable[[Random, Known, Mix], CompactionOp]


def _cpu(rng: Random, known: Known) -> int:
    return rng.randrange(known.zone.machine.cpus or 1)


def _alloc(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    order = rng.randint(1, known.zone.machine.top) if rng.random() < mix.large else 0
    return CompactionOp(
        CompactionVerb.ALLOC,
        _cpu(rng, known),
        order=order,
        mt=_type(rng, mix),
        lru=rng.random() < mix.on_lru,
    )


def _type(rng: Random, mix: Mix) -> MigrateType:
    return MOVABLE if rng.random() < mix.movable else rng.choice((UNMOVABLE, RECLAIMABLE))


def _held(rng: Random, known: Known) -> Pfn | None:
    """A held block, if there is one; not sorted, since that would cost more than it is worth."""
    held = list(known.zone.held)
    return rng.choice(held) if held else None


def _free(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    pfn = _held(rng, known)
    if pfn is None:
        return _alloc(rng, known, mix)
    held = known.zone.held[pfn]
    cpu, irq = _cpu(rng, known), rng.random() < 0.1
    return CompactionOp(CompactionVerb.FREE, cpu, held.order, pfn, irq=irq)


def _about(verb: CompactionVerb) -> Draw:
    def draw(rng: Random, known: Known, mix: Mix) -> CompactionOp:
        held = known.zone.held
        if verb is CompactionVerb.UNPIN:
            pinned = [pfn for pfn, holding in held.items() if holding.refs > 1]
            pfn = rng.choice(pinned) if pinned else None
        else:
            pfn = _held(rng, known)
        if pfn is None:
            return _alloc(rng, known, mix)
        number = rng.choice(NUMBERS) if verb is CompactionVerb.STRAY else 0
        return CompactionOp(verb, _cpu(rng, known), order=number, pfn=pfn)

    return draw


def _mode(rng: Random, known: Known, mix: Mix) -> Mode:
    if not known.machine.design.waits_apart:
        return "sync"
    return mix.mode if rng.random() < 0.7 else rng.choice(MODES)


def _compact(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    return CompactionOp(
        CompactionVerb.COMPACT,
        _cpu(rng, known),
        order=rng.choice(mix.wants),
        mt=_type(rng, mix),
        mode=_mode(rng, known, mix),
        killed=rng.random() < 0.15,
        whole=rng.random() < 0.4,
    )


def _direct(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    return CompactionOp(
        CompactionVerb.DIRECT,
        _cpu(rng, known),
        order=rng.choice((*mix.wants, known.zone.machine.pageblock or 1, known.zone.machine.top)),
        mt=rng.choice((_type(rng, mix), UNMOVABLE)),
        lru=rng.random() < mix.on_lru,
        mode=_mode(rng, known, mix),
        killed=rng.random() < 0.15,
        whole=rng.random() < 0.3,
    )


def _background(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    if not known.machine.design.background:
        return _compact(rng, known, mix)
    return CompactionOp(CompactionVerb.BACKGROUND, _cpu(rng, known), order=rng.choice(mix.wants))


def _claim(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    zone, machine = known.zone, known.zone.machine
    if not known.machine.design.remembers:
        return _compact(rng, known, mix)
    if zone.tag and rng.random() < 0.7:
        pfn = rng.choice(list(zone.tag)) + rng.choice((0, 0, 1))
    else:
        pfn = rng.randrange(machine.start, machine.end)
    pages = min(rng.choice((1, 1, 2, 3, 4, 9)), max(1, machine.end - pfn))
    return CompactionOp(CompactionVerb.CLAIM, _cpu(rng, known), pfn=pfn, pages=pages)


def _drain_all(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    return CompactionOp(CompactionVerb.DRAIN_ALL, _cpu(rng, known))


def _rest(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    if not known.machine.design.remembers:
        return _drain_all(rng, known, mix)
    return CompactionOp(CompactionVerb.REST)


def wrong(rng: Random, known: Known, mix: Mix) -> CompactionOp:
    """A request that mostly must be refused: for what the era lacks, or with one word wrong."""
    machine = known.zone.machine
    op = rng.choice(DRAWS)(rng, known, mix)
    changed: list[CompactionOp] = [
        op._replace(cpu=machine.cpus or 1),
        op._replace(order=machine.top + 1),
        op._replace(pfn=rng.choice((machine.end, machine.start - 1, op.pfn + 1, 2**40))),
        op._replace(pfn=rng.randrange(machine.start, machine.end), order=0),
        op._replace(mode="async"),
        CompactionOp(CompactionVerb.BACKGROUND, order=1),
        CompactionOp(CompactionVerb.REST),
        CompactionOp(CompactionVerb.CLAIM, pfn=machine.start, pages=rng.choice((0, 2))),
        CompactionOp(CompactionVerb.COMPACT, order=0),
        op._replace(mt=MigrateType.HIGHATOMIC),
    ]
    return rng.choice(changed)


SINGLE: tuple[tuple[Draw, int], ...] = (
    (_alloc, 6),
    (_free, 6),
    (_about(CompactionVerb.PIN), 1),
    (_about(CompactionVerb.UNPIN), 2),
    (_about(CompactionVerb.STRAY), 1),
    (_claim, 2),
    (_drain_all, 1),
    (_rest, 1),
)
"""Requests that come one by one, and how often each does."""

RUNS: tuple[Draw, ...] = (
    *(_compact, _compact, _compact, _direct, _direct, _direct),
    *(_background, _claim, _rest),
)
"""Requests that compact, and what makes later ones begin anew."""

DRAWS: tuple[Draw, ...] = (*RUNS, *(draw for draw, times in SINGLE for _ in range(times)))


def random_requests(rng: Random, known: Known, mix: Mix) -> Iterator[CompactionOp]:
    """Requests without end, each drawn from the state as it is when it is asked for."""
    while True:
        yield from _cycle(rng, known, mix)


def _cycle(rng: Random, known: Known, mix: Mix) -> Iterator[CompactionOp]:
    """Fill the zone, in part or until nothing is left, thin it out, and compact it a few times."""
    yield from _fill(rng, known, mix)
    if known.zone.levels is not None and known.zone.held:
        # Hardly anything is left, so that marks keep it from being isolated.
        highest = max(known.zone.held)
        yield CompactionOp(CompactionVerb.FREE, order=known.zone.held[highest].order, pfn=highest)
        yield _compact(rng, known, mix)._replace(whole=True, killed=False)
    large = known.zone.machine.pages >= ROOMY
    for _ in range(rng.randint(1, 3) if large else rng.randint(0, 1)):
        about = CompactionVerb.PIN if rng.random() < mix.pinned else CompactionVerb.STRAY
        yield _about(about)(rng, known, mix)
    for pfn in _thinned(rng, known):
        held = known.zone.held.get(pfn)
        if held is not None:
            yield CompactionOp(CompactionVerb.FREE, _cpu(rng, known), held.order, pfn)
    if rng.random() < 0.7:
        yield _drain_all(rng, known, mix)
        # While nothing of the order is free: so that it is compacted for, and may be captured.
        pageblock = known.zone.machine.pageblock or 1
        yield _direct(rng, known, mix)._replace(order=pageblock, mode="sync", killed=False)
    for _ in range(rng.randint(4, 10)):
        yield rng.choice(RUNS)(rng, known, mix)
        if known.flush and rng.random() < 0.3:
            yield _rest(rng, known, mix)
        draws, weights = zip(*SINGLE, strict=True)
        if rng.random() < 0.4:
            yield rng.choices(draws, weights)[0](rng, known, mix)
        if rng.random() < mix.wrong:
            yield wrong(rng, known, mix)


def _fill(rng: Random, known: Known, mix: Mix) -> Iterator[CompactionOp]:
    """Take blocks until few are left, or until three requests in a row got none."""
    left = rng.choice((0, 0, 0, known.zone.machine.pages // 4))
    vain = 0
    for _ in range(FILLED):
        held = len(known.zone.held)
        if known.zone.free_pages <= left or vain == 3:
            break
        yield _alloc(rng, known, mix)
        vain = vain + 1 if len(known.zone.held) == held else 0


def _thinned(rng: Random, known: Known) -> list[Pfn]:
    """Blocks to give back: mostly every second or third, so that no two that are free are buddies;
    else any, few or many."""
    held = sorted(known.zone.held)
    if rng.random() < 0.6:
        every = rng.choice((2, 2, 3, 4))
        return held[rng.randrange(every) :: every][:THINNED]
    share = rng.choice((0.05, 0.3, 0.6))
    return rng.sample(held, min(THINNED, int(share * len(held))))
