"""The requests that `diff` tries in a state: the legal ones in which eras can differ.

Left out are references and compound blocks, which no era treats in its own way, and illegal
requests. Ranges begin and end where either side asks them to; frames to poison are the first and
the last of each pageblock.
"""

from collections.abc import Iterator, Sequence, Set

from pagefuzz.diff.state import State
from pagespec.frames import SIZES, head_of
from pagespec.machine import Machine
from pagespec.migratetype import (
    CMA,
    HIGHATOMIC,
    ISOLATE,
    LETTER_OF,
    MOVABLE,
    REQUESTED,
    UNMOVABLE,
)
from pagespec.types import Pfn
from pagespec.verbs import Op, Verb

WHERE_FLAGS = ("irq", "contended", "cold")
"""Who asks, where that matters: see `Op`."""

ALLOC_FLAGS = ("atomic", "nofragment", "emergency", *WHERE_FLAGS)
"""What an allocation may say besides its order and type."""


def words_tried(tried: Set[Op]) -> str:
    """What was tried of the vocabulary, as reports name it: each verb, and what of it differed.

    A reader takes this line for what a verdict covers, so it is made of the requests themselves.
    """
    verbs = {op.verb for op in tried}
    words = [verb.value + _varied(verb, tried) for verb in Verb if verb in verbs]
    return ", ".join(words) or "boot alone"


def _varied(verb: Verb, tried: Set[Op]) -> str:
    """The orders, types and flags of the allocations; whether an unreserve may be forced."""
    ops = [op for op in tried if op.verb is verb]
    if verb in (Verb.FREE, Verb.BULK):
        flags = [flag for flag in WHERE_FLAGS if any(getattr(op, flag) for op in ops)]
        return f" (also {', '.join(flags)})" if flags else ""
    if verb is Verb.UNRESERVE:
        return " (also forced)" if any(op.force for op in ops) else ""
    if verb is not Verb.ALLOC:
        return ""
    parts = [f"order {', '.join(map(str, sorted({op.order for op in ops})))}"]
    types = [LETTER_OF[mt] for mt in REQUESTED if any(op.mt is mt for op in ops)]
    if types != [LETTER_OF[UNMOVABLE]]:
        parts.append(f"types {', '.join(types)}")
    parts += [flag for flag in ALLOC_FLAGS if any(getattr(op, flag) for op in ops)]
    return f" ({'; '.join(parts)})"


def vocabulary(machines: Sequence[Machine], verbs: Set[Verb], state: State) -> list[Op]:
    """Every request of the vocabulary that may be put in the state, in a fixed order.

    machines: the one machine, in each side's era; what neither era has is left out. verbs: what
    both sides serve.
    """
    machine = machines[0]
    ops = [*_allocs(machines), *(Op(Verb.FREE, held.order, pfn) for pfn, held in state.held)]
    if machine.cpus:
        ops = [variant for op in ops for variant in _asked_elsewhere(machines, op)]
        ops += _of_cpus(machines, state)
    if machine.min_free is not None:
        ops.append(Op(Verb.REST))
    if machine.pageblock is not None:
        ops += _reserve(state)
        for size in sorted({SIZES[each.isolation_order] for each in machines}):
            ops += _ranges(machines, state, size)
        ops += _frames(machines, state)
    return [op for op in ops if op.verb in verbs]


def _allocs(machines: Sequence[Machine]) -> Iterator[Op]:
    machine = machines[0]
    orders = range(machine.top + 1)
    if machine.min_free is not None:
        yield from (Op(Verb.ALLOC, order, emergency=True) for order in orders)
        if machine.pageblock is None:
            yield from (Op(Verb.ALLOC, order, atomic=True) for order in orders)
    if machine.pageblock is None:
        yield from (Op(Verb.ALLOC, order) for order in orders)
        return
    yield from (Op(Verb.ALLOC, order, mt=mt) for order in orders for mt in REQUESTED)
    if machine.min_free is not None or any(each.era.reserve != "none" for each in machines):
        yield from (Op(Verb.ALLOC, order, mt=UNMOVABLE, atomic=True) for order in orders)
    if any(each.era.nofragment for each in machines):
        for order in range(machine.pageblock):
            yield from (Op(Verb.ALLOC, order, mt=mt, nofragment=True) for mt in REQUESTED)


