"""Every state of one slab of four objects on two CPUs, and every request in each of them.

The zone has a single frame, so there is one slab or none. From each state all requests are put:
objects singly and up to three at once, on either CPU, freed in every order, by whoever frees; CPUs
flushed, caches shrunk and reaped. States are visited until there is none left, so what the laws say
of a transition holds of all that such a machine can ever come to.

What only tells states apart in time is left out of them: the number that changes with each
exchange, and the array of the latest bulk request.
"""

from collections import deque
from collections.abc import Hashable, Iterator
from itertools import permutations
from typing import NamedTuple

from pagespec.era import ERAS, SlabDesign
from pagespec.machine import Machine
from pagespec.slab.laws.book import SlabBook, book_of
from pagespec.slab.laws.judge import judge_slabs
from pagespec.slab.laws.step import SlabStep
from pagespec.slab.machine import SlabMachine
from pagespec.slab.ops import perform, start
from pagespec.slab.state import Slabs, copy_of_slabs
from pagespec.slab.verbs import SlabOp, SlabVerb

CACHE = 1
OBJECTS_AT_ONCE = 3
CPUS = (0, 1)


def value_of(slabs: Slabs) -> Hashable:
    """A state as a value, without what only tells it apart in time."""
    cache = slabs.caches[CACHE, 0]
    return (
        tuple(sorted(slabs.held)),
        tuple(
            (slab.first, slab.inuse, tuple(slab.chain), slab.frozen, slab.counted)
            for slab in cache.slabs.values()
        ),
        (tuple(cache.partial), tuple(cache.full), tuple(cache.empty), cache.touched),
        tuple((mine.slab, tuple(mine.chain), tuple(mine.partial)) for mine in cache.cpus),
        tuple((tuple(array.entries), array.touched) for array in cache.arrays),
        cache.shared and (tuple(cache.shared.entries), cache.shared.touched),
    )


def requests_in(slabs: Slabs) -> Iterator[SlabOp]:
    """Every request that is put in a state."""
    held = sorted(slabs.held)
    verbs = SlabVerb
    for cpu in CPUS:
        yield SlabOp(verbs.ALLOC, cpu, CACHE)
        yield SlabOp(verbs.FLUSH, cpu)
        if slabs.machine.design == "slab":
            yield SlabOp(verbs.REAP, cpu)
        for address in held:
            yield SlabOp(verbs.FREE, cpu, addresses=(address,))
        for objects in range(1, OBJECTS_AT_ONCE + 1):
            yield SlabOp(verbs.ALLOC_BULK, cpu, CACHE, objects=objects)
            for addresses in permutations(held, objects):
                yield SlabOp(verbs.FREE_BULK, cpu, CACHE, addresses=addresses)
    yield SlabOp(verbs.SHRINK, 0, CACHE)


def copy_of_book(book: SlabBook) -> SlabBook:
    """The same book, sharing nothing that changes."""
    return SlabBook(
        book.machine,
        book.held.copy(),
        book.large.copy(),
        [waiting.copy() for waiting in book.withheld],
        book.caches.copy(),
        book.groups.copy(),
        book.twice,
    )


class SlabDomain(NamedTuple):
    """One slab of four objects in an era, by one of its designs.

    kept, batch: how many objects a CPU's array holds, and how many move at a time (SLAB).
    """

    era: str
    design: SlabDesign
    kept: int | None = None
    batch: int | None = None

    def begin(self) -> tuple[Slabs, SlabBook]:
        """The cache is there, and no slab."""
        zone = Machine(1, 0, ERAS[self.era], start=1)
        slabs = start(SlabMachine(zone, len(CPUS), design=self.design))
        book = book_of(slabs.machine)
        shared = None if self.design == "slub" else 0
        op = SlabOp(
            SlabVerb.CREATE,
            cache=CACHE,
            size=1024,
            order=0,
            objects_kept=self.kept,
            batch=self.batch,
            shared=shared,
        )
        before = copy_of_slabs(slabs)
        judge_slabs(SlabStep(before, op, perform(slabs, op), slabs, book))
        return slabs, book

    def counts(self) -> dict[str, tuple[int, ...]]:
        """How many states there are, how many requests lead on from them, and how far they are.

        Raises LawBroken for a request that breaks a law.
        """
        slabs, book = self.begin()
        depth = {value_of(slabs): 0}
        left = deque([(slabs, book)])
        requests = 0
        while left:
            before, known = left.popleft()
            deeper = depth[value_of(before)] + 1
            for op in requests_in(before):
                after, book = copy_of_slabs(before), copy_of_book(known)
                judge_slabs(SlabStep(before, op, perform(after, op), after, book))
                requests += 1
                value = value_of(after)
                if value not in depth:
                    depth[value] = deeper
                    left.append((after, book))
        return {
            "states": (len(depth),),
            "requests": (requests,),
            "depth": (max(depth.values()),),
        }

    def __str__(self) -> str:
        words = f"slab of 4 objects, era {self.era} cpus {len(CPUS)} design {self.design}"
        return words if self.kept is None else f"{words} kept {self.kept} batch {self.batch}"


SLAB_DOMAINS = (
    SlabDomain("5.8", "slub"),
    SlabDomain("5.15", "slub"),
    SlabDomain("6.1", "slub"),
    SlabDomain("6.12", "slub"),
    SlabDomain("5.15", "slab", 2, 1),
    SlabDomain("6.1", "slab", 3, 2),
)
"""The designs of the eras, small enough to be closed."""
