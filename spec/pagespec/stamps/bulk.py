"""Filling the slots of an array with single frames."""

from pagespec.stamps.kept import goes_by_lists, take
from pagespec.stamps.marks import has_room
from pagespec.stamps.state import Stamps
from pagespec.stamps.tries import alloc, hold
from pagespec.types import NO_MEMORY
from pagespec.verbs import Op, Outcome


def bulk(stamps: Stamps, op: Op) -> Outcome:
    """Fill the empty ones of the first slots; how many from the first on are known filled.

    Nothing behind the first empty slot is known before it is passed.
    """
    single, filled = op._replace(order=0, atomic=False), set(stamps.slots.values())
    known = next(slot for slot in range(op.pages + 1) if slot == op.pages or slot not in filled)
    if known == op.pages:
        return known
    got = 0
    if op.pages - known > 1 and has_room(stamps, op) and goes_by_lists(stamps, 0, op):
        while known < op.pages:
            if known not in filled:
                index = take(stamps, single)
                if index is None:
                    break
                hold(stamps, single, index)
                stamps.slots[stamps.origin + index] = known
                got += 1
            known += 1
        enough = got if stamps.machine.era.bulk == "first-of-call" else known
        if enough:
            return known
    pfn = alloc(stamps, op._replace(order=0))
    if pfn == NO_MEMORY:
        return known
    stamps.slots[pfn] = known
    return known + 1
