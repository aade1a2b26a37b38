"""What eras and machines have chosen of slabs, as small numbers."""

from pagespec.era import SlabCharge, SlabDesign
from pagespec.slab.machine import Scheme

SLUB = 0
SLAB = 1
DESIGNS: dict[SlabDesign, int] = {"slub": SLUB, "slab": SLAB}

NOBODY = 0
BY_CACHES = 1
BY_OBJECTS = 2
SCHEMES: dict[Scheme, int] = {"none": NOBODY, "caches": BY_CACHES, "objects": BY_OBJECTS}

CHARGE_SLABS = 0
CHARGE_BEFORE = 1
CHARGE_AFTER = 2
CHARGES: dict[SlabCharge, int] = {
    "slabs": CHARGE_SLABS,
    "before": CHARGE_BEFORE,
    "after": CHARGE_AFTER,
}

NO_LIMIT = -1
"""The limit of groups that may be charged for any number of frames."""
