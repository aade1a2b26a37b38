"""How fast the buddy serves: alloc-free pairs, random streams, and reading a zone back.

Run it with `python -m pageimpl.bench.buddy_rate`. Each figure is the best of several repetitions,
which on a shared machine is the steadiest there is. The ownership check is on, as everywhere.
"""

from collections.abc import Callable
from time import perf_counter_ns

from pageimpl.alloc import alloc_pages, free_pages
from pageimpl.allocator import Allocator, Stream
from pageimpl.jitcache import kernel, operand
from pageimpl.memory import Memory
from pageimpl.refine import zone_of
from pagespec.era import era_named
from pagespec.machine import Machine

REPETITIONS = 9
PAIRS = 1_000_000
REQUESTS = 1_000_000
READS = 500


@kernel
def pairs(mem: Memory, order: int, count: int) -> int:
    """Allocate and free a block that many times; how many were served."""
    served = 0
    for _ in range(count):
        pfn = alloc_pages(mem, order, 0)
        if pfn >= 0 and free_pages(mem, pfn, order, 0) == 0:
            served += 1
    return served


def best_ns(count: int, work: Callable[[], object]) -> float:
    """Nanoseconds for each of `count` units of the work, the best of several repetitions."""
    work()
    best = float("inf")
    for _ in range(REPETITIONS):
        start = perf_counter_ns()
        work()
        best = min(best, (perf_counter_ns() - start) / count)
    return best


def pair_ns(era: str, *, split: bool) -> float:
    """Nanoseconds of an order-0 pair in 4096 frames.

    split: whether the zone is wholly free, so that each pair splits and merges at every order; or
    a free frame is always at hand.
    """
    allocator = Allocator(Machine(4096, 10, era_named(era)))
    if not split:
        allocator.alloc(0)
    mem = operand(allocator.memory)
    return best_ns(PAIRS, lambda: pairs(mem, 0, PAIRS))


def stream_ns(machine: Machine, count: int = REQUESTS, *, jit: bool = True) -> float:
    """Nanoseconds of a request of a random stream, rows included."""
    stream = Stream(Allocator(machine, jit=jit), 1)
    return best_ns(count, lambda: stream.run(count))


def read_us(machine: Machine, read: Callable[[Allocator], object]) -> float:
    """Microseconds to read back a busy zone."""
    allocator = Allocator(machine)
    Stream(allocator, 1).run(1000)
    return best_ns(READS, lambda: [read(allocator) for _ in range(READS)]) / 1000


SIZES = ((64, 5), (1 << 16, 10), (1 << 22, 10))
"""Frames and top orders."""


def machines_of(name: str) -> list[Machine]:
    """The machines to measure: without pageblocks, or with pageblocks one order below the top."""
    era = era_named(name)
    return [
        Machine(pages, top, era, pageblock=pageblock)
        for grouped in ((False, True) if era.numbering else (False,))
        for pages, top in SIZES
        for pageblock in [top - 1 if grouped else None]
    ]


def main() -> None:
    """Print a table."""
    for era in ("6.1", "2.6.8"):
        print(f"era {era}")
        print(f"  pair, split to the top          {pair_ns(era, split=True):8.1f} ns")
        print(f"  pair, no split                  {pair_ns(era, split=False):8.1f} ns")
        for machine in machines_of(era):
            kind = "plain" if machine.pageblock is None else "typed"
            rate = 1e3 / stream_ns(machine)
            print(f"  stream, {kind}, {machine.pages:8} frames  {rate:8.1f} million requests/s")
            if machine.pages > SIZES[0][0]:
                continue
            rate = 1e6 / stream_ns(machine, 5_000, jit=False)
            print(f"  stream, {kind}, by Python        {rate:8.1f} thousand requests/s")
            for what, read in (("free lists", Allocator.free_area), ("whole state", zone_of)):
                print(f"  read {what}, {kind}".ljust(34) + f"{read_us(machine, read):8.1f} us")


if __name__ == "__main__":
    main()
