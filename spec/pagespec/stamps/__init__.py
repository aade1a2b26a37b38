"""List order without lists: every block that is free or kept carries a stamp.

The clock ticks with each block that enters a list. One that enters at the head gets minus the
clock, lower than any stamp before; at the tail the clock, higher than any. A list is its blocks by
stamp, and so are the lists that CPUs keep. Nothing is linked, tagged or counted: how much is free,
how much a CPU keeps, and which block heads a list, is asked of the stamps. This is the second
opinion on `exact`, written from what each era does and not from the spec; it shares with what it
judges only vocabulary, the arithmetic of frames, sizes and marks, and the turns of drains to 5.15.
"""

from pagespec.stamps.foretell import foretell
from pagespec.stamps.state import Stamps
from pagespec.stamps.whole import boot_stamps, expected_lists, expected_pcps, stamps_of

__all__ = [
    "Stamps",
    "boot_stamps",
    "expected_lists",
    "expected_pcps",
    "foretell",
    "stamps_of",
]
