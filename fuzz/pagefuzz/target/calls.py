"""Requests as calls: how an allocator without `serve` is asked, and what it is spared.

A call says less than a request: no type but the plainest, no CPU that is not there, no hints. What
no call can say is refused here, and so is all that is illegal for an allocator that does not
promise to refuse. Hints are left out.
"""

from operator import index

from pagefuzz.target.protocol import CountsReferences, FillsArrays, KeepsLists, Target
from pagespec.laws.holdings import UNSERVED, Book, due_refusal, settle
from pagespec.machine import MAX_SLOTS, Machine
from pagespec.migratetype import REQUESTED
from pagespec.types import NO_MEMORY, Pfn, Refusal
from pagespec.verbs import BLOCK_VERBS, Op, Outcome, Verb

LEAST = frozenset({Verb.ALLOC, Verb.FREE})
"""What an allocator that offers the least can be asked for."""

UNSAYABLE = frozenset({Refusal.BAD_TYPE, Refusal.BAD_RANGE, Refusal.BAD_CPU})
"""The refusals that are due for what no call can say."""

_OF_CPUS = frozenset({Verb.ALLOC, Verb.FREE, Verb.PUT, Verb.DRAIN, Verb.BULK})


class Calls:
    """An allocator that is asked by calls, on one machine.

    verbs: what it can be asked for. book: what its caller knows, the array of bulk requests among
    it: an allocator that is asked by calls has none of its own.
    """

    def __init__(self, target: Target, machine: Machine, *, refuses: bool) -> None:
        self.target, self.machine, self.refuses = target, machine, refuses
        self.references = target if isinstance(target, CountsReferences) else None
        self.lists: KeepsLists | None = None
        self.arrays: FillsArrays | None = None
        if machine.cpus and isinstance(target, KeepsLists):
            self.lists = target
            if machine.era.bulk != "none" and isinstance(target, FillsArrays):
                self.arrays = target
        self.verbs = BLOCK_VERBS if self.references else LEAST
        if self.lists is not None:
            self.verbs |= {Verb.DRAIN, Verb.DRAIN_ALL}
        if self.arrays is not None:
            self.verbs |= {Verb.BULK}
        self.book = Book(machine)

    def put(self, op: Op) -> Outcome:
        """Ask for it. Whatever the allocator raises goes through."""
        due = due_refusal(self.book, op) or self._unsayable(op)
        if due is not None and (due in UNSAYABLE or not self.refuses):
            return due
        if op.verb is Verb.BULK:
            return self._bulk(op)
        outcome = self._ask(op)
        if outcome in UNSERVED or op.verb is not Verb.ALLOC or self._in_zone(outcome):
            settle(self.book, op, outcome)
        return outcome

    def _unsayable(self, op: Op) -> Refusal | None:
        if op.verb is Verb.BULK and not 1 <= op.pages <= MAX_SLOTS:
            return Refusal.BAD_RANGE
        if op.verb is Verb.BULK and op.mt not in REQUESTED:
            return Refusal.BAD_TYPE
        if op.verb in _OF_CPUS and not 0 <= op.cpu < max(1, self.machine.cpus):
            return Refusal.BAD_CPU
        return None

    def _ask(self, op: Op) -> Outcome:
        if op.verb is Verb.ALLOC:
            got = self._alloc(op)
            return NO_MEMORY if got is None else _frame(got)
        if op.verb is Verb.FREE and self.lists is not None:
            self.lists.free_on(op.pfn, op.order, op.cpu)
        elif op.verb is Verb.FREE:
            self.target.free(op.pfn, op.order)
        elif op.verb in (Verb.GET, Verb.PUT) and self.references is not None:
            (self.references.get if op.verb is Verb.GET else self.references.put)(op.pfn)
        elif self.lists is not None:
            cpus = range(self.machine.cpus) if op.verb is Verb.DRAIN_ALL else (op.cpu,)
            for cpu in cpus:
                self.lists.drain(cpu)
        return 0

    def _alloc(self, op: Op) -> Pfn | None:
        if op.compound and self.references is not None:
            return self.references.alloc_compound(op.order)
        if self.lists is not None:
            return self.lists.alloc_on(op.order, op.cpu)
        return self.target.alloc(op.order)

    def _bulk(self, op: Op) -> Outcome:
        """Have the array's empty slots filled, and see to it that the others were left alone."""
        assert self.arrays is not None, "nothing else is asked for in bulk"
        before: list[Pfn | None] = [None] * op.pages
        for pfn, slot in self.book.slots.items():
            if slot < op.pages:
                before[slot] = pfn
        array = before.copy()
        populated = index(self.arrays.alloc_bulk(array, op.cpu))
        if len(array) != op.pages or not 0 <= populated <= op.pages:
            raise TypeError(
                f"alloc_bulk returned {populated} for an array of {op.pages}, and left "
                f"{len(array)} in it"
            )
        after = self.book.slots.copy()
        for slot, (was, now) in enumerate(zip(before, array, strict=True)):
            if was is not None and now != was:
                raise TypeError(f"alloc_bulk made {now} of {was} in slot {slot}")
            if was is None and now is not None:
                pfn = _frame(now)
                if pfn in after:
                    raise TypeError(f"alloc_bulk put {pfn} into slots {after[pfn]} and {slot}")
                after[pfn] = slot
        settle(self.book, op, populated, after)
        return populated

    def _in_zone(self, pfn: Pfn) -> bool:
        return self.machine.start <= pfn < self.machine.end


def _frame(got: Pfn) -> Pfn:
    """What alloc returned, if it can be a frame number."""
    pfn = index(got)
    if pfn < 0:
        raise TypeError(f"alloc returned {got}; expected a frame number or None")
    return pfn
