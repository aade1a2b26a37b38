"""Which requests an exhaustion tries in every state: named groups, so that a row can say which.

A request is left out where it cannot differ from another that is there: an urgent one where there
is neither reserve nor mark, one that spares pageblocks where the era pays no heed or the block is
that large, one from an interrupt where that keeps nobody off a CPU's lists.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from pagespec.era import Era
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, LETTER_OF, MOVABLE, UNMOVABLE, MigrateType
from pagespec.pcp.index import is_kept
from pagespec.pcp.lists import ANYWHERE, Where
from pagespec.types import Order
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone

SLOTS = 3
"""The slots of the array that bulk requests fill."""

TRIED = ("trylock-irqs-off", "trylock")
"""The guards that may be lost."""


class Asked(NamedTuple):
    """What requests for blocks ask for."""

    orders: tuple[Order, ...]
    types: tuple[MigrateType, ...] = (UNMOVABLE,)

    def __str__(self) -> str:
        orders = f"orders {self.orders[0]}..{self.orders[-1]}"
        return f"{''.join(LETTER_OF[mt] for mt in self.types)} {orders}"


Group = Callable[[Machine, Asked], Iterator[Op]]
"""The requests of one group that do not depend on the state."""


def _allocs(machine: Machine, asked: Asked) -> Iterator[Op]:
    for order, mt in product(*asked):
        yield Op(Verb.ALLOC, order, mt=mt)


def _atomic(machine: Machine, asked: Asked) -> Iterator[Op]:
    reserve = "none" if machine.pageblock is None else machine.era.reserve
    for order, mt in product(*asked):
        reserved = reserve == "one-percent" or (reserve != "none" and order > 0)
        if reserved or machine.min_free is not None:
            yield Op(Verb.ALLOC, order, mt=mt, atomic=True)


def _emergency(machine: Machine, asked: Asked) -> Iterator[Op]:
    for order, mt in product(*asked) if machine.min_free is not None else ():
        yield Op(Verb.ALLOC, order, mt=mt, emergency=True)


def _nofragment(machine: Machine, asked: Asked) -> Iterator[Op]:
    pageblock = machine.pageblock or 0
    for order, mt in product(*asked) if machine.era.nofragment else ():
        if order < pageblock:
            yield Op(Verb.ALLOC, order, mt=mt, nofragment=True)


def _unreserve(machine: Machine, asked: Asked) -> Iterator[Op]:
    for mt, force in product(asked.types, (False, True)):
        if machine.era.reserve != "none":
            yield Op(Verb.UNRESERVE, mt=mt, force=force)


def _ranges(machine: Machine, verb: Verb, mt: MigrateType = UNMOVABLE) -> Iterator[Op]:
    """One request for each range of whole blocks, as large as the era asks."""
    size = SIZES[machine.isolation_order]
    for pfn in range(machine.start, machine.end, size):
        for end in range(pfn + size, machine.end + 1, size):
            yield Op(verb, pfn=pfn, pages=end - pfn, mt=mt)


def _isolate(machine: Machine, asked: Asked) -> Iterator[Op]:
    yield from _ranges(machine, Verb.ISOLATE)


def _restore(machine: Machine, asked: Asked) -> Iterator[Op]:
    """To movable memory, and to CMA memory too where the machine has any."""
    for mt in (MOVABLE, CMA) if CMA in machine.types else (MOVABLE,):
        yield from _ranges(machine, Verb.RESTORE, mt)


def _contig(machine: Machine, asked: Asked) -> Iterator[Op]:
    """Every range."""
    for pfn in range(machine.start, machine.end) if machine.era.isolation != "move" else ():
        for end in range(pfn + 1, machine.end + 1):
            yield Op(Verb.CONTIG, pfn=pfn, pages=end - pfn, mt=MOVABLE)


def _poison(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.era.takes_poisoned:
        yield from (Op(Verb.POISON, pfn=pfn) for pfn in range(machine.start, machine.end))


def _heal(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.era.returns_poisoned:
        yield from (Op(Verb.HEAL, pfn=pfn) for pfn in range(machine.start, machine.end))


def _offline(machine: Machine, asked: Asked) -> Iterator[Op]:
    yield from _ranges(machine, Verb.OFFLINE)


def _online(machine: Machine, asked: Asked) -> Iterator[Op]:
    yield from _ranges(machine, Verb.ONLINE)


def _bulk(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.cpus and machine.era.bulk != "none":
        for mt, pages in product(asked.types, range(1, SLOTS + 1)):
            yield Op(Verb.BULK, pages=pages, mt=mt)


def _on_cpus(machine: Machine, *verbs: Verb) -> Iterator[Op]:
    for verb, cpu in product(verbs, range(machine.cpus)):
        yield Op(verb, cpu=cpu)


def _drain_all(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.cpus:
        yield Op(Verb.DRAIN_ALL)


def _disable(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.cpus and machine.era.can_disable:
        yield from (Op(Verb.DISABLE), Op(Verb.ENABLE))


def _unplug(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.cpus > 1:
        yield from _on_cpus(machine, Verb.UNPLUG, Verb.PLUG)


def _age(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.era.tuning == "tuned":
        yield from _on_cpus(machine, Verb.AGE)


def _expire(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.era.tuning != "pair":
        yield from _on_cpus(machine, Verb.EXPIRE)


def _refresh(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.cells:
        yield from _on_cpus(machine, Verb.REFRESH)


def _rest(machine: Machine, asked: Asked) -> Iterator[Op]:
    if machine.min_free is not None:
        yield Op(Verb.REST)


GROUPS: dict[str, Group] = {
    "alloc": _allocs,
    "atomic": _atomic,
    "emergency": _emergency,
    "nofragment": _nofragment,
    "unreserve": _unreserve,
    "isolate": _isolate,
    "restore": _restore,
    "contig": _contig,
    "poison": _poison,
    "heal": _heal,
    "offline": _offline,
    "online": _online,
    "bulk": _bulk,
    "drain": lambda machine, asked: _on_cpus(machine, Verb.DRAIN),
    "drainall": _drain_all,
    "expire": _expire,
    "age": _age,
    "refresh": _refresh,
    "disable": _disable,
    "unplug": _unplug,
    "rest": _rest,
}
"""The groups whose requests are the same in every state; `split` is of what is held, as free is."""

CALLERS: dict[str, tuple[Where, Callable[[Era], bool]]] = {
    "irq": (Where(irq=True), lambda era: era.guard == "no-interrupt"),
    "contended": (Where(contended=True), lambda era: era.guard in TRIED),
    "cold": (Where(cold=True), lambda era: era.tuning == "pair" or era.cold_at_tail),
}
"""The groups that let every alloc and free of a CPU's lists be asked for in another way too, and
the eras in which that makes a difference."""


def groups_in(machine: Machine, asked: Asked, groups: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the groups that have any request for the machine."""
    return tuple(
        name
        for name in groups
        if name == "split"
        or (name in GROUPS and any(GROUPS[name](machine, asked)))
        or (name in CALLERS and machine.cpus and CALLERS[name][1](machine.era))
    )


