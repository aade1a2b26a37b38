"""List order without lists: every free block carries a stamp, and a list is its blocks by stamp.

The clock ticks with each block that enters a list. One that enters at the head gets minus the
clock, lower than any stamp before; at the tail the clock, higher than any. Nothing is linked,
tagged or counted: how much is free, and which block heads a list, is asked of the stamps. This is
the second opinion on `exact`, written from what each era does and not from the spec; it shares only
vocabulary and the arithmetic of frames with what it judges.
"""

from pagespec.stamps.blocks import Stamps, boot_stamps, expected_lists, stamps_of
from pagespec.stamps.foretell import foretell

__all__ = ["Stamps", "boot_stamps", "expected_lists", "foretell", "stamps_of"]
