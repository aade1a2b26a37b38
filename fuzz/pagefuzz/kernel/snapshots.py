"""A run's snapshots: what /proc said about the free pages at marked moments of the trace.

A snapshot is a directory named as in the trace's `SNAP name begin|end` markers. Exact ones hold
`free.ranges`, the frames that /proc/kpageflags calls free, as runs "first(hex) pages(dec)".
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

_PARTS = ("free.ranges", "zoneinfo", "buddyinfo.a", "buddyinfo.b", "pagetypeinfo")
_BESIDE = ("snaps.tar.xz", "snaps.tar.gz", "snaps.tar", "snaps")
_ZONE = re.compile(r"^Node (\d+), zone\s+(\S+)(.*)$", re.MULTILINE)
_PAGESET = re.compile(r"cpu: (\d+)\s+count:\s+(\d+)\s+high:\s+(\d+)\s+batch:\s+(\d+)")
_MAX_FRAMES = 1 << 32  # 16 TiB of 4 KiB frames


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone's name and the frames [first, end) that it spans, holes included."""

    name: ZoneName
    first: int
    end: int

    def __str__(self) -> str:
        return f"node {self.name[0]} {self.name[1]}"


class Pageset(NamedTuple):
    """What zoneinfo says of one CPU's lists of a zone, in frames."""

    pages: int
    high: int
    batch: int


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


def load(trace: str, given: str | None) -> tuple[str, dict[str, Snapshot]]:
    """Return where a run's exact snapshots are and the snapshots by name.

    Without a place given, look beside the trace; none there is no error, none in a given place is.
    """
    place = Path(given) if given is not None else _place_beside(trace)
    if place is None:
        return "", {}
    if not place.exists():
        raise UsageError(f"{place}: expected snapshots, got no such file or directory.")
    texts = _from_directory(place) if place.is_dir() else _from_tar(place)
    exact = {
        name: _snapshot(f"{place}/{name}", name, parts)
        for name, parts in sorted(texts.items())
        if "free.ranges" in parts
    }
    if given is not None and not exact:
        raise UsageError(f"{place}: expected NAME/free.ranges, got no snapshot that has it.")
    return (str(place), exact) if exact else ("", {})


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
        raise UsageError(f"{place}: {problem}.") from error
    return texts


def _snapshot(where: str, name: str, parts: dict[str, str]) -> Snapshot:
    for needed in ("zoneinfo", "buddyinfo.a"):
        if needed not in parts:
            raise UsageError(f"{where}: expected {needed} beside free.ranges, got none.")
    zones = _zones(f"{where}/zoneinfo", parts["zoneinfo"])
    readings = tuple(
        _buddyinfo(f"{where}/{part}", parts[part])
        for part in ("buddyinfo.a", "buddyinfo.b")
        if part in parts
    )
    types = None
    if "pagetypeinfo" in parts:
        types = read_pagetypeinfo(f"{where}/pagetypeinfo", parts["pagetypeinfo"])
        top = len(next(iter(readings[0].values()))) - 1
        if types.order > top:
            raise UsageError(
                f"{where}/pagetypeinfo: expected a page block order up to {top}, the top order of"
                f" buddyinfo, got {types.order}."
            )
    return Snapshot(
        name,
        _runs(f"{where}/free.ranges", parts["free.ranges"]),
        zones,
        readings,
        types.order if types else None,
        types,
        dict(_sizes(parts["zoneinfo"])),
    )


def _runs(where: str, text: str) -> tuple[tuple[int, int], ...]:
    runs = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            first, pages = line.split()
            run = int(first, 16), int(first, 16) + int(pages)
        except ValueError:
            run = (0, 0)
        if not 0 <= run[0] < run[1] <= _MAX_FRAMES:
            raise UsageError(f"{where}:{number}: expected 'first(hex) pages(dec)', got {line!r}.")
        runs.append(run)
    return tuple(runs)


def _zones(where: str, text: str) -> tuple[Zone, ...]:
    zones = []
    for name, body in _bodies(text):
        spanned, first = _number(body, "spanned"), _number(body, "start_pfn:")
        if spanned and first is not None:  # unpopulated zones have no start
            zones.append(Zone(name, first, first + spanned))
    if not zones or max(zone.end for zone in zones) > _MAX_FRAMES:
        heads = len([*_bodies(text)])
        raise UsageError(f"{where}: expected zones with spanned and start_pfn, got {heads}.")
    return tuple(zones)


def _sizes(text: str) -> Iterator[tuple[ZoneName, Sizes]]:
    for name, body in _bodies(text):
        managed, low = _number(body, "managed"), _number(body, "low")
        pagesets = {
            int(cpu): Pageset(int(pages), int(high), int(batch))
            for cpu, pages, high, batch in _PAGESET.findall(body)
        }
        if managed is not None and low is not None and pagesets:
            boost = _number(body, "boost") or 0
            yield name, Sizes(managed, low - boost, boost, pagesets)


def _bodies(text: str) -> Iterator[tuple[ZoneName, str]]:
    heads = [*_ZONE.finditer(text)]
    for head, following in zip(heads, [*heads[1:], None], strict=True):
        yield (int(head[1]), head[2]), text[head.end() : following.start() if following else None]


def _number(body: str, key: str) -> int | None:
    match = re.search(rf"^\s+{key}\s+(\d+)", body, re.MULTILINE)
    return int(match[1]) if match else None


def _buddyinfo(where: str, text: str) -> dict[ZoneName, Columns]:
    rows: dict[ZoneName, Columns] = {}
    for head in _ZONE.finditer(text):
        columns = head[3].split()
        if not columns or not all(column.isdecimal() for column in columns):
            raise UsageError(f"{where}: expected block counts by order, got {head[0]!r}.")
        rows[int(head[1]), head[2]] = tuple(map(int, columns))
    if not rows:
        raise UsageError(f"{where}: expected 'Node N, zone NAME counts', got no such line.")
    return rows
