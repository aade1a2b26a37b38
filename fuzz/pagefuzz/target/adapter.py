"""One face for every allocator under test: requests in, outcomes and views out."""

from collections import OrderedDict
from collections.abc import Sequence
from operator import index

from pagefuzz.errors import UsageError
from pagefuzz.target.protocol import (
    CountsFreeBlocks,
    CountsReferences,
    Factory,
    ListsFreeBlocks,
    ShowsState,
    TornList,
)
from pagespec.frames import SIZES
from pagespec.laws.holdings import UNSERVED, Book, due_refusal, settle
from pagespec.laws.law import LawBroken, Level
from pagespec.laws.outside import Promises
from pagespec.machine import Machine
from pagespec.types import FAULT, NO_MEMORY, DomainError, Pfn, Refusal, Refused
from pagespec.verbs import Op, Outcome, Verb
from pagespec.zone import Zone, empty_zone

UNSHOWN = frozenset({"BUD-tag", "BUD-bitmap"})
"""The laws about fields that neither free lists nor counts show."""

UNCOUNTED = frozenset({"LIVE-ends"})
"""The law about how much a request looks at, which the spec alone counts."""


class Adapter:
    """An allocator under test on one machine.

    level: the strictest level at which it can and promises to be judged. verbs: what it offers.
    unshown: the laws that cannot judge it, since it does not show or offer what they speak about.
    fault: what it raised when it last failed to answer.

    Raises DomainError for a machine that it does not serve, LawBroken if it cannot be made, and
    UsageError if it is no allocator at all.
    """

    def __init__(self, factory: Factory, machine: Machine) -> None:
        self.machine = machine
        try:
            self.target = factory(machine)
        except (DomainError, UsageError):
            raise
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            # Whatever a foreign allocator raises is a finding, `SystemExit` too; here and below.
            raise LawBroken("OUT-fault", f"no allocator was made: {fault!r}") from fault
        for method in ("alloc", "free"):
            if not callable(getattr(self.target, method, None)):
                raise UsageError(
                    f"the target's {type(self.target).__name__} has no method {method}; expected "
                    "alloc(order) and free(pfn, order)"
                )
        self.promises: Promises = getattr(self.target, "promises", Promises())
        if not isinstance(self.promises, Promises):
            raise UsageError(
                f"the target's promises are {self.promises!r}; expected "
                "pagespec.laws.outside.Promises(...)"
            )
        # What an allocator offers is asked once: the question is slow, and it is put every step.
        self.references = self.target if isinstance(self.target, CountsReferences) else None
        self.shows = self.target if isinstance(self.target, ShowsState) else None
        self.lists = self.target if isinstance(self.target, ListsFreeBlocks) else None
        self.counts = self.target if isinstance(self.target, CountsFreeBlocks) else None
        self.verbs = frozenset(Verb if self.references else (Verb.ALLOC, Verb.FREE))
        self.unshown = UNCOUNTED if self.shows else UNCOUNTED | UNSHOWN
        if not self.shows and not self.counts:
            self.unshown |= {"BUD-count"}
        if not self.references:
            self.unshown |= {"SPLIT-pieces"}
        self.level: Level = "outside"
        if self.shows or self.lists:
            self.level = "exact" if self.promises.exact else "refines"
        self.fault: BaseException | None = None
        self._trusts = None if self.promises.refuses else Book(machine)

    def serve(self, op: Op) -> Outcome:
        """Put the request to the allocator; whatever it raises becomes an outcome.

        One that does not promise to refuse illegal requests is spared them: they are refused here.
        """
        if self._trusts is None:
            return self._put(op)
        due = due_refusal(self._trusts, op.verb.value, op.order, op.pfn)
        if due is not None:
            return due
        outcome = self._put(op)
        if outcome in UNSERVED or op.verb is not Verb.ALLOC or self._in_zone(outcome):
            settle(self._trusts, op.verb.value, op.order, op.pfn, op.compound, outcome)
        return outcome

    def _put(self, op: Op) -> Outcome:
        try:
            if op.verb is Verb.ALLOC:
                got = self._alloc(op)
                return NO_MEMORY if got is None else _frame(got)
            if op.verb is Verb.FREE:
                self.target.free(op.pfn, op.order)
            elif self.references is not None:
                (self.references.get if op.verb is Verb.GET else self.references.put)(op.pfn)
        except Refused as refused:
            return refused.refusal
        except ValueError:
            return Refusal.UNSAID
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            self.fault = fault
            return FAULT
        return 0

    def _alloc(self, op: Op) -> Pfn | None:
        if op.compound and self.references is not None:
            return self.references.alloc_compound(op.order)
        return self.target.alloc(op.order)

    def _in_zone(self, pfn: Pfn) -> bool:
        return self.machine.start <= pfn < self.machine.end

    def view(self, book: Book) -> Zone | None:
        """The allocator's state as a zone, or None if it shows nothing. Raises TornList.

        Free lists alone are completed by what the caller knows and by what follows from them; laws
        about the fields that this fills are those of `unshown`.
        """
        try:
            if self.shows is not None:
                return self.shows.state()
            if self.lists is None:
                return None
            zone = self._completed(self.lists.free_lists(), book)
            if self.counts is not None:
                nr_free, zone.free_pages = self.counts.counts()
                zone.nr_free = list(nr_free)
        except TornList:
            raise
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            raise TornList(f"the free blocks could not be read: {fault!r}") from fault
        return zone

    def _completed(self, lists: Sequence[Sequence[Pfn]], book: Book) -> Zone:
        machine = self.machine
        if len(lists) != machine.top + 1:
            raise TornList(f"{len(lists)} free lists, expected one for each order 0..{machine.top}")
        zone = empty_zone(machine)
        for order, blocks in enumerate(lists):
            self._check_readable(order, blocks)
            zone.free_area[order] = OrderedDict.fromkeys(blocks)
            if machine.era.design == "tag":
                zone.tag.update(dict.fromkeys(blocks, order))
            elif order < machine.top:
                for pfn in blocks:
                    zone.pair_bits[order] ^= {(pfn - machine.base) // SIZES[order] // 2}
        zone.nr_free = [len(blocks) for blocks in lists]
        zone.free_pages = sum(SIZES[order] * len(blocks) for order, blocks in enumerate(lists))
        zone.held, zone.given = book.held.copy(), book.given.copy()
        return zone

    def _check_readable(self, order: int, blocks: Sequence[Pfn]) -> None:
        """Refuse lists that no zone can have; blocks that merely stray are left to the laws.

        A block that is listed twice would vanish in a set, and masks of frames that lie far out
        would not fit in memory.
        """
        if len(set(blocks)) != len(blocks):
            twice = next(pfn for pfn in blocks if list(blocks).count(pfn) > 1)
            raise TornList(f"the list of order {order} holds pfn {twice} twice")
        near = range(self.machine.start - SIZES[order], self.machine.end + SIZES[order])
        for pfn in blocks:
            if pfn not in near:
                raise TornList(f"the list of order {order} holds {pfn!r}, no frame near the zone")


def _frame(got: Pfn) -> Pfn:
    """What alloc returned, if it can be a frame number."""
    pfn = index(got)
    if pfn < 0:
        raise TypeError(f"alloc returned {got}; expected a frame number or None")
    return pfn
