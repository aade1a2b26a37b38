"""One face for every allocator under test: requests in, outcomes and views out."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from operator import index

from pagefuzz.errors import UsageError
from pagefuzz.target.calls import Calls
from pagefuzz.target.protocol import (
    CountsFreeBlocks,
    Factory,
    KeepsLists,
    ListsFreeBlocks,
    Serves,
    ServesAll,
    ShowsSlots,
    ShowsState,
    Target,
    TornList,
)
from pagespec.frames import SIZES
from pagespec.laws.holdings import REFUSALS, Book
from pagespec.laws.law import LawBroken, Level
from pagespec.laws.outside import Promises
from pagespec.laws.step import TOLD
from pagespec.machine import MAX_SLOTS, Machine
from pagespec.migratetype import UNMOVABLE
from pagespec.trace import NAMING
from pagespec.types import FAULT, NO_MEMORY, DomainError, Pfn, Refusal, Refused
from pagespec.verbs import MAY_FAIL, Op, Outcome, Verb
from pagespec.zone import Zone, empty_zone

UNSHOWN = frozenset({"BUD-tag", "BUD-bitmap", "EVT-count", "TWIN-counts"})
"""The laws about fields that neither free lists nor counts show."""

OF_LISTS = frozenset(
    {Verb.DRAIN, Verb.DRAIN_ALL, Verb.DISABLE, Verb.ENABLE, Verb.AGE, Verb.EXPIRE}
    | {Verb.UNPLUG, Verb.PLUG, Verb.BULK}
)
"""The requests that only allocators whose CPUs keep lists are asked for."""

OF_CELLS = frozenset({Verb.REFRESH})
"""The requests that only allocators whose CPUs keep parts of counts are asked for."""

OF_MARKS = frozenset({Verb.REST})
"""The requests that only allocators of zones with watermarks are asked for."""


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
        self.promises: Promises = getattr(self.target, "promises", Promises())
        self.serves: Serves = getattr(self.target, "serves", Serves())
        # What an allocator offers is asked once: the question is slow, and it is put every step.
        self.all = self.target if isinstance(self.target, ServesAll) else None
        self.shows = self.target if isinstance(self.target, ShowsState) else None
        self.array = self.target if self.all and isinstance(self.target, ShowsSlots) else None
        # Lists alone would not show what has become of frames by requests about places and types,
        # nor what CPUs keep.
        bare = not self.all and not machine.cpus
        self.lists = self.target if bare and isinstance(self.target, ListsFreeBlocks) else None
        self.counts = self.target if isinstance(self.target, CountsFreeBlocks) else None
        self._check()
        self.calls: Calls | None = None
        if self.all is None:
            assert isinstance(self.target, Target), "without serve there are calls"
            self.calls = Calls(self.target, machine, refuses=self.promises.refuses)
        self.verbs = self._verbs() if self.calls is None else self.calls.verbs
        self.unshown = TOLD if self.shows else TOLD | UNSHOWN
        if not self.shows and not self.counts:
            self.unshown |= {"BUD-count"}
        if Verb.PUT not in self.verbs:
            self.unshown |= {"SPLIT-pieces"}
        self.level: Level = "outside"
        if self.shows or self.lists:
            self.level = "exact" if self.promises.exact else "refines"
        self.fault: BaseException | None = None

    def _verbs(self) -> frozenset[Verb]:
        """What an allocator with `serve` is asked for."""
        verbs = frozenset(Verb) - self.serves.without
        if not self.serves.lists:
            verbs -= OF_LISTS
        if not self.serves.cells:
            verbs -= OF_CELLS
        if not self.serves.marks:
            verbs -= OF_MARKS
        # Nobody could tell which frames came of it.
        return verbs if self.shows or self.array else verbs - {Verb.BULK}

    def _check(self) -> None:
        """Whether what the target offers and promises goes together, and suits the machine."""
        name = type(self.target).__name__
        for method in ("alloc", "free") if self.all is None else ():
            if not callable(getattr(self.target, method, None)):
                raise UsageError(
                    f"the target's {name} has no method {method}; expected alloc(order) and "
                    "free(pfn, order), or serve(op)"
                )
        if not isinstance(self.promises, Promises):
            raise UsageError(
                f"the target's promises are {self.promises!r}; expected "
                "pagespec.laws.outside.Promises(...)"
            )
        if not isinstance(self.serves, Serves):
            raise UsageError(
                f"the target's serves is {self.serves!r}; expected "
                "pagefuzz.target.protocol.Serves(...)"
            )
        if self.all is not None and not self.promises.refuses:
            raise UsageError(
                f"the target's {name} has serve(op) and does not promise to refuse; expected "
                "Promises(refuses=True)"
            )
        if {Verb.ALLOC, Verb.FREE} & self.serves.without:
            raise UsageError(
                f"the target's {name} says that it serves no alloc or no free; expected both, for "
                "every allocator has them"
            )
        self._check_machine(name)

    def _check_machine(self, name: str) -> None:
        """Decline a machine of a kind that the target does not take."""
        machine = self.machine
        if self.all is None and (machine.pageblock is not None or machine.guard):
            raise DomainError(
                f"declined: the machine has pageblocks or guard pages (pageblock="
                f"{machine.pageblock}, guard={machine.guard}), and the target's {name} has no "
                "serve(op); expected a machine without"
            )
        takes = self.serves.lists if self.all else isinstance(self.target, KeepsLists)
        if machine.cpus and not takes:
            declared = "serves=Serves(lists=True)" if self.all else "alloc_on, free_on and drain"
            raise DomainError(
                f"declined: the machine has CPUs with page lists (cpus={machine.cpus}), and the "
                f"target's {name} has no {declared}; expected a machine without"
            )
        if machine.cells and not (self.all and self.serves.cells):
            raise DomainError(
                f"declined: the machine's CPUs keep parts of counts (cells=1), and the target's "
                f"{name} has no serve(op) with serves=Serves(cells=True); expected a machine "
                "without"
            )
        if machine.min_free is not None and not (self.all and self.serves.marks):
            raise DomainError(
                f"declined: the machine has watermarks (min_free={machine.min_free}), and the "
                f"target's {name} has no serve(op) with serves=Serves(marks=True); expected a "
                "machine without"
            )

    def serve(self, op: Op) -> Outcome:
        """Put the request to the allocator; whatever it raises becomes an outcome.

        One that does not promise to refuse illegal requests is spared them.
        """
        try:
            if self.all is not None:
                return _outcome(op, self.all.serve(op))
            assert self.calls is not None, "without serve there are calls"
            return self.calls.put(op)
        except Refused as refused:
            return refused.refusal
        except ValueError:
            return Refusal.UNSAID
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            self.fault = fault
            return FAULT

    def slots(self) -> Mapping[Pfn, int]:
        """The frames that the array of bulk requests holds, each with its slot. Raises TornList."""
        if self.calls is not None:
            return self.calls.book.slots
        try:
            if self.array is not None:
                return _array(self.array.slots())
            return self.shows.state().slots if self.shows is not None else {}
        except TornList:
            raise
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            raise TornList(f"the array of bulk requests could not be read: {fault!r}") from fault

    def view(self, book: Book) -> Zone | None:
        """The allocator's state as a zone, or None if it shows nothing. Raises TornList.

        Free lists alone are completed by what the caller knows and by what follows from them; laws
        about the fields that this fills are those of `unshown`.
        """
        try:
            if self.shows is not None:
                return self._zone(self.shows.state())
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

    def _zone(self, got: object) -> Zone:
        """What state returned, if it is a state of this machine at all."""
        if not isinstance(got, Zone):
            raise TornList(f"state() returned {repr(got)[:60]}; expected a pagespec.zone.Zone")
        if got.machine is not self.machine and got.machine != self.machine:
            raise TornList(f"state() shows {got.machine}; expected {self.machine}")
        return got

    def _completed(self, lists: Sequence[Sequence[Pfn]], book: Book) -> Zone:
        machine = self.machine
        if len(lists) != machine.top + 1:
            raise TornList(f"{len(lists)} free lists, expected one for each order 0..{machine.top}")
        zone = empty_zone(machine)
        for order, blocks in enumerate(lists):
            self._check_readable(order, blocks)
            zone.free_area[order] = {UNMOVABLE: OrderedDict.fromkeys(blocks)}
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


def _outcome(op: Op, got: Outcome) -> Outcome:
    """What serve returned, if such a request can have that outcome."""
    outcome = index(got)
    if outcome == 0 or outcome in REFUSALS:
        return outcome
    if (outcome > 0 and op.verb in NAMING) or (outcome == NO_MEMORY and op.verb in MAY_FAIL):
        return outcome
    if op.verb is Verb.BULK and 0 < outcome <= min(op.pages, MAX_SLOTS):
        return outcome
    raise TypeError(f"serve returned {got} for {op.verb.value}; expected what Outcome says")


def _array(got: Mapping[Pfn, int]) -> Mapping[Pfn, int]:
    """What slots returned, if it can be an array of frames."""
    slots = {index(pfn): index(slot) for pfn, slot in got.items()}
    if len(set(slots.values())) < len(slots) or any(
        not 0 <= slot < MAX_SLOTS for slot in slots.values()
    ):
        raise TornList(f"slots() returned {got!r}; expected frames, each in a slot of its own")
    return slots
