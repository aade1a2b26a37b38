"""What /proc/pagetypeinfo says: free blocks by type and order, and pageblocks by type."""

import re
from dataclasses import dataclass

from pagefuzz.errors import UsageError
from pagespec.migratetype import MigrateType

ZoneName = tuple[int, str]
Columns = tuple[int, ...]

_ORDER = re.compile(r"Page block order:\s*(\d+)")
_FREE = re.compile(r"Node\s+(\d+), zone\s+(\S+), type\s+(\S+)((?:\s+>?\d+)+)")
_HEADER = re.compile(r"Number of blocks type\s+(\S.*)")
_BLOCKS = re.compile(r"Node\s+(\d+), zone\s+(\S+)((?:\s+\d+)+)")
_MIXED = "Number of mixed blocks"
_IDLE = ("Pages per block:", "Free pages count per migrate type", _MIXED)


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


def read_pagetypeinfo(where: str, text: str) -> TypeInfo:
    """Read the file's text, in which each node with memory repeats all headings.

    UsageError names the first line that is not as expected. An empty file is none that a kernel
    prints: it is what a reader without the right to read leaves behind.
    """
    order: int | None = None
    names: list[MigrateType] = []
    is_mixed = False
    free: dict[ZoneName, dict[MigrateType, Columns]] = {}
    blocks: dict[ZoneName, dict[MigrateType, int]] = {}
    number = 0
    for number, full in enumerate(text.splitlines(), 1):
        here, line = f"{where}:{number}", full.strip()
        if not line or line.startswith(_IDLE):
            is_mixed = is_mixed or line.startswith(_MIXED)
        elif match := _ORDER.fullmatch(line):
            order = int(match[1])
        elif match := _FREE.fullmatch(line):
            zone = free.setdefault((int(match[1]), match[2]), {})
            _put_free(here, line, zone, _type(here, match[3]), match[4].split())
        elif match := _HEADER.fullmatch(line):
            names, is_mixed = [_type(here, name) for name in match[1].split()], False
        elif names and (match := _BLOCKS.fullmatch(line)):
            counts = match[3].split()
            if len(counts) != len(names):
                raise UsageError(
                    f"{here}: expected {len(names)} counts of pageblocks, got {line!r}"
                )
            if not is_mixed:
                blocks[int(match[1]), match[2]] = dict(zip(names, map(int, counts), strict=True))
        else:
            raise UsageError(f"{here}: expected a line of /proc/pagetypeinfo, got {line!r}")
    if order is None or not blocks:
        wanted = "counts of pageblocks by type" if order is not None else "'Page block order: N'"
        raise UsageError(
            f"{where}:{max(number, 1)}: expected {wanted} of /proc/pagetypeinfo, which root can"
            f" read, got {'the end of the file' if number else 'an empty file'}"
        )
    return TypeInfo(order, free, blocks)


def _put_free(
    here: str, line: str, zone: dict[MigrateType, Columns], mt: MigrateType, counts: list[str]
) -> None:
    if any(len(counts) != len(other) for other in zone.values()):
        raise UsageError(f"{here}: expected as many orders as for other types, got {line!r}")
    if all(count.isdecimal() for count in counts):
        zone[mt] = tuple(map(int, counts))


def _type(where: str, name: str) -> MigrateType:
    try:
        return MigrateType[name.upper()]
    except KeyError:
        known = ", ".join(mt.name.capitalize() for mt in MigrateType)
        raise UsageError(f"{where}: expected a type, one of {known}, got {name!r}") from None
