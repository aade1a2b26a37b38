"""Exit codes: what a run's end means to a script."""

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """The meaning of each exit code of `pagefuzz`."""

    HELD = 0  # every law held
    BROKEN = 1  # a law broken, a mutant survived, a replay failed
    USAGE = 2  # a wrong request, or an environment that cannot serve it
    INCONCLUSIVE = 3  # no verdict, or a vacuous one
    UNTRUSTWORTHY = 4  # the harness itself failed: no verdict of this run counts
    INTERRUPTED = 130  # as the shell reports Ctrl-C


# An untrustworthy harness voids its findings; a finding outweighs all that is merely missing.
_PRECEDENCE = (
    Exit.UNTRUSTWORTHY,
    Exit.BROKEN,
    Exit.USAGE,
    Exit.INTERRUPTED,
    Exit.INCONCLUSIVE,
    Exit.HELD,
)


def worst(codes: Iterable[Exit]) -> Exit:
    """Return the code that speaks for all of `codes`.

    Of no codes at all it is INCONCLUSIVE: nothing was judged, so nothing held.

    >>> worst([Exit.HELD, Exit.INCONCLUSIVE, Exit.BROKEN]).name
    'BROKEN'
    >>> worst([]).name
    'INCONCLUSIVE'
    """
    return min(codes, key=_PRECEDENCE.index, default=Exit.INCONCLUSIVE)
