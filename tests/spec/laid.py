"""Zones laid out by hand: what is free on which list, and who holds the rest."""

from collections.abc import Iterable

from pagespec.buddy import add_to_free_list
from pagespec.era import ERAS
from pagespec.frames import SIZES
from pagespec.machine import Machine
from pagespec.migratetype import LETTERS, UNMOVABLE, MigrateType
from pagespec.zone import Held, Zone, account, empty_zone, lists_of

Laid = tuple[int, int, str]
"""A free block: its first frame, its order, and the letter of its list."""


def laid(
    era: str,
    types: str,
    free: Iterable[Laid],
    *,
    held: dict[range, MigrateType] | None = None,
    top: int = 4,
    pageblock: int = 4,
    start: int = 0,
    pages: int | None = None,
) -> Zone:
    """A zone whose pageblocks have these types and whose lists hold these blocks, first to last.

    Every other frame is held as a page of its own: of the type that `held` says, else UNMOVABLE.
    """
    mts = tuple(LETTERS[letter] for letter in types)
    pages = SIZES[pageblock] * len(mts) - start if pages is None else pages
    zone = empty_zone(Machine(pages, top, ERAS[era], start, pageblock=pageblock))
    zone.pageblocks = list(mts)
    taken: set[int] = set()
    for pfn, order, letter in free:
        add_to_free_list(zone, pfn, order, LETTERS[letter], to_tail=True)
        account(zone, SIZES[order], LETTERS[letter])
        taken |= set(range(pfn, pfn + SIZES[order]))
    for pfn in sorted(set(range(start, start + pages)) - taken):
        mt = next((mt for run, mt in (held or {}).items() if pfn in run), UNMOVABLE)
        zone.held[pfn] = Held(0, 1, compound=False, mt=mt)
        zone.given.add(pfn)
    zone.log.clear()
    return zone


def listing(zone: Zone) -> str:
    """The free lists in short, as `M: 12/2  U: 9/0 10/1`: by type, by order, then in list order."""
    found: dict[str, list[str]] = {}
    for order, lists in enumerate(lists_of(zone)):
        for mt, blocks in lists.items():
            letter = next(letter for letter, other in LETTERS.items() if other is mt)
            found.setdefault(letter, []).extend(f"{pfn}/{order}" for pfn in blocks)
    return "  ".join(f"{mt}: {' '.join(blocks)}" for mt, blocks in sorted(found.items()) if blocks)


def typing(zone: Zone) -> str:
    """The pageblocks' types by letter."""
    return "".join(
        next(letter for letter, other in LETTERS.items() if other is mt) for mt in zone.pageblocks
    )
