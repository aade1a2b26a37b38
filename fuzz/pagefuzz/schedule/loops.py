"""Endless loops among states: a way back to where one has been, by somebody's own steps."""

from collections import deque
from collections.abc import Sequence

from pagespec.schedule.rules import Move

Edges = Sequence[Sequence[tuple[int, Move]]]
"""Per state, where its moves lead."""


def loop_in(edges: Edges) -> tuple[int, list[tuple[int, int]]] | None:
    """A way from a state back to it, as pairs of states, or None if there is none.

    Tasks that only go to and fro between CPUs are no loop: they are sent.
    """
    left = within_loops(edges)
    for at in sorted(left):
        for to, move in edges[at]:
            if move.cpu is None and to in left:
                back = shortest_way(edges, left, to, at)
                if back is not None:
                    return at, [(at, to), *back]
    return None


def within_loops(edges: Edges) -> set[int]:
    """The states that are left when those that none of the rest lead to are taken off."""
    arrivals = [0] * len(edges)
    for moves in edges:
        for to, _ in moves:
            arrivals[to] += 1
    ready = [at for at, count in enumerate(arrivals) if not count]
    left = set(range(len(edges)))
    while ready:
        at = ready.pop()
        left.remove(at)
        for to, _ in edges[at]:
            arrivals[to] -= 1
            if not arrivals[to]:
                ready.append(to)
    return left


def shortest_way(
    edges: Edges, left: set[int], begin: int, end: int
) -> list[tuple[int, int]] | None:
    """A shortest way between two states, through those that are left."""
    came: dict[int, int] = {begin: begin}
    queue = deque([begin])
    while queue and end not in came:
        at = queue.popleft()
        for to, _ in edges[at]:
            if to in left and to not in came:
                came[to] = at
                queue.append(to)
    if end not in came:
        return None
    path: list[tuple[int, int]] = []
    while end != begin:
        path.append((came[end], end))
        end = came[end]
    return path[::-1]
