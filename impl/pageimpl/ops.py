"""Serving one request, of whatever verb: the twin of the spec's `ops`."""

from pageimpl.alloc import alloc_pages, free_pages, get_page, put_page, split_page
from pageimpl.bulk import alloc_pages_bulk
from pageimpl.contig import alloc_contig, isolate_range, restore_range
from pageimpl.highatomic import unreserve
from pageimpl.jitcache import kernel
from pageimpl.memory import COUNTS_IN_CELLS, Memory, counting_of
from pageimpl.pcp.cpus import (
    age,
    disable,
    drain_cpu,
    drain_every_cpu,
    enable,
    expire,
    one_that_runs,
    plug,
    refresh,
    unplug,
    work_on,
)
from pageimpl.places import heal, offline, online, poison
from pageimpl.verbs import (
    AGE,
    ALLOC,
    BULK,
    CONTIG,
    CPU_BITS,
    CPU_SHIFT,
    DISABLE,
    DRAIN,
    DRAIN_ALL,
    ENABLE,
    EXPIRE,
    FORCE,
    FREE,
    GET,
    HEAL,
    ISOLATE_RANGE,
    OFFLINE_RANGE,
    ONLINE_RANGE,
    PLUG,
    POISON,
    PUT,
    REFRESH,
    RESTORE_RANGE,
    SPLIT,
    UNPLUG,
    UNRESERVE,
    WANTED_SHIFT,
)
from pageimpl.zonelist import rest


@kernel
def perform(mem: Memory, verb: int, order: int, pfn: int, want: int, pages: int) -> int:
    """Serve one request: a first frame, 0, NO_MEMORY, or a refusal's code."""
    cpu = want >> CPU_SHIFT & CPU_BITS
    by = cpu
    if counting_of(mem) & COUNTS_IN_CELLS:
        by = one_that_runs(mem, cpu)
        work_on(mem, by)
    if verb == ALLOC:
        return alloc_pages(mem, order, want)
    if verb == FREE:
        return free_pages(mem, pfn, order, want)
    if verb == GET:
        return get_page(mem, pfn)
    if verb == PUT:
        return put_page(mem, pfn, want)
    if verb == BULK:
        return alloc_pages_bulk(mem, pages, want)
    if verb > ONLINE_RANGE:
        return perform_on_cpus(mem, verb, cpu, by)
    return perform_rare(mem, verb, order, pfn, want, pages, by)


@kernel
def perform_rare(
    mem: Memory, verb: int, order: int, pfn: int, want: int, pages: int, by: int
) -> int:
    """Serve a request that is not about one block's references; `by` is the CPU at work."""
    mt = want >> WANTED_SHIFT
    if verb == SPLIT:
        return split_page(mem, pfn, order)
    if verb == UNRESERVE:
        return unreserve(mem, mt, want & FORCE != 0, by)
    if verb == ISOLATE_RANGE:
        return isolate_range(mem, pfn, pages, by)
    if verb == RESTORE_RANGE:
        return restore_range(mem, pfn, pages, mt, by)
    if verb == CONTIG:
        return alloc_contig(mem, pfn, pages, want)
    if verb == POISON:
        return poison(mem, pfn, by)
    if verb == HEAL:
        return heal(mem, pfn, by)
    if verb == OFFLINE_RANGE:
        return offline(mem, pfn, pages, by)
    return online(mem, pfn, pages, by)


@kernel
def perform_on_cpus(mem: Memory, verb: int, cpu: int, by: int) -> int:
    """Serve a request about a CPU, all of them, or kswapd; `by` is the CPU at work."""
    if verb == DRAIN:
        return drain_cpu(mem, cpu)
    if verb == DRAIN_ALL:
        return drain_every_cpu(mem, by)
    if verb == DISABLE:
        return disable(mem, by)
    if verb == ENABLE:
        return enable(mem)
    if verb == AGE:
        return age(mem, cpu)
    if verb == REFRESH:
        return refresh(mem, cpu)
    if verb == EXPIRE:
        return expire(mem, cpu)
    if verb == UNPLUG:
        return unplug(mem, cpu)
    if verb == PLUG:
        return plug(mem, cpu)
    return rest(mem, by)
