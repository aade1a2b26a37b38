"""Machines and small readings that the tests of the twin share."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pageimpl.source import Kernels, installed_modules, plain_modules
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.verbs import Op, Verb

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

MACHINES = [Machine(era=era, **shape) for era in TWIN_ERAS for shape in SHAPES]  # type: ignore[arg-type]


def name_of(machine: Machine) -> str:
    """A short name for a test's parameter."""
    return f"{machine.era.name}-{machine.pages}-{machine.top}"


def requests(rows: npt.NDArray[np.int64]) -> list[tuple[Op, int]]:
    """A stream's rows as requests of the spec, each with what the twin answered."""
    verbs = (Verb.ALLOC, Verb.ALLOC, Verb.FREE, Verb.GET, Verb.PUT)
    return [
        (Op(verbs[verb], order, pfn, compound=verb == 1), result)
        for verb, order, pfn, result in rows.tolist()
    ]
