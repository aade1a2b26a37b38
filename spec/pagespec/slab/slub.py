"""SLUB: objects from the slab that a CPU has for itself, without a lock.

A CPU takes and frees objects of its own slab by one exchange of the chain's head and a number that
changes each time; whoever was interrupted in between finds another number, and tries anew. Only
when the chain is empty, or an object belongs to another slab, is there more to do: the slab's own
chain, the CPU's partial slabs, the node's, and last a new slab from the page allocator.

The exchange is said to compare the number alone. Kernels compare the head as well, which tells
nothing more as long as all that changes the chain, or the slab that it is of, changes the number.
Releases before 5.19 did not when a slab proved full and was given up, which was their fault.

Tasks stay on their CPU here. Not modelled: NUMA nodes, debugging and hardening, sheaves.

Source: mm/slub.c (slab_alloc_node, ___slab_alloc, get_freelist, do_slab_free, __slab_free,
flush_cpu_slab), 5.8 to 6.12; fd4d9c7d0c71 and 5076190daded for what the number and one single read
are for.
"""

from pagespec.slab.growing import discard_slab, new_slab
from pagespec.slab.partial import (
    deactivate,
    keep_partial,
    let_in,
    shut_out,
    take_from_node,
    take_partial,
    unfreeze_all,
)
from pagespec.slab.places import number_of, slab_of
from pagespec.slab.state import Cache, CpuSlab, Slabs, address_of
from pagespec.slab.verbs import Address
from pagespec.steps import Step, Steps
from pagespec.types import Pfn


def take(slabs: Slabs, cache: Cache, cpu: int) -> Steps[Address | None]:
    """Take an object, or None if there are no frames for a slab."""
    mine = cache.cpus[cpu]
    while mine.slab is not None and mine.chain:
        first, chain, tid = mine.slab, tuple(mine.chain), mine.tid
        yield Step.EDIT
        if mine.tid == tid:
            mine.chain, mine.tid = list(chain[1:]), tid + 1
            return address_of(cache.shape, first, chain[0])
    yield Step.IRQS_OFF
    address = yield from take_slowly(slabs, cache, cpu)
    yield Step.IRQS_ON
    return address


def take_slowly(slabs: Slabs, cache: Cache, cpu: int) -> Steps[Address | None]:
    """The same with an empty chain, with interrupts off when this begins and ends."""
    mine = cache.cpus[cpu]
    while not fill_from_own(cache, mine):
        yield from let_in(slabs)
        yield from shut_out(slabs)
        if mine.slab is None and mine.partial:
            load(mine, take_partial(cache, mine))
        elif mine.slab is None:
            first = yield from find_slab(slabs, cache, cpu)
            if first is None:
                return None
            yield from replace_slab(slabs, cache, cpu, first)
    return pop(cache, mine)


def find_slab(slabs: Slabs, cache: Cache, cpu: int) -> Steps[Pfn | None]:
    """A slab with free objects that nobody else has: off the node's list, or a new one."""
    yield from let_in(slabs)
    first = yield from take_from_node(slabs, cache, cpu)
    yield from shut_out(slabs)
    if first is None:
        yield Step.IRQS_ON
        first = yield from new_slab(slabs, cache, cpu)
        if first is not None:
            cache.slabs[first].frozen = True
        yield Step.IRQS_OFF
    return first


def fill_from_own(cache: Cache, mine: CpuSlab) -> bool:
    """Fill the CPU's chain with what its slab has on its own; whether there is anything then.

    A slab that has nothing is full and nobody's, on no list.
    """
    if mine.slab is None or mine.chain:
        return bool(mine.chain)
    slab = cache.slabs[mine.slab]
    mine.chain, slab.chain = slab.chain, []
    mine.tid += 1
    slab.inuse = cache.shape.objects
    if not mine.chain:
        slab.frozen = False
        mine.slab = None
    return bool(mine.chain)


def load(mine: CpuSlab, first: Pfn) -> None:
    """Let a CPU serve from a slab, of which it has no object yet."""
    mine.slab, mine.tid = first, mine.tid + 1


def replace_slab(slabs: Slabs, cache: Cache, cpu: int, first: Pfn) -> Steps[None]:
    """Let a CPU serve from a slab that was found, in place of any that came meanwhile."""
    mine = cache.cpus[cpu]
    while mine.slab is not None:
        yield from give_up_slab(slabs, cache, cpu)
    load(mine, first)


