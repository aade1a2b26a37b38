"""What /proc/pagetypeinfo says: free blocks by type and order, and pageblocks by type."""

import re
from dataclasses import dataclass

from pagefuzz.errors import UsageError
from pagespec.migratetype import MigrateType

ZoneName = tuple[int, str]
Columns = tuple[int, ...]

_ORDER = re.compile(r"^Page block order:\s*(\d+)", re.MULTILINE)
_FREE = re.compile(r"^Node\s+(\d+), zone\s+(\S+), type\s+(\S+)\s+(\S.*?)\s*$", re.MULTILINE)
_HEADER = re.compile(r"^Number of blocks type\s+(\S.*?)\s*$", re.MULTILINE)
_BLOCKS = re.compile(r"^Node\s+(\d+), zone\s+(\S+)((?:\s+\d+)+)\s*$", re.MULTILINE)
_END = re.compile(r"^Number of mixed blocks", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class TypeInfo:
    """One reading: the pageblock order, and by zone what each type has.

    free: blocks on the lists of each type by order; absent where the kernel printed that it stopped
        counting (">100000").
    blocks: pageblocks of each type, holes of the zone included.
    """

    order: int
    free: dict[ZoneName, dict[MigrateType, Columns]]
    blocks: dict[ZoneName, dict[MigrateType, int]]

    @property
    def types(self) -> frozenset[MigrateType]:
        """The types that this kernel was built with."""
        return frozenset(mt for row in self.blocks.values() for mt in row)


def read_pagetypeinfo(where: str, text: str) -> TypeInfo | None:
    """Read the file's text, or return None if it has no pageblock order.

    UsageError says which type is none.
    """
    order = _ORDER.search(text)
    header = _HEADER.search(text)
    if order is None or header is None:
        return None
    ending = _END.search(text)
    tail = text[header.end() : ending.start() if ending else len(text)]
    names = [_type(where, name) for name in header[1].split()]
    blocks = {}
    for row in _BLOCKS.finditer(tail):
        counts = row[3].split()
        if len(counts) != len(names):
            raise UsageError(
                f"{where}: expected {len(names)} counts of pageblocks, got {row[0]!r}."
            )
        blocks[int(row[1]), row[2]] = dict(zip(names, map(int, counts), strict=True))
    free: dict[ZoneName, dict[MigrateType, Columns]] = {}
    for row in _FREE.finditer(text):
        counts = row[4].split()
        zone = free.setdefault((int(row[1]), row[2]), {})
        if any(len(counts) != len(other) for other in zone.values()):
            raise UsageError(f"{where}: expected as many orders as for other types: {row[0]!r}.")
        if all(count.isdecimal() for count in counts):
            zone[_type(where, row[3])] = tuple(map(int, counts))
    return TypeInfo(int(order[1]), free, blocks)


def _type(where: str, name: str) -> MigrateType:
    try:
        return MigrateType[name.upper()]
    except KeyError:
        known = ", ".join(mt.name.capitalize() for mt in MigrateType)
        raise UsageError(f"{where}: expected a type, one of {known}, got {name!r}.") from None
