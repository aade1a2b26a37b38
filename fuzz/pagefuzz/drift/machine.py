"""The machine that is asked about: CPUs, zones, and the rules by which it counts."""

from typing import NamedTuple

from pagefuzz.errors import UsageError
from pagespec.era import ERAS, Era, era_named
from pagespec.host import MAX_NODES
from pagespec.machine import MAX_CPUS
from pagespec.vmstat.machine import MAX_ZONES, CountedZone
from pagespec.watermark.levels import marks_of
from pagespec.watermark.marks import MIN_FREE_RULES, Marks, min_free_kbytes

MOST_PAGES = 2**32
"""The largest zone, 16 TiB: a limit of this command's own, which follows from no formula."""

PAGES_A_MIB = 2**8
PAGES_A_GIB = 2**18
PAGES_A_TIB = 2**28

MOST_KBYTES = 2**32 - 1
"""The largest min_free_kbytes."""


class Asked(NamedTuple):
    """A machine. min_free: min_free_kbytes, from which the marks of its zones follow."""

    era: Era
    cpus: int
    zones: tuple[CountedZone, ...]
    min_free: int

    @property
    def pages(self) -> int:
        """All frames of the machine."""
        return sum(zone.pages for zone in self.zones)

    @property
    def largest(self) -> CountedZone:
        """The zone that counters are compared in: where most requests are served."""
        return max(self.zones, key=lambda zone: zone.pages)


def asked(
    era: str, cpus: int, zones: tuple[CountedZone, ...], min_free: int | None = None
) -> Asked:
    """The machine of that description; without min_free the kernel's own choice for its memory.

    Raises UsageError or DomainError for a machine that there is not, or that counts without cells.
    """
    rules = counting_era(era)
    if not 1 <= cpus <= MAX_CPUS:
        raise UsageError(f"{cpus} CPUs: expected 1 to {MAX_CPUS}")
    if not 1 <= len(zones) <= MAX_ZONES:
        raise UsageError(f"{len(zones)} zones: expected 1 to {MAX_ZONES}")
    for zone in zones:
        check_zone(zone)
    if min_free is not None and not 0 <= min_free <= MOST_KBYTES:
        raise UsageError(f"min_free_kbytes {min_free}: expected KiB from 0 to {MOST_KBYTES}")
    return Asked(rules, cpus, zones, own_min_free(rules, zones) if min_free is None else min_free)


def counting_era(name: str) -> Era:
    """The era of that name.

    Raises DomainError if there is none, UsageError if it counts without cells.
    """
    era = era_named(name)
    if era.cells == "none":
        counting = ", ".join(one for one, rules in ERAS.items() if rules.cells != "none")
        raise UsageError(
            f"era {name} counts without cells, so nothing drifts; expected one of {counting}"
        )
    return era


def check_zone(zone: CountedZone) -> None:
    """See that there can be such a zone. Raises UsageError."""
    if not 1 <= zone.pages <= MOST_PAGES:
        raise UsageError(
            f"a zone of {zone.pages} pages: expected 1 to {MOST_PAGES}, which is 16T and this "
            "command's own limit"
        )
    if not 0 <= zone.node < MAX_NODES:
        raise UsageError(f"a zone of node {zone.node}: expected 0 to {MAX_NODES - 1}")


def own_min_free(era: Era, zones: tuple[CountedZone, ...]) -> int:
    """The kernel's own choice of min_free_kbytes for those zones."""
    kbytes = 4 * sum(zone.pages for zone in zones)
    return min_free_kbytes(kbytes, MIN_FREE_RULES[era.min_free])


def marks_in(machine: Asked, zone: CountedZone) -> Marks:
    """The marks of one of the machine's zones."""
    return marks_of(machine.era, machine.min_free, zone.pages, machine.pages)


def alone(machine: Asked, pages: int) -> Asked:
    """A machine with the same rules and CPUs, whose memory is one zone of so many frames."""
    zones = (CountedZone(0, pages),)
    return machine._replace(zones=zones, min_free=own_min_free(machine.era, zones))


REVIEWED = ("4.10", 112, (CountedZone(0, 31 * PAGES_A_GIB), CountedZone(1, 31 * PAGES_A_GIB)))
"""The machine of the review of December 2017: 112 CPUs, 62 GiB, two nodes; the nearest era."""
