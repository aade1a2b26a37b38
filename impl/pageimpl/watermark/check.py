"""May a zone serve a request, or would it fall below a mark? The arithmetic, by shifts.

The twin of the spec's `watermark.check`. The rights of a request are flags.
"""

from pageimpl.era import HALVES_DOWN, HARDER_NEEDS_HIGH, STOPS
from pageimpl.jitcache import kernel
from pageimpl.memory import Memory, nr_free_of, rights_rule_of, shortcut_of

NO_RIGHTS = 0
RIGHT_HIGH = 1
RIGHT_HARDER = 2


@kernel
def lowered(mem: Memory, mark: int, rights: int) -> int:
    """The mark that a request with rights must pass."""
    rule = rights_rule_of(mem)
    harder = rights & RIGHT_HARDER != 0
    if rights & RIGHT_HIGH:
        mark = mark >> 1 if rule == HALVES_DOWN else mark - (mark >> 1)
    elif rule == HARDER_NEEDS_HIGH:
        harder = False
    return mark - (mark >> 2) if harder else mark


@kernel
def has_order_by_counts(mem: Memory, free: int, mark: int, order: int) -> bool:
    """Until 4.3: whether enough is left at each order below, as the mark halves each time."""
    for smaller in range(order):
        free -= nr_free_of(mem, smaller) << smaller
        mark >>= 1
        if free <= mark:
            return False
    return True


@kernel
def passes_fast(mem: Memory, free: int, unusable: int, mark: int, reserve: int) -> bool:
    """The shortcut for single frames (4.7): until 5.15 a difference below 0 passed as huge."""
    left = free - unusable
    if left < 0:
        return shortcut_of(mem) != STOPS
    return left > mark + reserve
