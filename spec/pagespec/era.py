"""Eras as data: what each kernel chose, one record a release.

Code asks the era; there is no folder per kernel version. A choice is a word, so that a report can
print it.
Source: mm/page_alloc.c of the releases that are named, and the four postings of the 2004 series
(26 August to 8 September, linux-mm).
"""

from dataclasses import dataclass
from typing import Literal

from pagespec.types import DomainError

Design = Literal["bitmap", "tag"]
IndexBase = Literal["zone", "pfn"]
Placement = Literal["head", "likely", "likely-2.6.39"]
Bounds = Literal["zone", "aligned-order", "buddyend"]


@dataclass(frozen=True, slots=True)
class Era:
    """The choices of one release, as far as the allocator's behaviour depends on them.

    design: pair bitmaps, or the order in the page of each free block's head.
    index_base: whether alignment counts frames from the zone's start or from frame zero.
    placement: where a freed block enters its list: always at the head; at the tail when a merge
        is likely; or the same with 2.6.39's slip, which never finds it likely for upper halves.
    bounds: how the merge loop knows that a buddy exists: by the zone's bounds and holes, or by
        one of the two ways of 2004 that were not merged.
    boot_to_tail: whether memory that boot hands over enters at the tail.
    """

    name: str
    design: Design = "tag"
    index_base: IndexBase = "pfn"
    placement: Placement = "likely"
    bounds: Bounds = "zone"
    boot_to_tail: bool = False


ERAS: dict[str, Era] = {
    era.name: era
    for era in (
        Era("2.6.8", design="bitmap", index_base="zone", placement="head"),
        Era("2004-v1", index_base="zone", placement="head", bounds="aligned-order"),
        Era("2004-v2", index_base="zone", placement="head", bounds="buddyend"),
        Era("2.6.11", index_base="zone", placement="head"),
        Era("2.6.37"),
        Era("2.6.39", placement="likely-2.6.39"),
        Era("4.10"),
        Era("4.11-rc"),
        Era("5.15", boot_to_tail=True),
        Era("6.1", boot_to_tail=True),
        Era("6.12", boot_to_tail=True),
    )
}
"""Every era by name, oldest first."""


def era_named(name: str) -> Era:
    """The era of that name.

    Raises DomainError, which lists the names, for any other.
    """
    if name not in ERAS:
        raise DomainError(f"no era is called {name!r}; expected one of {', '.join(ERAS)}")
    return ERAS[name]
