"""A run's snapshots: what /proc said about the free pages at marked moments of the trace.

A snapshot is a directory named as in the trace's `SNAP name begin|end` markers. Exact ones hold
`free.ranges`, the frames that /proc/kpageflags calls free, as runs "first(hex) pages(dec)". What
zoneinfo counts is read of the others, too.
"""

import re
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pagefuzz.errors import UsageError
from pagefuzz.kernel.files import READ_ERRORS, beside
from pagefuzz.kernel.pagetypeinfo import Columns, TypeInfo, ZoneName, read_pagetypeinfo
from pagefuzz.kernel.zoneinfo import Pageset, ZoneInfo, read_zoneinfo

_LISTS = ("buddyinfo.a", "buddyinfo.b")
_PARTS = ("free.ranges", "zoneinfo", *_LISTS, "pagetypeinfo")
_BESIDE = ("snaps.tar.xz", "snaps.tar.gz", "snaps.tar", "snaps")
_ZONE = re.compile(r"^Node (\d+), zone\s+(\S+)(.*)$", re.MULTILINE)
_COUNT = re.compile(r"\d{1,20}")
_MAX_FRAMES = 1 << 32  # 16 TiB of 4 KiB frames


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone's name and the frames [first, end) that it spans, holes included."""

    name: ZoneName
    first: int
    end: int

    def __str__(self) -> str:
        return f"node {self.name[0]} {self.name[1]}"


class Sizes(NamedTuple):
    """What the sizes of a zone's lists follow from, and each CPU's lists; low without its boost."""

    managed: int
    low: int
    boost: int
    pagesets: dict[int, Pageset]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The free frames of all zones as runs, the zones, and what the other files say of them.

    buddyinfo has both readings; types is None without a pagetypeinfo. sizes has the zones whose
    CPUs' lists zoneinfo tells.
    """

    name: str
    runs: tuple[tuple[int, int], ...]
    zones: tuple[Zone, ...]
    buddyinfo: tuple[dict[ZoneName, Columns], ...]
    pageblock_order: int | None
    types: TypeInfo | None = None
    sizes: dict[ZoneName, Sizes] = field(default_factory=dict)

    @property
    def top(self) -> int:
        """The largest order: buddyinfo has one column for each."""
        return len(next(iter(self.buddyinfo[0].values()))) - 1

    def end(self) -> int:
        """The first frame behind all zones."""
        return max(zone.end for zone in self.zones)


class Reading(NamedTuple):
    """What zoneinfo said at one moment, in the file `where`, and buddyinfo before and after it."""

    name: str
    where: str
    zones: tuple[ZoneInfo, ...]
    buddyinfo: tuple[dict[ZoneName, Columns], ...]


class Snapshots(NamedTuple):
    """Where a run's snapshots are, the exact ones by name, and what all of them count."""

    place: str
    exact: dict[str, Snapshot]
    readings: tuple[Reading, ...]


NO_SNAPSHOTS = Snapshots("", {}, ())


def load(trace: str, given: str | None) -> Snapshots:
    """Return a run's snapshots.

    Without a place given, look beside the trace; none there is no error, none in a given place is.
    """
    place = Path(given) if given is not None else _place_beside(trace)
    if place is None:
        return NO_SNAPSHOTS
    if not place.exists():
        raise UsageError(f"{place}: expected snapshots, got no such file or directory")
    texts = _from_directory(place) if place.is_dir() else _from_tar(place)
    exact = {
        name: _snapshot(f"{place}/{name}", name, parts)
        for name, parts in sorted(texts.items())
        if "free.ranges" in parts
    }
    if given is not None and not exact:
        raise UsageError(f"{place}: expected NAME/free.ranges, got no snapshot that has it")
    if not exact:
        return NO_SNAPSHOTS
    readings = (
        _reading(name, f"{place}/{name}", parts)
        for name, parts in sorted(texts.items())
        if "zoneinfo" in parts
    )
    return Snapshots(str(place), exact, tuple(readings))


def _place_beside(trace: str) -> Path | None:
    directory = beside(trace, ".")
    if found := beside(trace, *_BESIDE):
        return found
    return directory if directory and any(directory.glob("*/free.ranges")) else None


def _from_directory(place: Path) -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(place.rglob("*")):
        if path.name in _PARTS and path.is_file():
            texts[path.parent.name][path.name] = path.read_text("utf-8", "replace")
    return texts