def _asked_elsewhere(machines: Sequence[Machine], op: Op) -> Iterator[Op]:
    """The request on each CPU, and on the first also as those ask whom an era tells apart."""
    eras = [machine.era for machine in machines]
    yield from (op._replace(cpu=cpu) for cpu in range(machines[0].cpus))
    if any(era.guard == "no-interrupt" for era in eras):
        yield op._replace(irq=True)
    if any(era.guard in ("trylock-irqs-off", "trylock") for era in eras):
        yield op._replace(contended=True)
    if any(era.tuning == "pair" or era.cold_at_tail for era in eras):
        yield op._replace(cold=True)


def _of_cpus(machines: Sequence[Machine], state: State) -> Iterator[Op]:
    """What is done to CPUs and their lists, and bulk requests for a few slots."""
    cpus = range(machines[0].cpus)
    yield Op(Verb.DRAIN_ALL)
    yield from (Op(Verb.EXPIRE, cpu=cpu) for cpu in cpus)
    if any(machine.era.tuning == "tuned" for machine in machines):
        yield from (Op(Verb.AGE, cpu=cpu) for cpu in cpus)
    if machines[0].cells:
        yield from (Op(Verb.REFRESH, cpu=cpu) for cpu in cpus)
    if any(machine.era.can_disable for machine in machines):
        yield Op(Verb.ENABLE if state.sizes.disabled else Verb.DISABLE)
    if len(cpus) > 1:
        yield from (
            Op(Verb.PLUG if cpu in state.sizes.unplugged else Verb.UNPLUG, cpu=cpu) for cpu in cpus
        )
    if any(machine.era.bulk != "none" for machine in machines):
        for pages in (2, 3):
            yield Op(Verb.BULK, pages=pages)
            yield Op(Verb.BULK, pages=pages, contended=True)


def _reserve(state: State) -> Iterator[Op]:
    if any(key.mt is HIGHATOMIC for key, _ in state.lists):
        for mt in (UNMOVABLE, MOVABLE):
            yield from (Op(Verb.UNRESERVE, mt=mt, force=force) for force in (False, True))


def _ranges(machines: Sequence[Machine], state: State, size: int) -> Iterator[Op]:
    """About each aligned range of that size: whatever its pageblocks' types allow."""
    machine = machines[0]
    pageblock = SIZES[machine.pageblock or 0]
    contig = any(each.era.isolation != "move" for each in machines)
    for pfn in range(-(-machine.start // size) * size, machine.end - size + 1, size):
        heads = range(pfn, pfn + size, pageblock)
        types = {state.pageblocks[machine.pageblock_number(head)] for head in heads}
        gone = [head in state.offline for head in heads]
        as_before = CMA if types == {CMA} else MOVABLE
        if ISOLATE not in types:
            yield Op(Verb.ISOLATE, pfn=pfn, pages=size)
            if contig:
                for pages in sorted({1, size // 2, size}):
                    yield Op(Verb.CONTIG, pfn=pfn, pages=pages, mt=as_before)
        elif types == {ISOLATE} and not any(gone):
            yield Op(Verb.RESTORE, pfn=pfn, pages=size, mt=MOVABLE)
            yield Op(Verb.OFFLINE, pfn=pfn, pages=size)
        elif all(gone):
            yield Op(Verb.ONLINE, pfn=pfn, pages=size)


def _frames(machines: Sequence[Machine], state: State) -> Iterator[Op]:
    machine = machines[0]
    size = SIZES[machine.pageblock or 0]
    if any(each.era.takes_poisoned for each in machines):
        for first in range(head_of(machine.start, machine.pageblock or 0), machine.end, size):
            for pfn in (first, first + size - 1):
                if _is_free(state, pfn):
                    yield Op(Verb.POISON, pfn=pfn)
    if any(each.era.returns_poisoned for each in machines):
        yield from (Op(Verb.HEAL, pfn=pfn) for pfn in state.poisoned)


def _is_free(state: State, pfn: Pfn) -> bool:
    return any(head_of(pfn, key.order) in blocks for key, blocks in state.lists)
