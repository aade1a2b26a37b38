"""How far a schedule goes from letting each context run on: its preemptions."""

from collections.abc import Sequence

from pagespec.schedule.contexts import Move, World


def preempts(world: World, nexts: Sequence[Move], last: int, move: Move) -> bool:
    """Whether a move is a preemption, before it is taken.

    It is if an interrupt comes, if a context goes to another CPU, or if somebody else goes on
    although the last one could. last: who took the step before; -1 at the start.
    """
    if move.cpu is not None or not world.contexts[move.context].come:
        return True
    return last >= 0 and last != move.context and any(other.context == last for other in nexts)
