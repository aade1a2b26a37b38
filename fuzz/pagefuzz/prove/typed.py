"""The domains that are exhausted on two pageblocks of 4 frames, each over a part of the vocabulary.

All of it at once does not close in minutes: single frames, splits, poisoned frames and ranges that
are taken frame by frame multiply one another's states. So every request is tried together with
those that it can meet soonest, and each row names all that it covers.
"""

from typing import NamedTuple

from pagefuzz.prove.exhaust import Counts, exhaust
from pagefuzz.prove.twin import plain_twin_beside
from pagefuzz.prove.vocabulary import Asked, groups_in, vocabulary_of
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import (
    CMA,
    HIGHATOMIC,
    LETTER_OF,
    MOVABLE,
    REQUESTED,
    UNMOVABLE,
    MigrateType,
)
from pagespec.types import Order

PAGES, TOP, PAGEBLOCK = 8, 3, 2


class TypedDomain(NamedTuple):
    """One zone of two pageblocks in one era, and the requests that are tried there.

    groups: of `vocabulary`. types: of the pageblocks before boot, MOVABLE if empty. guard: below
    which order halves become guards. twin: whether the fast twin serves every request too.
    """

    era: str
    groups: tuple[str, ...]
    asked: Asked
    types: tuple[MigrateType, ...] = ()
    guard: Order = 0
    twin: bool = False

    @property
    def lengths(self) -> range:
        """The lengths of its zones, in frames."""
        return range(PAGES, PAGES + 1)

    def machine(self, pages: int = PAGES) -> Machine:
        """The machine of the zone."""
        era = ERAS[self.era]
        return Machine(pages, TOP, era, pageblock=PAGEBLOCK, types=self.types, guard=self.guard)

    def exhaust(self, pages: int) -> Counts:
        """The counts of the zone. Raises LawBroken as `exhaust` does."""
        machine = self.machine(pages)
        vocabulary = vocabulary_of(machine, self.asked, ("alloc", *self.groups))
        beside = plain_twin_beside(machine) if self.twin else None
        return exhaust(machine, vocabulary, beside=beside)

    def __str__(self) -> str:
        groups = groups_in(self.machine(), self.asked, self.groups)
        words = [f"era {self.era} pageblocks 2 of 4 alloc {self.asked} free", *groups]
        if self.types:
            words.append("from " + "".join(LETTER_OF[mt] for mt in self.types))
        if self.guard:
            words.append(f"guard {self.guard}")
        return " ".join([*words, "beside the twin"] if self.twin else words)


WITH_PAGEBLOCKS = tuple(name for name, era in ERAS.items() if era.numbering is not None)
TYPED = tuple(name for name in WITH_PAGEBLOCKS if name not in ("4.11-rc", "5.8"))
"""An era for each way with pageblocks; 4.11-rc chooses as 4.10 does, as far as the buddy goes. 5.8
falls back as 5.15 and places blocks as 4.10: no way that is new, for minutes more of a search."""

RESERVING = ("4.10", "5.15", "6.1")
"""The eras that reserve a pageblock in a zone that small."""

ALL = Asked((0, 1, 2, 3), REQUESTED)
PAIRS = Asked((1, 2, 3), REQUESTED)
TWO_KINDS = (UNMOVABLE, MOVABLE)
WHOLE = Asked((3,), (MOVABLE,))

RANGES = ("isolate", "restore", "offline", "online")
ON_BLOCKS = ("nofragment", "atomic", "unreserve", *RANGES)
"""All groups that leave blocks as large as they are asked for."""

TYPED_DOMAINS = (
    # Fallback between three types, down to single frames. Of each two eras that differ only in
    # what such requests do not reach (or in the placement) one has two types.
    *(TypedDomain(era, (), ALL) for era in ("2.6.39", "4.10", "6.1")),
    TypedDomain("6.12", ("nofragment",), ALL),
    *(TypedDomain(era, (), ALL._replace(types=TWO_KINDS)) for era in ("2.6.37", "5.15")),
    # Everything that works on blocks, with pairs of frames as the smallest.
    *(TypedDomain(era, ON_BLOCKS, PAIRS) for era in TYPED),
    TypedDomain("6.12", ON_BLOCKS, PAIRS, (HIGHATOMIC, MOVABLE), twin=True),
    # The reserve with single frames.
    *(TypedDomain(era, ("atomic", "unreserve"), Asked((0, 1), (UNMOVABLE,))) for era in RESERVING),
    # Held blocks that fall to pieces, free blocks that lose a frame, ranges taken frame by frame.
    *(TypedDomain(era, ("split", "isolate", "restore"), Asked((2, 3), TWO_KINDS)) for era in TYPED),
    *(TypedDomain(era, ("poison", "heal", *RANGES), WHOLE) for era in ("5.15", "6.1", "6.12")),
    *(TypedDomain(era, ("contig", *RANGES), WHOLE, twin=True) for era in TYPED[2:]),
    # CMA memory: where ranges are whole largest blocks, the whole zone.
    *(
        TypedDomain(era, ("isolate", "restore"), Asked((1, 2, 3), TWO_KINDS), types, twin=True)
        for types, eras in (((CMA, CMA), ("4.10", "5.15")), ((CMA, MOVABLE), ("6.1", "6.12")))
        for era in eras
    ),
    *(
        TypedDomain(era, ("isolate", "restore"), Asked((0, 1), TWO_KINDS), guard=1, twin=True)
        for era in RESERVING
    ),
    *(TypedDomain(era, ON_BLOCKS, Asked((1, 2, 3), TWO_KINDS), twin=True) for era in TYPED),
)
