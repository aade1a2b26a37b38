"""Does the buddy exist? The twin knows the form that was merged: the zone's bounds and holes."""

from pageimpl.jitcache import kernel
from pageimpl.memory import HOLE, Memory, end_of, first_of, owner_of


@kernel
def frame_exists(mem: Memory, p: int) -> bool:
    """Whether the slot is that of a frame in the zone and in none of its holes."""
    return first_of(mem) <= p < end_of(mem) and owner_of(mem, p) != HOLE
