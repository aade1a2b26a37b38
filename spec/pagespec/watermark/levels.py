"""A zone's marks as they stand: plain data, and how they come about.

Source: mm/page_alloc.c (__setup_per_zone_wmarks, setup_per_zone_lowmem_reserve), 2.6.11 to 6.12.
"""

from dataclasses import dataclass, replace

from pagespec.era import Era
from pagespec.machine import Machine
from pagespec.watermark.marks import (
    Marks,
    marks_apart,
    marks_by_scale,
    marks_by_shift,
    marks_of_quarters,
    marks_of_thirds,
    share_of,
)


@dataclass(slots=True)
class Levels:
    """The marks of one zone.

    reserve: what the zone keeps, in frames, from requests of each class of zones. boost: what is
    added to every mark for now. boosted: whether kswapd is yet to be woken for that. below_high:
    whether the zone was found below its high mark. reclaiming: whether kswapd is at work on its
    node.
    """

    marks: Marks
    reserve: tuple[int, ...]
    boost: int = 0
    boosted: bool = False
    below_high: bool = False
    reclaiming: bool = False


def copy_of_levels(levels: Levels | None) -> Levels | None:
    """The same levels, sharing nothing that changes."""
    return None if levels is None else replace(levels)


def levels_of(machine: Machine) -> Levels | None:
    """The marks of a zone that is alone on its node."""
    if machine.min_free is None:
        return None
    pages = machine.managed_pages
    return Levels(marks_of(machine.era, machine.min_free, pages, pages), (0,))


def marks_of(
    era: Era, kbytes: int, managed: int, lowmem_pages: int, *, apart: bool = False
) -> Marks:
    """The marks of a zone for a given min_free_kbytes of the host.

    lowmem_pages: the frames of all zones that share it. apart: whether the zone does not, because
    no request of the kernel's own can be served by it: it keeps a little, but wakes kswapd alike.
    """
    share = share_of(kbytes, managed, lowmem_pages)
    if apart:
        return marks_apart(marks_by_scale(share, managed), managed)
    if era.marks == "thirds":
        return marks_of_thirds(share)
    if era.marks == "quarters":
        return marks_of_quarters(share)
    if era.marks == "shift":
        return marks_by_shift(share, share)
    return marks_by_scale(share, managed)