def give_up_slab(slabs: Slabs, cache: Cache, cpu: int) -> Steps[None]:
    """Let a CPU give up its slab, with interrupts off when this begins and ends."""
    mine = cache.cpus[cpu]
    first, chain = mine.slab, tuple(mine.chain)
    mine.slab, mine.chain, mine.tid = None, [], mine.tid + 1
    yield from let_in(slabs)
    if first is not None:
        yield from deactivate(slabs, cache, cpu, first, chain)
    yield from shut_out(slabs)


def pop(cache: Cache, mine: CpuSlab) -> Address:
    """Take the first object of a chain that is not empty, where nobody can interrupt."""
    assert mine.slab is not None
    mine.tid += 1
    return address_of(cache.shape, mine.slab, mine.chain.pop(0))


def give(
    slabs: Slabs, cache: Cache, cpu: int, addresses: tuple[Address, ...], count: int
) -> Steps[None]:
    """Free objects of one slab, as a chain, the first of which will be served first.

    count: how many they are, which is told apart since nobody walks the chain here.
    """
    mine = cache.cpus[cpu]
    first = slab_of(slabs, cache, addresses[0])
    chain = tuple(number_of(cache, first, address) for address in addresses)
    while mine.slab == first:
        seen, tid = tuple(mine.chain), mine.tid
        yield Step.EDIT
        if mine.tid == tid:
            mine.chain, mine.tid = [*chain, *seen], tid + 1
            return
    yield from give_slowly(slabs, cache, cpu, first, chain, count)


def give_slowly(
    slabs: Slabs, cache: Cache, cpu: int, first: Pfn, chain: tuple[int, ...], count: int
) -> Steps[None]:
    """The same for a slab that is not the CPU's own: the objects join the slab's own chain.

    A slab that was full is on no list, and is kept by the CPU from now on. One that nobody has any
    object of goes back to the page allocator, if the node has enough that are partial.
    """
    slab = cache.slabs[first]
    while True:
        seen, inuse, frozen = tuple(slab.chain), slab.inuse, slab.frozen
        freezes = not seen and not frozen
        empties = inuse == count and not freezes and not frozen
        # Who empties a slab takes the node's lock before, so that the slab stays where it is.
        yield Step.LOCK if empties else Step.EDIT
        if (tuple(slab.chain), slab.inuse, slab.frozen) == (seen, inuse, frozen):
            break
        if empties:
            yield Step.UNLOCK
    slab.chain, slab.inuse, slab.frozen = [*chain, *seen], inuse - count, frozen or freezes
    if freezes:
        yield from keep_partial(slabs, cache, cpu, first)
    elif empties:
        enough = len(cache.partial) >= cache.shape.partials
        if enough:
            cache.partial.remove(first)
        yield Step.UNLOCK
        if enough:
            yield from discard_slab(slabs, cache, cpu, first)


def flush(slabs: Slabs, cache: Cache, cpu: int) -> Steps[None]:
    """Let a CPU give up all that it has of a cache: first its slab, then those that it keeps."""
    mine = cache.cpus[cpu]
    yield Step.IRQS_OFF
    if mine.slab is not None:
        yield from give_up_slab(slabs, cache, cpu)
    yield from unfreeze_all(slabs, cache, cpu)
    yield Step.IRQS_ON


def take_bulk(slabs: Slabs, cache: Cache, cpu: int, objects: int) -> Steps[list[Address]]:
    """Take that many objects, or fewer if there are no frames for a slab, in one go.

    Interrupts are off meanwhile, so that no exchange is needed. The number changes when all is
    done, and before a slow path that may let interrupts in: what they began before must not find
    the chain as it was.
    """
    mine = cache.cpus[cpu]
    got: list[Address] = []
    yield Step.IRQS_OFF
    while len(got) < objects:
        if mine.slab is not None and mine.chain:
            got.append(address_of(cache.shape, mine.slab, mine.chain.pop(0)))
            continue
        mine.tid += 1
        yield from let_in(slabs)
        yield from shut_out(slabs)
        address = yield from take_slowly(slabs, cache, cpu)
        if address is None:
            break
        got.append(address)
        yield from let_in(slabs)
        yield from shut_out(slabs)
    mine.tid += 1
    yield Step.IRQS_ON
    return got