def _from_tar(place: Path) -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    try:
        with tarfile.open(place) as archive:
            for member in archive:
                path = Path(member.name)
                stream = archive.extractfile(member) if path.name in _PARTS else None
                if stream is not None:
                    texts[path.parent.name][path.name] = stream.read().decode("utf-8", "replace")
    except (tarfile.TarError, *READ_ERRORS) as error:
        problem = "expected a whole tar of snapshots, got something else or a damaged one"
        raise UsageError(f"{place}: {problem}") from error
    return texts


def _snapshot(where: str, name: str, parts: dict[str, str]) -> Snapshot:
    for needed in ("zoneinfo", "buddyinfo.a"):
        if needed not in parts:
            raise UsageError(f"{where}: expected {needed} beside free.ranges, got none")
    zones = read_zoneinfo(f"{where}/zoneinfo", parts["zoneinfo"])
    readings = _lists(_parts_of(where, parts))
    types = None
    if "pagetypeinfo" in parts:
        types = read_pagetypeinfo(f"{where}/pagetypeinfo", parts["pagetypeinfo"])
        top = len(next(iter(readings[0].values()))) - 1
        if types.order > top:
            raise UsageError(
                f"{where}/pagetypeinfo: expected a page block order up to {top}, the top order of"
                f" buddyinfo, got {types.order}"
            )
    return Snapshot(
        name,
        _runs(f"{where}/free.ranges", parts["free.ranges"]),
        _zones(f"{where}/zoneinfo", zones),
        readings,
        types.order if types else None,
        types,
        dict(_sizes(zones)),
    )


def reading(name: str, where: str, text: str, lists: dict[str, str]) -> Reading:
    """Read zoneinfo's text, and that of the files of buddyinfo by their paths, as read in turn."""
    return Reading(name, where, read_zoneinfo(where, text), _lists(lists))


def _reading(name: str, where: str, parts: dict[str, str]) -> Reading:
    return reading(name, f"{where}/zoneinfo", parts["zoneinfo"], _parts_of(where, parts))


def _parts_of(where: str, parts: dict[str, str]) -> dict[str, str]:
    return {f"{where}/{part}": parts[part] for part in _LISTS if part in parts}


def _lists(texts: dict[str, str]) -> tuple[dict[ZoneName, Columns], ...]:
    return tuple(_buddyinfo(path, text) for path, text in texts.items())


def _runs(where: str, text: str) -> tuple[tuple[int, int], ...]:
    runs = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            first, pages = line.split()
            run = int(first, 16), int(first, 16) + int(pages)
        except ValueError:
            run = (0, 0)
        if not 0 <= run[0] < run[1] <= _MAX_FRAMES:
            raise UsageError(f"{where}:{number}: expected 'first(hex) pages(dec)', got {line!r}")
        runs.append(run)
    return tuple(runs)


def _zones(where: str, zones: tuple[ZoneInfo, ...]) -> tuple[Zone, ...]:
    found = []
    for zone in zones:
        spanned, first = zone.amounts["spanned"], zone.amounts.get("start_pfn")
        if spanned and first is not None:  # unpopulated zones have no start
            found.append(Zone(zone.name, first, first + spanned))
    end = max((zone.end for zone in found), default=0)
    if not 0 < end <= _MAX_FRAMES:
        wanted = f"zones with memory, all of it below frame {_MAX_FRAMES:#x}"
        raise UsageError(
            f"{where}: expected {wanted}, got {f'it up to {end:#x}' if end else 'none'}"
        )
    return tuple(found)


def _sizes(zones: tuple[ZoneInfo, ...]) -> Iterator[tuple[ZoneName, Sizes]]:
    for zone in zones:
        if zone.pagesets:
            boost = zone.amounts.get("boost", 0)
            yield zone.name, Sizes(zone.managed, zone.amounts["low"] - boost, boost, zone.pagesets)


def _buddyinfo(where: str, text: str) -> dict[ZoneName, Columns]:
    rows: dict[ZoneName, Columns] = {}
    for head in _ZONE.finditer(text):
        columns = head[3].split()
        if not columns or not all(map(_COUNT.fullmatch, columns)):
            raise UsageError(f"{where}: expected block counts by order, got {head[0]!r}")
        rows[int(head[1]), head[2]] = tuple(map(int, columns))
    if not rows:
        raise UsageError(f"{where}: expected 'Node N, zone NAME counts', got no such line")
    return rows
