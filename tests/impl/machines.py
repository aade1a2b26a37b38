"""Machines and small readings that the tests of the twin share."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pageimpl.source import Kernels, installed_modules, plain_modules
from pageimpl.stream import op_of
from pageimpl.walk import Lists
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import CMA, HIGHATOMIC, MOVABLE, RECLAIMABLE, UNMOVABLE, MigrateType
from pagespec.types import DomainError, Pfn
from pagespec.verbs import Op, Outcome

TWIN_ERAS = [era for era in ERAS.values() if era.bounds == "zone"]

FORMS: dict[str, Callable[[], Kernels]] = {"plain": plain_modules, "compiled": installed_modules}

SHAPES = [
    {"pages": 64, "top": 4},
    {"pages": 61, "top": 3, "start": 5, "holes": ((9, 14), (30, 31), (60, 66))},
    {"pages": 100, "top": 12, "start": 37},
    {"pages": 7, "top": 0, "start": 3},
    {"pages": 1, "top": 15},
    {"pages": 40, "top": 5, "start": 1000, "holes": ((1000, 1001), (1016, 1024))},
]

# The fields of a shape have several types, and a dict has one.
MACHINES = [Machine(era=era, **shape) for era in TWIN_ERAS for shape in SHAPES]  # type: ignore[arg-type]


TYPED_ERAS = [era for era in TWIN_ERAS if era.numbering is not None]

TYPED_SHAPES = [
    {"pages": 64, "top": 4, "pageblock": 3},
    {"pages": 61, "top": 3, "pageblock": 2, "start": 5, "holes": ((9, 14), (30, 31), (60, 66))},
    {"pages": 1000, "top": 4, "pageblock": 3, "start": 1000},
    {"pages": 130, "top": 5, "pageblock": 5, "start": 40},
    {"pages": 64, "top": 2, "pageblock": 1},
    {"pages": 100, "top": 5, "pageblock": 1, "start": 3},
    {"pages": 1, "top": 1, "pageblock": 1, "start": 7},
    {"pages": 100, "top": 4, "pageblock": 3, "guard": 2},
]
"""The last is for eras with guards, the one with the small pageblocks for those before 6.12."""


def varied(machine: Machine) -> Machine:
    """The machine with pageblocks of several types, if its era and shape allow them.

    Types by turns, a reserved pageblock in the middle, and the second whole largest block for CMA.
    """
    turns = (MOVABLE, UNMOVABLE, RECLAIMABLE, MOVABLE)
    types: list[MigrateType] = [turns[number % 4] for number in range(machine.pageblocks)]
    if machine.era.cma != "none":
        large = 1 << machine.top
        first = -(-machine.start // large) * large + large
        for pfn in range(first, min(first + large, machine.end)):
            types[machine.pageblock_number(pfn)] = CMA
    if machine.era.reserve != "none" and len(types) > 8:
        types[len(types) // 2] = HIGHATOMIC
    return replace(machine, types=tuple(types))


def typed_machines() -> Iterator[Machine]:
    """Every era with pageblocks on every shape that it knows, with types and without."""
    for era in TYPED_ERAS:
        for shape in TYPED_SHAPES:
            try:
                # As for MACHINES: a dict has one type for all fields.
                machine = Machine(era=era, **shape)  # type: ignore[arg-type]
            except DomainError:
                continue
            yield machine
            if machine.pageblocks > 4:
                yield varied(machine)


TYPED_MACHINES = list(typed_machines())


LISTED_MACHINES = [
    Machine(
        pages=120,
        top=4,
        era=era,
        start=5,
        holes=((9, 14),),
        pageblock=None if era.numbering is None else 3,
        cpus=2,
        batch=2,
        min_free=24,
    )
    for era in TWIN_ERAS
]
"""A zone of every era with small lists and with marks."""


def name_of(machine: Machine) -> str:
    """A short name for a test's parameter."""
    name = f"{machine.era.name}-{machine.pages}-{machine.top}"
    name += "-listed" * bool(machine.cpus)
    if machine.pageblock is None:
        return name
    return f"{name}-{machine.pageblock}" + "-varied" * bool(machine.types)


def untyped(lists: Lists) -> list[list[Pfn]]:
    """The free lists of a machine without pageblocks: one per order."""
    return [blocks for of_order in lists for blocks in of_order.values()]


def requests(rows: npt.NDArray[np.int64]) -> list[tuple[Op, Outcome]]:
    """A stream's rows as requests of the spec, each with what the twin answered."""
    return [op_of(row) for row in rows.tolist()]
