"""Endless loops among states: a way back to where one has been, by somebody's own steps."""

from collections import deque
from collections.abc import Sequence

from pagespec.schedule.contexts import Move

Edges = Sequence[Sequence[tuple[int, Move]]]
"""Per state, where its moves lead."""


def loop_in(edges: Edges) -> tuple[int, list[tuple[int, int]]] | None:
    """A way from a state back to it, as pairs of states, or None if there is none.

    Tasks that only go to and fro between CPUs are no loop: they are sent.
    """
    group = groups_of(edges)
    for at, moves in enumerate(edges):
        for to, move in moves:
            if group[to] == group[at] and move.cpu is None:
                return at, [(at, to), *shortest_way(edges, group, to, at)]
    return None


def groups_of(edges: Edges) -> list[int]:
    """Per state, the number of its group: those that can be come to from it, and back from them.

    Source: Tarjan, Depth-First Search and Linear Graph Algorithms (1972), without recursion.
    """
    unknown = len(edges)
    found, low, group = [unknown] * unknown, [0] * unknown, [unknown] * unknown
    pending: list[int] = []
    count = 0
    for root in range(len(edges)):
        path = [(root, 0)] if found[root] == unknown else []
        while path:
            at, done = path.pop()
            if not done:
                found[at] = low[at] = count
                count += 1
                pending.append(at)
            for number in range(done, len(edges[at])):
                to = edges[at][number][0]
                if found[to] == unknown:
                    path += [(at, number + 1), (to, 0)]
                    break
                if group[to] == unknown:
                    low[at] = min(low[at], found[to])
            else:
                if low[at] == found[at]:
                    while group[at] == unknown:
                        group[pending.pop()] = at
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[at])
    return group


def shortest_way(edges: Edges, group: Sequence[int], begin: int, end: int) -> list[tuple[int, int]]:
    """A shortest way between two states of one group."""
    came: dict[int, int] = {begin: begin}
    queue = deque([begin])
    while end not in came:
        at = queue.popleft()
        for to, _ in edges[at]:
            if group[to] == group[begin] and to not in came:
                came[to] = at
                queue.append(to)
    path: list[tuple[int, int]] = []
    while end != begin:
        path.append((came[end], end))
        end = came[end]
    return path[::-1]
