"""Which requests an exhaustion tries in every state: named groups, so that a row can say which.

A request is left out where it cannot differ from another that is there: an urgent one where there
is neither reserve nor mark, one that spares pageblocks where the era pays no heed or the block is
that large, one from an interrupt where that keeps nobody off a CPU's lists.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import NamedTuple

from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import CMA, LETTER_OF, MOVABLE, UNMOVABLE, MigrateType
from pagespec.types import Order
from pagespec.verbs import Op, Verb
from pagespec.zone import Zone


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
    reserve = machine.era.reserve
    for order, mt in product(*asked) if reserve != "none" else ():
        if order > 0 or reserve == "one-percent":
            yield Op(Verb.ALLOC, order, mt=mt, atomic=True)


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


GROUPS: dict[str, Group] = {
    "alloc": _allocs,
    "atomic": _atomic,
    "nofragment": _nofragment,
    "unreserve": _unreserve,
    "isolate": _isolate,
    "restore": _restore,
    "contig": _contig,
    "poison": _poison,
    "heal": _heal,
    "offline": _offline,
    "online": _online,
}
"""The groups whose requests are the same in every state; `split` is of what is held, as free is."""


def groups_in(machine: Machine, asked: Asked, groups: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the groups that have any request for the machine."""
    return tuple(name for name in groups if name == "split" or any(GROUPS[name](machine, asked)))


class Vocabulary(NamedTuple):
    """The requests of an exhaustion: those for every state, and whether held blocks are split."""

    always: tuple[Op, ...]
    split: bool = False


def vocabulary_of(machine: Machine, asked: Asked, groups: tuple[str, ...]) -> Vocabulary:
    """The requests of the groups, for one machine."""
    ops = [op for name in groups if name != "split" for op in GROUPS[name](machine, asked)]
    return Vocabulary(tuple(ops), "split" in groups)


def requests_in(vocabulary: Vocabulary, zone: Zone) -> list[Op]:
    """The requests to try in a state: those for every state, and free and split of what is held."""
    held = [(pfn, held.order) for pfn, held in zone.held.items()]
    ops = [*vocabulary.always, *(Op(Verb.FREE, order, pfn) for pfn, order in held)]
    if vocabulary.split:
        ops += [Op(Verb.SPLIT, order, pfn) for pfn, order in held if order > 0]
    return ops
