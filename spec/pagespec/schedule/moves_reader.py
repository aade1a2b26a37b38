"""Reading the moves of a schedule: whose steps, how many, and ways to other CPUs."""

import re
from collections.abc import Sequence

from pagespec.machine import MAX_CPUS
from pagespec.schedule.contexts import Move, Role
from pagespec.trace import TraceError
from pagespec.trace_words import check_blanks, is_whole, read_whole, short

MAX_MOVES = 100_000
"""The most moves of a schedule."""


def read_moves(number: int, line: str, roles: Sequence[Role], cpus: int) -> list[Move]:
    """The moves of a line, of those who work on so many CPUs."""
    check_blanks(number, line)
    moves: list[Move] = []
    for word in line.split()[1:]:
        moves += _run(number, word, roles, cpus)
        if len(moves) > MAX_MOVES:
            raise TraceError(
                number, f"expected at most {MAX_MOVES} moves, got more from {short(word)!r} on"
            )
    if not moves:
        raise TraceError(number, "expected moves behind `schedule`, as in 0*3 1>2, got nothing")
    return moves


def _run(number: int, word: str, roles: Sequence[Role], cpus: int) -> list[Move]:
    """The moves that one word says."""
    said = re.fullmatch(r"([0-9]+)(?:([*>])([0-9]+))?", word)
    if said is None:
        raise TraceError(
            number,
            "expected moves such as 2, 2*5 for five steps or 2>1 for the way to CPU 1, got "
            f"{short(word)!r}",
        )
    who, how, text = said.groups()
    context = int(who) if is_whole(who) else len(roles)
    if context >= len(roles):
        raise TraceError(
            number, f"{short(word)}: expected a task or an interrupt, 0 to {len(roles) - 1}"
        )
    if how == "*":
        count = read_whole(number, who + " steps", text)
        if not 1 <= count <= MAX_MOVES:
            raise TraceError(number, f"{short(word)}: expected 1 to {MAX_MOVES} steps")
        return [Move(context)] * count
    if how is None:
        return [Move(context)]
    if not roles[context].moves:
        raise TraceError(
            number, f"{short(word)}: expected the way of a task that says moves=1 in its line"
        )
    return [Move(context, read_cpu(number, text, cpus))]


def read_cpu(number: int, text: str, cpus: int) -> int:
    """One of so many CPUs; any, if there are none that keep lists."""
    cpu, count = read_whole(number, "cpu", text), cpus or MAX_CPUS
    if cpu >= count:
        raise TraceError(number, f"cpu={cpu}: expected a CPU of the machine, 0 to {count - 1}")
    return cpu
