"""States that differ only by which whole TOP-order block is which, as one.

The allocator knows a TOP-order block by its place in lists, never by its number: nothing merges
above the top. So exchanging two of them, with all that lies inside, exchanges states and steps
alike, and one state may stand for its class. With TOP 0 the frames themselves are exchanged, and
108 million states become 12 classes.
That claim is about the code, so it is checked: up to 7 frames every state is visited by itself and
the counts are equal.
"""

from collections import Counter
from dataclasses import dataclass
from math import factorial, prod

from pagefuzz.prove.states import SEPARATOR, State, learns
from pagespec.frames import SIZES
from pagespec.machine import Machine


@dataclass(frozen=True, slots=True)
class Renaming:
    """The whole TOP-order blocks of a zone: their first frames, and the frames in each.

    learns: whether its states end with what CPUs' lists and watermarks have learnt.
    """

    start: int
    heads: tuple[int, ...]
    size: int
    learns: bool


def renaming_of(machine: Machine) -> Renaming:
    """The blocks of a machine that may be exchanged."""
    size = SIZES[machine.top]
    heads: list[int] = []
    for first, end in machine.managed:
        aligned = machine.base - (machine.base - first) // size * size
        heads.extend(range(aligned, end - size + 1, size))
    return Renaming(machine.start, tuple(heads), size, learns(machine))


def canonical_of(renaming: Renaming, state: State) -> tuple[State, int]:
    """The state that stands for the class, and how many states the class has.

    Blocks are numbered as the lists name them; those that no list names come last, by what is held
    inside. Only blocks of the latter kind can be alike, and exchanging those changes nothing.
    """
    heads, size, start = renaming.heads, renaming.size, renaming.start
    lists, holders, *rest = state.rsplit(SEPARATOR, 1 + renaming.learns)
    listed = dict.fromkeys(
        head for pfn in lists for head in heads if head <= pfn < head + size and pfn != 0xFF
    )
    inside = {head: holders[head - start : head - start + size] for head in heads}
    unlisted = sorted((head for head in heads if head not in listed), key=inside.__getitem__)
    alike = Counter(inside[head] for head in unlisted)
    count = factorial(len(heads)) // prod(map(factorial, alike.values()))
    table = bytearray(range(256))
    renamed = bytearray(holders)
    for new, old in zip(heads, [*listed, *unlisted], strict=True):
        table[old : old + size] = bytes(range(new, new + size))
        renamed[new - start : new - start + size] = inside[old]
    return SEPARATOR.join((lists.translate(bytes(table)), renamed, *rest)), count
