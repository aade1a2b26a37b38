"""Small SLUB machines whose slabs and objects have names: A0 is the first object of the first slab.

A slab keeps its letter as long as it lives; letters go by when slabs came.
"""

from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.slab.machine import Scheme, SlabMachine
from pagespec.slab.ops import perform, start, steps_of
from pagespec.slab.places import head_at, number_of
from pagespec.slab.sizes import PAGE
from pagespec.slab.state import Cache, address_of
from pagespec.slab.verbs import Address, SlabOp, SlabVerb
from pagespec.steps import Steps
from pagespec.types import Pfn
from pagespec.verbs import Outcome

OBJECTS = "ABCDEFGHIJKLMNOP"


class Slub:
    """A machine with one cache, number 1, of so many objects on a slab of one frame."""

    def __init__(
        self,
        era: str,
        objects: int = 4,
        *,
        kept: int = 30,
        partials: int = 5,
        pages: int = 32,
        cpus: int = 3,
        scheme: Scheme = "none",
        limit: int | None = None,
    ) -> None:
        groups = 0 if scheme == "none" else 1
        zone = Machine(pages=pages, top=3, era=ERAS[era], start=1)
        self.slabs = start(SlabMachine(zone, cpus=cpus, scheme=scheme, groups=groups, limit=limit))
        self.letters: dict[Pfn, str] = {}
        self.came = 0
        size = PAGE // objects
        self.do(SlabVerb.CREATE, cache=1, size=size, order=0, objects_kept=kept, partials=partials)
        if groups:
            self.do(SlabVerb.GROUP, group=1)

    @property
    def cache(self) -> Cache:
        """Everybody's cache."""
        return self.slabs.caches[1, 0]

    def do(self, verb: SlabVerb, cpu: int = 0, **words: int) -> Outcome:
        """Serve a request that is about no object, and see which slabs came."""
        outcome = perform(self.slabs, SlabOp(verb, cpu, **words))  # type: ignore[arg-type]
        self.see()
        return outcome

    def see(self) -> None:
        """Name the slabs that came since, and forget those that went."""
        self.letters = {
            first: letter for first, letter in self.letters.items() if first in self.slabs.frames
        }
        for first in self.slabs.frames:
            if first not in self.letters:
                self.letters[first] = OBJECTS[self.came]
                self.came += 1

    def name(self, address: Address) -> str:
        """What an object is called."""
        first = head_at(self.slabs, address)
        cache = self.slabs.caches[self.slabs.frames[first]]
        return f"{self.letters[first]}{number_of(cache, first, address)}"

    def address(self, name: str) -> Address:
        """Where an object is."""
        first = next(first for first, letter in self.letters.items() if letter == name[0])
        return address_of(self.cache.shape, first, int(name[1:]))

    def addresses(self, names: str) -> tuple[Address, ...]:
        """Where several are; - is none."""
        return tuple(0 if name == "-" else self.address(name) for name in names.split())

    def alloc(self, cpu: int = 0, times: int = 1, group: int = 0) -> str:
        """Allocate one by one; the objects, where - is none."""
        got = [self.do(SlabVerb.ALLOC, cpu, cache=1, group=group) for _ in range(times)]
        return " ".join("-" if address < 0 else self.name(address) for address in got)

    def free(self, names: str, cpu: int = 0, withheld: str = "") -> list[Outcome]:
        """Free one by one."""
        ops = [
            SlabOp(
                SlabVerb.FREE,
                cpu,
                addresses=self.addresses(name),
                withheld=self.addresses(name) if name in withheld.split() else (),
            )
            for name in names.split()
        ]
        outcomes = [perform(self.slabs, op) for op in ops]
        self.see()
        return outcomes

    def alloc_bulk(self, objects: int, cpu: int = 0, group: int = 0) -> str:
        """Allocate in one go; the objects."""
        got = self.do(SlabVerb.ALLOC_BULK, cpu, cache=1, objects=objects, group=group)
        assert got == len(self.slabs.slots)
        return " ".join(map(self.name, self.slabs.slots))

    def free_bulk(self, names: str, cpu: int = 0, withheld: str = "") -> Outcome:
        """Free in one go."""
        return self.freeing(self.addresses(names), 1, cpu, self.addresses(withheld))

    def freeing(
        self,
        addresses: tuple[Address, ...],
        cache: int = 0,
        cpu: int = 0,
        withheld: tuple[Address, ...] = (),
    ) -> Outcome:
        """The same by address, of any cache if none is named."""
        op = SlabOp(SlabVerb.FREE_BULK, cpu, cache, addresses=addresses, withheld=withheld)
        outcome = perform(self.slabs, op)
        self.see()
        return outcome

    def begin(
        self, verb: SlabVerb, cpu: int = 0, names: str = "", objects: int = 0
    ) -> Steps[Outcome]:
        """The steps of a request that others are to come between."""
        op = SlabOp(verb, cpu, 1, objects=objects, addresses=self.addresses(names))
        return steps_of(self.slabs, op)

    @property
    def node(self) -> str:
        """The node's partial slabs, the next one first."""
        return " ".join(self.letters[first] for first in self.cache.partial)

    def kept(self, cpu: int) -> str:
        """The partial slabs that a CPU keeps, the next one first."""
        return " ".join(self.letters[first] for first in self.cache.cpus[cpu].partial)

    def inuse(self, letter: str) -> int:
        """How many objects of a slab are not on its own chain."""
        return self.cache.slabs[self.address(f"{letter}0") // PAGE].inuse

    @property
    def alive(self) -> str:
        """The slabs that there are."""
        return " ".join(sorted(self.letters.values()))
