"""Migratetypes: what a pageblock is for, and which type may take from which.

A request says whether its memory can be moved, reclaimed, or neither; blocks of one kind are kept
together, pageblock by pageblock, so that large blocks can form again. The other types are not asked
for by their name: a reserve for atomic requests, memory that a device may claim whole (CMA), and
pageblocks that are being emptied.
Source: include/linux/mmzone.h and mm/page_alloc.c (fallbacks, show_migration_types).
"""

from enum import IntEnum
from typing import Literal, TypeAlias


class MigrateType(IntEnum):
    """A pageblock's type. The values are those of 4.4 and later, and the twin's in every era."""

    UNMOVABLE = 0
    MOVABLE = 1
    RECLAIMABLE = 2
    HIGHATOMIC = 3
    CMA = 4
    ISOLATE = 5
    RESERVE = 6
    """The emergency reserve that HIGHATOMIC replaced; the number is ours."""

    # An enumeration hashes its names, in Python; every look at a free list hashes a type.
    __hash__ = int.__hash__


UNMOVABLE, MOVABLE, RECLAIMABLE, HIGHATOMIC, CMA, ISOLATE, RESERVE = MigrateType

LETTERS: dict[str, MigrateType] = dict(zip("UMEHCIR", MigrateType, strict=True))
"""The kernel's letter for each type, as its dumps print them."""

LETTER_OF: dict[MigrateType, str] = {mt: letter for letter, mt in LETTERS.items()}

REQUESTED: tuple[MigrateType, ...] = (UNMOVABLE, MOVABLE, RECLAIMABLE)
"""The types that a request may have. Only these merge with one another once a barrier exists."""

FALLBACKS: dict[MigrateType, tuple[MigrateType, MigrateType]] = {
    UNMOVABLE: (RECLAIMABLE, MOVABLE),
    RECLAIMABLE: (UNMOVABLE, MOVABLE),
    MOVABLE: (RECLAIMABLE, UNMOVABLE),
}
"""Whose memory a request may take when its own type has none: the first that has any."""

Numbering: TypeAlias = Literal["reclaimable-first", "movable-first"]

NUMBERS: dict[Numbering, tuple[MigrateType, ...]] = {
    "reclaimable-first": (UNMOVABLE, RECLAIMABLE, MOVABLE, RESERVE, ISOLATE),
    "movable-first": (UNMOVABLE, MOVABLE, RECLAIMABLE, HIGHATOMIC, CMA, ISOLATE),
}
"""The types by the number that tracepoints print: until 4.3, and since."""
