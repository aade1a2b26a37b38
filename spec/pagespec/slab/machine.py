"""Where objects are kept: a zone of frames, the CPUs, an allocator of objects, who is charged."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from pagespec.era import Era, SlabDesign
from pagespec.machine import MAX_CPUS, Machine
from pagespec.types import DomainError

Scheme: TypeAlias = Literal["none", "caches", "objects"]
"""How groups are charged: not at all; each has caches of its own, of which it pays the slabs; or
all share the caches and pay by the object."""

SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

MAX_GROUPS = 1024
"""The most groups that are charged."""

MAX_CACHES = 256
"""The most caches that callers create; those that groups have of them are not counted."""


@dataclass(frozen=True, slots=True)
class SlabMachine:
    """A zone, and the allocator of objects that takes its slabs from there.

    zone: the frames. Its CPUs keep page lists if it has as many as there are here; with cpus=0 the
    buddy serves slabs directly. cpus: how many CPUs ask for objects. present: the number of CPUs
    from which slab orders follow, if not that one. design: which of the era's allocators: a slab
    per CPU, or an array per CPU. scheme: how groups are charged, whatever the era. groups: how many
    groups there may be; requests name them by number from 1, and 0 is nobody. limit: the frames
    that each group may be charged for, or None.

    Raises DomainError for a description outside this domain.
    """

    zone: Machine
    cpus: int = 1
    present: int | None = None
    design: SlabDesign = "slub"
    scheme: Scheme = "none"
    groups: int = 0
    limit: int | None = None

    def __post_init__(self) -> None:
        era = self.zone.era
        if not era.slab_designs:
            raise DomainError(f"era {era.name} has no slabs here; expected 5.8 or later")
        if self.zone.start < 1:
            raise DomainError(
                "start=0: an object on frame 0 would have address 0, which is no object"
            )
        if not 1 <= self.cpus <= MAX_CPUS:
            raise DomainError(f"cpus={self.cpus}: objects are asked for by 1 to {MAX_CPUS} CPUs")
        if self.zone.cpus not in (0, self.cpus):
            raise DomainError(
                f"a zone with page lists of {self.zone.cpus} CPUs; expected none or {self.cpus}"
            )
        if self.present is not None and not 1 <= self.present <= MAX_CPUS:
            raise DomainError(f"present={self.present}: expected 1 to {MAX_CPUS} CPUs")
        if self.design not in era.slab_designs:
            raise DomainError(
                f"design={self.design}: era {era.name} has {' and '.join(era.slab_designs)}"
            )
        if self.scheme not in SCHEMES:
            raise DomainError(f"scheme={self.scheme}: expected one of {', '.join(SCHEMES)}")
        if not 0 <= self.groups <= MAX_GROUPS:
            raise DomainError(f"groups={self.groups}: expected 0 to {MAX_GROUPS}")
        if self.groups and self.scheme == "none":
            raise DomainError(
                f"groups={self.groups}: nobody is charged with scheme=none; say scheme=caches or "
                "scheme=objects"
            )
        if self.limit is not None and not self.groups:
            raise DomainError(f"limit={self.limit}: only groups have a limit; say groups=N")
        if self.limit is not None and not 0 <= self.limit <= self.zone.pages:
            raise DomainError(f"limit={self.limit}: expected 0 to {self.zone.pages} frames")

    @property
    def era(self) -> Era:
        """The era of the zone and of the slabs."""
        return self.zone.era

    @property
    def counted_cpus(self) -> int:
        """The number of CPUs from which slab orders follow."""
        return self.cpus if self.present is None else self.present
