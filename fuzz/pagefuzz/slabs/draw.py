"""Random machines with slabs: few CPUs and frames, caches from one object a slab to real sizes."""

from collections.abc import Sequence
from random import Random

from pagefuzz.campaign.listed import BATCHES, HIGHS
from pagespec.era import Era, SlabDesign
from pagespec.machine import Machine
from pagespec.slab.machine import SCHEMES, Scheme, SlabMachine
from pagespec.slab.sizes import PAGE
from pagespec.slab.verbs import SlabOp, SlabVerb

CPUS, PRESENT = (1, 1, 2, 2, 2, 3, 4, 8), (1, 8, 64, 128)
"""How many CPUs ask, and from how many others slab orders follow now and then."""

TIGHT, AMPLE = (3, 5, 8, 8, 11, 16), (33, 64, 100, 257)
"""The frames of a zone that a few caches use up, and of one that they do not."""

TOPS = (1, 2, 3, 3, 4, 5, 10)
"""Top orders: most leave slabs every order that they may have."""

LISTED = 0.25
"""How many zones have CPUs that keep page lists, so that what a slab gave back is not free."""

LIMITS = (0, 1, 1, 2, 3, 5)
"""The frames that a group may be charged for: few, so that charges fail."""

REAL_SIZES = (8, 32, 96, 192, 256, 568, 1024, 1080, 2048, 4096, 5000, 8192)
"""Bytes from one object to the next in caches that real kernels have."""

TINY = 0.75
"""How many caches have so few objects a slab that a walk fills and empties slabs all the time."""

KEPT, KEPT_SLABS = (0, 1, 2, 2, 3, 5, 12), (0, 0, 1, 1, 2)
"""How many objects a CPU keeps, and how many empty slabs a node does, in caches that say so."""


def random_slabs(
    rng: Random, era: Era, design: SlabDesign | None = None, scheme: Scheme | None = None
) -> SlabMachine:
    """A machine that a walk gets around in; of any design and scheme, if none is said."""
    cpus = rng.choice(CPUS)
    zone = Machine(
        pages=rng.choice(TIGHT if rng.random() < 0.5 else AMPLE),
        top=rng.choice(TOPS),
        era=era,
        start=rng.choice((1, 1, 8, 13)),
    )
    charged: Scheme = rng.choice(SCHEMES) if scheme is None else scheme
    groups = 0 if charged == "none" else rng.choice((1, 2, 2, 3))
    return SlabMachine(
        zone=_with_lists(rng, zone, cpus) if rng.random() < LISTED else zone,
        cpus=cpus,
        present=rng.choice(PRESENT) if rng.random() < 0.3 else None,
        design=rng.choice(era.slab_designs) if design is None else design,
        scheme=charged,
        groups=groups,
        limit=_limit(rng, zone) if groups and rng.random() < 0.5 else None,
    )


def _with_lists(rng: Random, zone: Machine, cpus: int) -> Machine:
    high = None if zone.era.tuning == "pair" else rng.choice(HIGHS)
    return Machine(
        zone.pages,
        zone.top,
        zone.era,
        zone.start,
        cpus=cpus,
        batch=rng.choice(BATCHES),
        high=high,
    )


def _limit(rng: Random, zone: Machine) -> int:
    return min(zone.pages, rng.choice(LIMITS))


def random_create(rng: Random, machine: SlabMachine, cache: int) -> SlabOp:
    """A request for a cache: mostly of few objects a slab, of which little is kept anywhere."""
    if rng.random() >= TINY:
        size = min(rng.choice(REAL_SIZES), PAGE << machine.zone.top)
        return SlabOp(SlabVerb.CREATE, cache=cache, size=size)
    order = rng.choice((0, 0, 0, 1))
    objects = rng.choice((1, 2, 2, 3, 4, 4))
    size = (PAGE << order) // objects // 8 * 8
    kept = rng.choice(KEPT)
    op = SlabOp(
        SlabVerb.CREATE, cache=cache, size=size, order=order, partials=_said(rng, KEPT_SLABS)
    )
    if machine.design == "slub":
        return op._replace(objects_kept=kept)
    batch = max(1, kept)
    return op._replace(
        objects_kept=max(1, rng.choice((batch, batch + 1, 2 * batch))),
        batch=rng.choice((1, batch)),
        shared=_said(rng, (0, 1, 2)),
    )


def _said(rng: Random, sizes: Sequence[int]) -> int | None:
    """One of the sizes, or what follows from the objects' size."""
    return None if rng.random() < 0.25 else rng.choice(sizes)
