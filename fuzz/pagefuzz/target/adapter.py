"""One face for every allocator under test: requests in, outcomes and views out."""

from collections import OrderedDict

from pagefuzz.errors import UsageError
from pagefuzz.target.protocol import (
    CountsReferences,
    Factory,
    ListsFreeBlocks,
    ShowsState,
)
from pagespec.frames import SIZES
from pagespec.laws.holdings import Book
from pagespec.laws.law import LawBroken, Level
from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.ops import Op, Outcome, Verb
from pagespec.types import FAULT, NO_MEMORY, DomainError, Pfn, Refusal, Refused
from pagespec.zone import Zone, empty_zone

UNSHOWN = frozenset({"BUD-tag", "BUD-bitmap", "BUD-count"})
"""The laws about fields that free lists alone do not show."""


class Adapter:
    """An allocator under test on one machine.

    level: the strictest level at which it can and promises to be judged. verbs: what it offers.
    unshown: the state laws that cannot judge it. fault: what it raised when it last failed to
    answer.

    Raises LawBroken if there is no allocator, DomainError if it does not take such a machine.
    """

    def __init__(self, factory: Factory, machine: Machine) -> None:
        self.machine = machine
        try:
            self.target = factory(machine)
        except (DomainError, UsageError):
            raise
        except Exception as fault:
            # Whatever a foreign allocator raises is a finding, here and in `serve`.
            raise LawBroken("OUT-fault", f"no allocator was made for {machine}") from fault
        self.promises: Promises = getattr(self.target, "promises", Promises())
        # What an allocator offers is asked once: the question is slow, and it is put every step.
        self.references = self.target if isinstance(self.target, CountsReferences) else None
        self.shows = self.target if isinstance(self.target, ShowsState) else None
        self.lists = self.target if isinstance(self.target, ListsFreeBlocks) else None
        self.verbs = frozenset(Verb if self.references else (Verb.ALLOC, Verb.FREE))
        self.unshown = frozenset() if self.shows else UNSHOWN
        self.level: Level = "outside"
        if self.shows or self.lists:
            self.level = "exact" if self.shows and self.promises.exact else "refines"
        self.fault: Exception | None = None

    def serve(self, op: Op) -> Outcome:
        """Put the request to the allocator; whatever it raises becomes an outcome."""
        try:
            if op.verb is Verb.ALLOC:
                got = self._alloc(op)
                return NO_MEMORY if got is None else got
            if op.verb is Verb.FREE:
                self.target.free(op.pfn, op.order)
            elif self.references is not None:
                (self.references.get if op.verb is Verb.GET else self.references.put)(op.pfn)
        except Refused as refused:
            return refused.refusal
        except ValueError:
            return Refusal.UNSAID
        except Exception as fault:
            self.fault = fault
            return FAULT
        return 0

    def _alloc(self, op: Op) -> Pfn | None:
        if op.compound and self.references is not None:
            return self.references.alloc_compound(op.order)
        return self.target.alloc(op.order)

    def view(self, book: Book) -> Zone | None:
        """The allocator's state as a zone, or None if it shows nothing.

        Free lists alone are completed by what the caller knows; the fields that this cannot fill
        are those of `unshown`.
        """
        if self.shows is not None:
            return self.shows.state()
        if self.lists is None:
            return None
        zone = empty_zone(self.machine)
        lists = self.lists.free_lists()
        zone.free_area = [OrderedDict.fromkeys(blocks) for blocks in lists]
        zone.nr_free = [len(blocks) for blocks in lists]
        zone.free_pages = sum(SIZES[order] * len(blocks) for order, blocks in enumerate(lists))
        zone.tag = {pfn: order for order, blocks in enumerate(lists) for pfn in blocks}
        zone.held, zone.given = book.held.copy(), book.given.copy()
        return zone
