"""What /proc/zoneinfo says of each zone, in the words of any release from 2.6.37 to 6.18.

Columns and lines moved over the years, so all is read by its word and never by its place. A file
that ends early must not pass for a smaller machine: a zone with memory ends with its first frame,
and since 5.12 every node prints as many zones as a zone protects others from.

Source: mm/vmstat.c (zoneinfo_show_print), 2.6.37 to 6.18.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from pagefuzz.errors import UsageError
from pagefuzz.kernel.pagetypeinfo import ZoneName
from pagefuzz.report.words import counted

MOST_CPUS = 8192
MOST_PAGES = 2**40
_MOST = 2**64 - 1
_SHOWN = 60  # characters of a line that is quoted

_HEAD = re.compile(r"Node (\d{1,6}), zone\s+(\S+)")
_FREE = re.compile(r"pages (free)\s+(\d{1,20})")
_AMOUNT = re.compile(r"(\w+)\s+(\d{1,20})")
_FIELD = re.compile(r"(\w+):\s+(\d{1,20})")
_THRESHOLD = re.compile(r"vm stats (threshold):\s+(\d{1,20})")
_PROTECTION = re.compile(r"protection: \((\d{1,20}(?:, \d{1,20})*)\)")
_NODE_TITLE, _CPU_TITLE = "per-node stats", "pagesets"
_OF_CPU = ("count", "high", "batch", "high_min", "high_max", "threshold")
_OF_ZONE = ("free", "min", "low", "high", "spanned", "present")
_OF_MEMORY = ("nr_free_pages", "start_pfn")
_OF_SIZE = ("free", "spanned", "present", "managed", "start_pfn")


class Pageset(NamedTuple):
    """What zoneinfo says of one CPU's lists of a zone, in frames, and of its counters.

    threshold: beyond which the CPU tells the zone; None where the kernel is built for one CPU.
    """

    pages: int
    high: int
    batch: int
    threshold: int | None = None


@dataclass(frozen=True, slots=True)
class ZoneInfo:
    """A zone as it was printed: where it begins in the file, and what it says.

    amounts: frames and counters by their words, in the file's order. protection: frames kept from
    requests of higher zones. pagesets: of each CPU that runs; none for a zone without memory.
    """

    name: ZoneName
    line: int
    amounts: dict[str, int]
    protection: tuple[int, ...]
    pagesets: dict[int, Pageset]

    @property
    def managed(self) -> int:
        """The frames that the allocator has; releases before 3.9 count all that are present."""
        return self.amounts.get("managed", self.amounts["present"])

    @property
    def title(self) -> str:
        """The zone in words."""
        return f"node {self.name[0]} {self.name[1]}"


@dataclass(slots=True)
class _Open:
    """A zone of which more is to come. `words` is where the words of the latest title go."""

    name: ZoneName
    line: int
    amounts: dict[str, int] = field(default_factory=dict)
    protection: tuple[int, ...] = ()
    cpus: dict[int, dict[str, int]] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)


def read_zoneinfo(where: str, text: str) -> tuple[ZoneInfo, ...]:
    """Read the file's text. UsageError names the line that is not as expected, or where it ends."""
    zones: list[ZoneInfo] = []
    zone: _Open | None = None
    number = 0
    for number, full in enumerate(text.splitlines(), 1):
        line = full.strip()
        if match := _HEAD.fullmatch(line):
            if zone is not None:
                zones.append(_closed(where, number, "another zone", zone))
            zone = _Open((int(match[1]), match[2]), number)
        elif line and (zone is None or not _takes(zone, line)):
            wanted = "a line of /proc/zoneinfo" if zone else "'Node N, zone NAME' of /proc/zoneinfo"
            raise UsageError(f"{where}:{number}: expected {wanted}, got {line[:_SHOWN]!r}")
    if zone is None:
        raise UsageError(
            f"{where}: expected 'Node N, zone NAME' of /proc/zoneinfo, got an empty file"
        )
    if not text.endswith("\n"):
        raise UsageError(f"{where}:{number}: expected a whole line, got the end of the file")
    zones.append(_closed(where, number, "the end of the file", zone))
    _check_whole(where, number, zones)
    return tuple(zones)


def _takes(zone: _Open, line: str) -> bool:
    """Take a line into the zone, and return whether it is one of the file's at all."""
    if line == _NODE_TITLE:
        zone.words = {}  # counters of the node: they are those of no zone
    elif line == _CPU_TITLE:
        zone.words = zone.amounts
    elif match := _PROTECTION.fullmatch(line):
        zone.protection = tuple(map(int, match[1].split(", ")))
    elif match := _THRESHOLD.fullmatch(line) or _FIELD.fullmatch(line):
        return _takes_field(zone, match[1], int(match[2]))
    elif match := _FREE.fullmatch(line):
        zone.words = zone.amounts
        return _put(zone.words, match[1], int(match[2]))
    elif match := _AMOUNT.fullmatch(line):
        return _put(zone.words, match[1], int(match[2]))
    else:
        return False
    return True


def _takes_field(zone: _Open, word: str, amount: int) -> bool:
    if word == "cpu":
        fresh = amount not in zone.cpus and len(zone.cpus) < MOST_CPUS
        zone.cpus.setdefault(amount, {})
        return fresh
    if word not in _OF_CPU:
        return _put(zone.amounts, word, amount)
    return bool(zone.cpus) and _put(zone.cpus[[*zone.cpus][-1]], word, amount)


def _put(words: dict[str, int], word: str, amount: int) -> bool:
    most = MOST_PAGES if word in _OF_SIZE else _MOST
    if word in words or amount > most:
        return False
    words[word] = amount
    return True


def _closed(where: str, number: int, got: str, zone: _Open) -> ZoneInfo:
    """End a zone, of which nothing may be missing."""
    missing = [word for word in _OF_ZONE if word not in zone.amounts]
    if not zone.protection:
        missing.append("protection")
    if zone.cpus or zone.amounts.get("present"):
        missing += [word for word in _OF_MEMORY if word not in zone.amounts]
        missing += ["pagesets"] if not zone.cpus else []
    for cpu, words in zone.cpus.items():
        missing += [
            f"{word} of CPU {cpu}" for word in ("count", "high", "batch") if word not in words
        ]
    if missing:
        node, name = zone.name
        raise UsageError(
            f"{where}:{number}: expected {missing[0]} of zone {name} of node {node}, got {got}"
        )
    pagesets = {
        cpu: Pageset(words["count"], words["high"], words["batch"], words.get("threshold"))
        for cpu, words in zone.cpus.items()
    }
    return ZoneInfo(zone.name, zone.line, zone.amounts, zone.protection, pagesets)


def _check_whole(where: str, number: int, zones: list[ZoneInfo]) -> None:
    names = Counter(zone.name for zone in zones)
    for zone in zones:
        if names[zone.name] > 1:
            raise UsageError(
                f"{where}:{zone.line}: expected each zone once, got {zone.title} again"
            )
        found = sum(name[0] == zone.name[0] for name in names)
        if "cma" in zone.amounts and found != len(zone.protection):
            raise UsageError(
                f"{where}:{number}: expected {counted(len(zone.protection), 'zone')} of node"
                f" {zone.name[0]}, got {found}"
            )
