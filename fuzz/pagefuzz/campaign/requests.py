"""The next request of a walk: mostly legal, now and then not.

What is legal is drawn from what the caller knows, never from what the allocator shows.
"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple, TypeAlias

from pagefuzz.campaign.mix import OF_CELLS, OF_CPUS, OF_LISTS, Mix, random_types
from pagefuzz.undoing import OutOfUse
from pagespec.frames import SIZES
from pagespec.laws.holdings import Holdings
from pagespec.machine import MAX_SLOTS
from pagespec.migratetype import CMA, MOVABLE, REQUESTED, UNMOVABLE, MigrateType
from pagespec.types import Block, Order, Pfn
from pagespec.verbs import Op, Verb


class Known(NamedTuple):
    """What a caller knows: the blocks that it holds, and what it has taken out of use."""

    book: Holdings
    out: OutOfUse


Draw: TypeAlias = Callable[[Random, Known, Mix], Op | None]
"""Draws a request of one verb, or None where there is nothing that it could be about."""


def random_op(rng: Random, known: Known, mix: Mix) -> Op:
    """The next request of a walk."""
    if mix.drawn % mix.phase == 0:
        mix.filling = rng.choice(mix.fillings)
        if any(mix.types):
            # A type runs out of memory while others have some where the demand for types shifts.
            mix.types = random_types(rng)
    mix.drawn += 1
    dice = rng.random()
    book = known.book
    if dice < mix.illegal:
        return illegal_op(rng, known, mix)
    if mix.rest and rng.random() < mix.rest:
        verb = rng.choices(list(mix.verbs), list(mix.verbs.values()))[0]
        op = DRAW[verb](rng, known, mix)
        if op is not None:
            return op
    if not book.held or rng.random() < mix.filling:
        return _alloc(rng, mix)
    pfn = rng.choice(_worth_freeing(rng, book))
    if dice < mix.illegal + mix.references:
        verb = rng.choice((Verb.GET, Verb.GET, Verb.PUT))
        return Op(verb, 0, pfn) if verb is Verb.GET else _where(rng, mix, Op(verb, 0, pfn))
    mix.stale.append(Block(pfn, book.held[pfn].order))
    return _where(rng, mix, Op(Verb.FREE, book.held[pfn].order, pfn))


def _worth_freeing(rng: Random, book: Holdings) -> list[Pfn]:
    """Blocks to choose from: all, or those alone whose tail is freed while their head is kept."""
    referenced = [pfn for pfn, held in book.held.items() if held.refs > 1 and held.order > 0]
    return referenced if referenced and rng.random() < 0.3 else list(book.held)


def _alloc(rng: Random, mix: Mix) -> Op:
    order = rng.choices(range(len(mix.orders)), mix.orders)[0]
    op = Op(
        Verb.ALLOC,
        order,
        compound=rng.random() < mix.compound,
        mt=_type(rng, mix),
        atomic=mix.atomic > 0 and rng.random() < mix.atomic,
        nofragment=mix.nofragment > 0 and rng.random() < mix.nofragment,
        emergency=mix.emergency > 0 and rng.random() < mix.emergency,
    )
    return _where(rng, mix, op)


def _where(rng: Random, mix: Mix, op: Op) -> Op:
    """The request with the CPU that it comes from and how; without lists none of it matters."""
    if not mix.cpus:
        return op
    return op._replace(
        cpu=_cpu(rng, mix),
        irq=rng.random() < mix.irq,
        contended=rng.random() < mix.contended,
        cold=op.verb is not Verb.BULK and rng.random() < mix.cold,
    )


def _cpu(rng: Random, mix: Mix) -> int:
    """A CPU that is running; any, if an allocator has let all of them go."""
    every = range(len(mix.cpus))
    running = [cpu for cpu in every if cpu not in mix.unplugged] or every
    weights = [mix.cpus[cpu] for cpu in running]
    return rng.choices(running, weights if any(weights) else None)[0]


def _type(rng: Random, mix: Mix) -> MigrateType:
    """The type of a request; of an allocator that knows none, the only one."""
    return rng.choices(REQUESTED, mix.types)[0] if any(mix.types) else UNMOVABLE


def _split(rng: Random, known: Known, mix: Mix) -> Op | None:
    held = known.book.held
    if not held:
        return None
    pfn = rng.choice(list(held))
    return Op(Verb.SPLIT, held[pfn].order, pfn)


def _unreserve(rng: Random, known: Known, mix: Mix) -> Op:
    return Op(Verb.UNRESERVE, mt=_type(rng, mix), force=rng.random() < 0.5)


def _whole(known: Known, mix: Mix) -> list[Pfn]:
    """The ranges that are neither isolated nor offline."""
    out = known.out
    return [head for head in mix.heads if head not in out.isolated and head not in out.offline]


def _isolate(rng: Random, known: Known, mix: Mix) -> Op | None:
    return _of_range(rng, mix, Verb.ISOLATE, _whole(known, mix))


def _restore(rng: Random, known: Known, mix: Mix) -> Op | None:
    op = _of_range(rng, mix, Verb.RESTORE, _isolated(known, mix))
    return op and op._replace(mt=_given(rng, known))


def _isolated(known: Known, mix: Mix) -> list[Pfn]:
    return [head for head in mix.heads if head in known.out.isolated]


def _offline(rng: Random, known: Known, mix: Mix) -> Op | None:
    return _of_range(rng, mix, Verb.OFFLINE, _isolated(known, mix))


def _online(rng: Random, known: Known, mix: Mix) -> Op | None:
    heads = [head for head in mix.heads if head in known.out.offline]
    return _of_range(rng, mix, Verb.ONLINE, heads)


def _of_range(rng: Random, mix: Mix, verb: Verb, heads: list[Pfn]) -> Op | None:
    """A request about a range, or a few side by side, of those that begin at the heads."""
    if not heads:
        return None
    pfn = rng.choice(heads)
    pages = mix.range_pages
    while pfn + pages in heads and rng.random() < 0.4:
        pages += mix.range_pages
    return Op(verb, pfn=pfn, pages=pages)


def _given(rng: Random, known: Known) -> MigrateType:
    """The type that a range gets in the end."""
    return CMA if CMA in known.book.machine.era.types and rng.random() < 0.3 else MOVABLE


def _contig(rng: Random, known: Known, mix: Mix) -> Op | None:
    """Some frames of a range that is not isolated: often few, since all must be free."""
    op = _of_range(rng, mix, Verb.CONTIG, _whole(known, mix))
    if op is None:
        return None
    skipped = rng.choice((0, rng.randrange(op.pages)))
    most = op.pages - skipped
    pages = rng.choice((1, most, rng.randint(1, most)))
    return op._replace(pfn=op.pfn + skipped, pages=pages, mt=_given(rng, known))


def _poison(rng: Random, known: Known, mix: Mix) -> Op:
    machine = known.book.machine
    return Op(Verb.POISON, pfn=rng.randrange(machine.start, machine.end))


def _heal(rng: Random, known: Known, mix: Mix) -> Op | None:
    poisoned = sorted(known.out.poisoned)
    return Op(Verb.HEAL, pfn=rng.choice(poisoned)) if poisoned else None


def _of_cpu(verb: Verb) -> Draw:
    return lambda rng, known, mix: Op(verb, cpu=_cpu(rng, mix))


def _of_all(verb: Verb) -> Draw:
    return lambda rng, known, mix: Op(verb)


def _disable(rng: Random, known: Known, mix: Mix) -> Op | None:
    return None if mix.disabled else Op(Verb.DISABLE)


def _enable(rng: Random, known: Known, mix: Mix) -> Op | None:
    return Op(Verb.ENABLE) if mix.disabled else None


def _plug(rng: Random, known: Known, mix: Mix) -> Op | None:
    return Op(Verb.PLUG, cpu=rng.choice(sorted(mix.unplugged))) if mix.unplugged else None


def _bulk(rng: Random, known: Known, mix: Mix) -> Op:
    """Some slots, mostly more than those that are filled by now."""
    atomic = mix.atomic > 0 and rng.random() < mix.atomic
    nofragment = mix.nofragment > 0 and rng.random() < mix.nofragment
    op = Op(Verb.BULK, mt=_type(rng, mix), atomic=atomic, nofragment=nofragment)
    return _where(rng, mix, op._replace(pages=rng.choice((1, 2, 3, 4, 6, 9, 16))))


DRAW: dict[Verb, Draw] = {
    Verb.SPLIT: _split,
    Verb.UNRESERVE: _unreserve,
    Verb.ISOLATE: _isolate,
    Verb.RESTORE: _restore,
    Verb.CONTIG: _contig,
    Verb.POISON: _poison,
    Verb.HEAL: _heal,
    Verb.OFFLINE: _offline,
    Verb.ONLINE: _online,
    Verb.DRAIN: _of_cpu(Verb.DRAIN),
    Verb.DRAIN_ALL: _of_all(Verb.DRAIN_ALL),
    Verb.DISABLE: _disable,
    Verb.ENABLE: _enable,
    Verb.AGE: _of_cpu(Verb.AGE),
    Verb.EXPIRE: _of_cpu(Verb.EXPIRE),
    Verb.REFRESH: _of_cpu(Verb.REFRESH),
    Verb.UNPLUG: _of_cpu(Verb.UNPLUG),
    Verb.PLUG: _plug,
    Verb.REST: _of_all(Verb.REST),
    Verb.BULK: _bulk,
}
"""How a request of each verb is drawn, so that it is probably legal."""


def illegal_op(rng: Random, known: Known, mix: Mix) -> Op:
    """A request that is probably illegal: about a stranger, or about a block we know too well."""
    book = known.book
    machine = book.machine
    if mix.strange and rng.random() < 0.5:
        return _illegal_rest(rng, known, mix)
    kind = rng.randrange(6)
    order: Order = rng.randint(0, machine.top)
    pfn: Pfn = rng.randint(max(0, machine.start - 2), machine.end + 2)
    if kind == 0 and mix.stale:
        pfn, order = rng.choice(mix.stale)
    elif kind in (1, 2) and book.held:
        pfn = rng.choice(list(book.held))
        order = book.held[pfn].order
        if kind == 1:
            pfn += rng.randrange(SIZES[order])
            order = rng.choice((0, max(0, order - 1)))
        else:
            order += rng.choice((1, -1))
    elif kind == 3:
        return Op(Verb.ALLOC, machine.top + rng.choice((1, 2, 40)))
    elif kind == 4 and machine.holes:
        pfn, order = rng.randrange(*rng.choice(machine.holes)), 0
    order = max(order, 0)
    references = mix.references > 0 and rng.random() < 0.3
    return Op(rng.choice((Verb.GET, Verb.PUT)), 0, pfn) if references else Op(Verb.FREE, order, pfn)


def _illegal_rest(rng: Random, known: Known, mix: Mix) -> Op:
    """A request about pageblocks, places or CPUs, or of a type, that is probably illegal.

    Half of the ranges could be ranges, in a state that is anything but what the verb expects.
    """
    book = known.book
    machine = book.machine
    verb = rng.choice((Verb.ALLOC, Verb.FREE, *mix.strange))
    cpu = rng.choice((*mix.unplugged, *range(machine.cpus + 2)))
    if verb in OF_LISTS | OF_CELLS | OF_CPUS or verb is Verb.REST:
        pages = rng.choice((0, 1, 4, MAX_SLOTS + 1)) if verb is Verb.BULK else 0
        return Op(verb, mt=rng.choice(tuple(MigrateType)), pages=pages, cpu=cpu)
    order: Order = rng.randint(0, machine.top)
    pfn: Pfn = rng.randint(max(0, machine.start - 2), machine.end + 2)
    if verb is Verb.ALLOC:
        return Op(verb, order, mt=rng.choice(tuple(MigrateType)), cpu=cpu)
    if verb is Verb.FREE:
        pfn = rng.choice(list(book.held) or [pfn])
        return Op(verb, book.held[pfn].order if pfn in book.held else order, pfn, cpu=cpu)
    if verb is Verb.SPLIT:
        return Op(verb, order, rng.choice(list(book.held) or [pfn]))
    if verb in (Verb.POISON, Verb.HEAL):
        return Op(verb, pfn=rng.choice((pfn, *book.held)))
    size = mix.range_pages
    if mix.heads and rng.random() < 0.5:
        return Op(verb, pfn=rng.choice(mix.heads), mt=MOVABLE, pages=size)
    pages = rng.choice((0, 1, size, 2 * size))
    return Op(verb, pfn=pfn // size * size, mt=rng.choice(tuple(MigrateType)), pages=pages)
