"""The domains that are exhausted with CPUs that keep page lists, and with watermarks.

Sizes are as small as they may be, so that a few frames fill lists, drain them and reach the marks.
What is counted of late since 6.7 goes up to 32 batches, so there every CPU more costs a factor.
"""

from typing import NamedTuple

from pagefuzz.prove.exhaust import Counts, exhaust
from pagefuzz.prove.twin import plain_twin_beside
from pagefuzz.prove.vocabulary import Asked, groups_in, vocabulary_of
from pagespec.era import ERAS
from pagespec.machine import Machine
from pagespec.migratetype import LETTER_OF, MOVABLE, UNMOVABLE, MigrateType
from pagespec.types import Order


class Sizes(NamedTuple):
    """What a zone with lists is made of; None where the era or the machine has nothing to say."""

    pages: int
    top: Order
    cpus: int
    batch: int
    high: int
    pageblock: Order | None = None
    min_free: int | None = None


class ListedDomain(NamedTuple):
    """One zone with lists in one era, and the requests that are tried there.

    groups: of `vocabulary`. types: of the pageblocks before boot, MOVABLE if empty. twin: whether
    the fast twin serves every request too.
    """

    era: str
    sizes: Sizes
    groups: tuple[str, ...]
    asked: Asked
    types: tuple[MigrateType, ...] = ()
    twin: bool = False

    @property
    def lengths(self) -> range:
        """The lengths of its zones, in frames."""
        return range(self.sizes.pages, self.sizes.pages + 1)

    def machine(self) -> Machine:
        """The machine of the zone."""
        era, sizes = ERAS[self.era], self.sizes
        return Machine(
            sizes.pages,
            sizes.top,
            era,
            pageblock=sizes.pageblock,
            types=self.types,
            cpus=sizes.cpus,
            batch=sizes.batch,
            high=None if era.tuning == "pair" else sizes.high,
            min_free=sizes.min_free,
        )

    def exhaust(self, pages: int) -> Counts:
        """The counts of the zone. Raises LawBroken as `exhaust` does."""
        machine = self.machine()
        vocabulary = vocabulary_of(machine, self.asked, ("alloc", *self.groups))
        beside = plain_twin_beside(machine) if self.twin else None
        return exhaust(machine, vocabulary, renaming=not self.twin, beside=beside)

    def __str__(self) -> str:
        machine, sizes = self.machine(), self.sizes
        words = [f"era {self.era} pages {sizes.pages} top {sizes.top}"]
        if sizes.pageblock is not None:
            words.append(f"pageblock {sizes.pageblock}")
        if self.types:
            words.append("from " + "".join(LETTER_OF[mt] for mt in self.types))
        words.append(f"cpus {sizes.cpus} batch {sizes.batch}")
        if machine.high is not None:
            words.append(f"high {sizes.high}")
        if sizes.min_free is not None:
            words.append(f"min_free {sizes.min_free}")
        words += [f"alloc {self.asked} free", *groups_in(machine, self.asked, self.groups)]
        return " ".join([*words, "beside the twin"] if self.twin else words)


ONE, PAIR = Asked((0,), (UNMOVABLE,)), Asked((0, 1), (UNMOVABLE,))
KINDS = Asked((0, 1), (UNMOVABLE, MOVABLE))
HUGE = Asked((3, 4), (UNMOVABLE,))
HUGE_KINDS = Asked((3, 4), (UNMOVABLE, MOVABLE))

CALLED = ("irq", "contended", "cold")
ON_LISTS = ("drain", "drainall", "expire", "age", "disable")
ON_CPUS = (*ON_LISTS, "unplug")
ON_MARKS = ("atomic", "emergency", "rest", "drain")

MERGED = ("2.6.37", "2.6.39", "4.10", "4.11-rc")
"""The eras that keep single frames on one set of lists."""

BESIDE = ("2.6.8", "2.6.11", "5.15", "6.1", "6.12")
"""The others; the two ways of 2004 that were not merged are as 2.6.8."""

UNMERGED = ("2.6.11", "2.6.37", "4.10", "4.11-rc", "5.15", "6.1")
"""The eras but 6.12 that differ where nothing merges: not in design or placement."""

MARKED = ("2.6.8", "2.6.11", "2.6.37", "4.10", "5.15", "6.1")
"""The eras but 6.12 whose marks, rights or questions differ."""

LISTED_DOMAINS = (
    # Single frames that never merge, in so many that lists fill and drain in every order.
    *(ListedDomain(era, Sizes(8, 0, 1, 1, 3), (*CALLED, *ON_LISTS), ONE) for era in UNMERGED),
    ListedDomain("6.12", Sizes(6, 0, 1, 1, 3), ON_LISTS, ONE),
    ListedDomain("6.12", Sizes(2, 0, 1, 1, 3), ("contended", "drain"), ONE),
    # Two CPUs, which come and go.
    *(ListedDomain(era, Sizes(4, 0, 2, 1, 2), (*CALLED, *ON_CPUS), ONE) for era in UNMERGED),
    ListedDomain("6.12", Sizes(2, 0, 2, 1, 2), ("unplug",), ONE),
    # Merges behind the lists, and blocks that no list keeps.
    *(
        ListedDomain(era, Sizes(4, 2, 1, 1, 3), (*CALLED, *ON_LISTS), PAIR, twin=True)
        for era in MERGED
    ),
    *(ListedDomain(era, Sizes(3, 1, 1, 1, 2), CALLED, ONE, twin=True) for era in BESIDE[:-1]),
    ListedDomain("6.12", Sizes(3, 1, 1, 1, 2), ("drain", "age"), ONE, twin=True),
    ListedDomain("5.15", Sizes(4, 2, 1, 1, 3), ON_LISTS, PAIR, twin=True),
    # Marks of 4 frames and more, or of 2.
    *(
        ListedDomain(era, Sizes(7, 0, 1, 1, 3, min_free=16), (*CALLED, *ON_MARKS), ONE)
        for era in MARKED
    ),
    ListedDomain("6.12", Sizes(7, 0, 1, 1, 3, min_free=16), (*ON_MARKS, "age"), ONE),
    *(
        ListedDomain(era, Sizes(3, 1, 1, 1, 2, min_free=4), ON_MARKS, PAIR, twin=True)
        for era in ("2.6.11", "4.10", "6.1")
    ),
    # Arrays of three slots.
    *(
        ListedDomain(era, Sizes(5, 0, 1, 1, 2), ("contended", "bulk", "drain"), ONE)
        for era in ("5.15", "6.1")
    ),
    ListedDomain("6.12", Sizes(2, 0, 1, 1, 2), ("bulk",), ONE),
    ListedDomain("6.1", Sizes(3, 1, 1, 1, 2), ("bulk", "drain"), ONE, twin=True),
    # Lists of two orders, the larger that of huge pages; or of two types.
    *(
        ListedDomain(era, Sizes(32, 5, 1, 4, 40, pageblock=4), ("drain",), HUGE)
        for era in ("5.15", "6.1")
    ),
    *(
        ListedDomain(era, Sizes(16, 4, 1, 4, 40, pageblock=4), ("drain",), HUGE_KINDS)
        for era in ("5.15", "6.1", "6.12")
    ),
    ListedDomain("6.12", Sizes(4, 2, 1, 1, 3, pageblock=1), ("drain",), KINDS),
    ListedDomain(
        "6.1", Sizes(4, 2, 1, 1, 3, pageblock=1), (*ON_LISTS, "nofragment"), KINDS, twin=True
    ),
)