def callers_of(machine: Machine, groups: tuple[str, ...]) -> tuple[Where, ...]:
    """Who asks for blocks: each CPU, plainly and in the ways of the groups."""
    ways = [CALLERS[name][0] for name in groups if name in CALLERS]
    cpus = range(max(1, machine.cpus))
    return tuple(way._replace(cpu=cpu) for cpu in cpus for way in (ANYWHERE, *ways))


def called(machine: Machine, op: Op, callers: tuple[Where, ...]) -> Iterator[Op]:
    """The request as each caller makes it, where CPUs' lists may serve it; else as it is."""
    listed = op.verb is Verb.BULK or (
        op.verb in (Verb.ALLOC, Verb.FREE)
        and is_kept(machine.era.lists, op.order, machine.huge)
        and (machine.pageblock is None or op.order <= machine.pageblock)
    )
    for cpu, irq, contended, cold in callers if machine.cpus and listed else ():
        yield op._replace(cpu=cpu, irq=irq, contended=contended, cold=cold)
    if not (machine.cpus and listed):
        yield op


class Vocabulary(NamedTuple):
    """The requests of an exhaustion.

    always: those for every state. split: whether held blocks are split. callers: who frees them.
    """

    always: tuple[Op, ...]
    split: bool = False
    callers: tuple[Where, ...] = (ANYWHERE,)


def vocabulary_of(machine: Machine, asked: Asked, groups: tuple[str, ...]) -> Vocabulary:
    """The requests of the groups, for one machine."""
    callers = callers_of(machine, groups)
    ops = [op for name in groups if name in GROUPS for op in GROUPS[name](machine, asked)]
    asked_for = [by for op in ops for by in called(machine, op, callers)]
    return Vocabulary(tuple(asked_for), "split" in groups, callers)


def requests_in(vocabulary: Vocabulary, zone: Zone) -> list[Op]:
    """The requests to try in a state: those for every state, and free and split of what is held."""
    held = [(pfn, held.order) for pfn, held in zone.held.items()]
    frees = [Op(Verb.FREE, order, pfn) for pfn, order in held]
    ops = [*vocabulary.always]
    ops += [by for op in frees for by in called(zone.machine, op, vocabulary.callers)]
    if vocabulary.split:
        ops += [Op(Verb.SPLIT, order, pfn) for pfn, order in held if order > 0]
    return ops
