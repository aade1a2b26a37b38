"""One face for every allocator under test: requests in, outcomes and views out."""

from collections import OrderedDict

from pagefuzz.target.protocol import (
    CountsReferences,
    Factory,
    ListsFreeBlocks,
    ShowsState,
)
from pagespec.frames import SIZES
from pagespec.laws.holdings import Book
from pagespec.laws.law import Level
from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.ops import Op, Outcome, Verb
from pagespec.types import FAULT, NO_MEMORY, Pfn, Refusal, Refused
from pagespec.zone import Zone, empty_zone

UNSHOWN = frozenset({"BUD-tag", "BUD-bitmap", "BUD-count"})
"""The laws about fields that free lists alone do not show."""


class Adapter:
    """An allocator under test on one machine.

    level: the strictest level at which it can and promises to be judged. verbs: what it offers.
    unshown: the state laws that cannot judge it. fault: what it raised when it last failed to
    answer.
    """

    def __init__(self, factory: Factory, machine: Machine) -> None:
        self.machine = machine
        self.target = factory(machine)
        self.promises: Promises = getattr(self.target, "promises", Promises())
        self.verbs = {Verb.ALLOC, Verb.FREE}
        if isinstance(self.target, CountsReferences):
            self.verbs |= {Verb.GET, Verb.PUT}
        self.unshown: frozenset[str] = frozenset()
        self.level: Level = "outside"
        if isinstance(self.target, ShowsState):
            self.level = "exact" if self.promises.exact else "refines"
        elif isinstance(self.target, ListsFreeBlocks):
            self.level, self.unshown = "refines", UNSHOWN
        self.fault: BaseException | None = None

    def serve(self, op: Op) -> Outcome:
        """Put the request to the allocator; whatever it raises becomes an outcome."""
        try:
            if op.verb is Verb.ALLOC:
                got = self._alloc(op)
                return NO_MEMORY if got is None else got
            if op.verb is Verb.FREE:
                self.target.free(op.pfn, op.order)
            elif isinstance(self.target, CountsReferences):
                (self.target.get if op.verb is Verb.GET else self.target.put)(op.pfn)
        except Refused as refused:
            return refused.refusal
        except ValueError:
            return Refusal.UNSAID
        except Exception as fault:
            self.fault = fault
            return FAULT
        return 0

    def _alloc(self, op: Op) -> Pfn | None:
        if op.compound and isinstance(self.target, CountsReferences):
            return self.target.alloc_compound(op.order)
        return self.target.alloc(op.order)

    def view(self, book: Book) -> Zone | None:
        """The allocator's state as a zone, or None if it shows nothing.

        Free lists alone are completed by what the caller knows; the fields that this cannot fill
        are those of `unshown`.
        """
        if isinstance(self.target, ShowsState):
            return self.target.state()
        if not isinstance(self.target, ListsFreeBlocks):
            return None
        zone = empty_zone(self.machine)
        lists = self.target.free_lists()
        zone.free_area = [OrderedDict.fromkeys(blocks) for blocks in lists]
        zone.nr_free = [len(blocks) for blocks in lists]
        zone.free_pages = sum(SIZES[order] * len(blocks) for order, blocks in enumerate(lists))
        zone.tag = {pfn: order for order, blocks in enumerate(lists) for pfn in blocks}
        zone.held, zone.given = book.held.copy(), book.given.copy()
        return zone
