"""A search over states: those that were found, and how moves lead from one to another."""

from dataclasses import dataclass, field
from typing import NamedTuple

from pagefuzz.schedule.explored import Explored
from pagefuzz.schedule.following import Course, Node, followed
from pagefuzz.schedule.loops import loop_in
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move


class Edge(NamedTuple):
    """A way from one node to another: a move, taken so often in a row."""

    to: int
    move: Move
    steps: int


@dataclass(slots=True)
class Search:
    """A search under way.

    nodes: in the order in which they were found. seen: their numbers, by what their future follows
    from. edges: those of each node that was gone on from, which are the first ones.
    """

    course: Course
    found: Explored
    nodes: list[Node]
    seen: dict[tuple[int, ...], int]
    edges: list[list[Edge]] = field(default_factory=list)


def key_of(course: Course, node: Node) -> tuple[int, ...]:
    """What of a node its future follows from."""
    symmetry = course.symmetry
    if symmetry is None or not symmetry.swappings:
        return (*node.state, node.last, node.left)
    return (*symmetry.key(node.state, node.last), node.left)


def expand(search: Search) -> None:
    """Take each move that may happen in the next node."""
    course, found = search.course, search.found
    at = len(search.edges)
    here = search.nodes[at]
    edges: list[Edge] = []
    if here.depth == found.deepest and here.nexts:
        found.cut = True
    else:
        for move in here.nexts:
            node = followed(course, here, at, move)
            if course.stopped is not None:
                found.broken, steps = course.stopped
                found.schedule = (*way(search.nodes, at), *[move] * steps)
                break
            if node is None:
                found.cut = True
                continue
            number = search.seen.setdefault(key_of(course, node), len(search.nodes))
            if number == len(search.nodes):
                search.nodes.append(node)
            edges.append(Edge(number, move, node.steps))
    settle(search, edges)
    for kind, count in course.kinds.items():
        found.events[kind] += count
    course.kinds.clear()


def settle(search: Search, edges: list[Edge]) -> None:
    """Let that be all the ways from the next node."""
    found, here = search.found, search.nodes[len(search.edges)]
    search.edges.append(edges)
    if not here.nexts:
        course = search.course
        for state in course.symmetry.all(here.state) if course.symmetry else [here.state]:
            course.freezer.thaw(state)
            found.final.add(course.freezer.final())
        found.ends = len(found.final)
    found.depth = max(found.depth, here.depth)
    found.states, found.steps = len(search.nodes), search.course.steps


def way(nodes: list[Node], at: int) -> tuple[Move, ...]:
    """The moves from the start to a node."""
    path: list[Move] = []
    while at >= 0:
        node = nodes[at]
        if node.move is not None:
            path += [node.move] * node.steps
        at = node.parent
    return tuple(reversed(path))


def is_symmetric(course: Course) -> bool:
    """Whether a state may stand for others in which contexts have changed places."""
    return course.symmetry is not None and bool(course.symmetry.swappings)


def judge_loops(search: Search) -> None:
    """Break LIVE-ends if somebody can go round for ever.

    Where states stand for others, a move leads to one of those, so that what follows may be another
    context's than it says: then the schedule ends where the loop begins, and nobody is named.
    """
    loop = loop_in([[(edge.to, edge.move) for edge in edges] for edges in search.edges])
    if loop is None:
        return
    begin, path = loop
    found = search.found
    found.exhausted = False
    if is_symmetric(search.course):
        found.broken = LawBroken("LIVE-ends", "somebody can go round for ever")
        found.schedule = way(search.nodes, begin)
        return
    moves: list[Move] = []
    for at, to in path:
        edge = next(edge for edge in search.edges[at] if edge.to == to)
        moves += [edge.move] * edge.steps
    contexts = sorted({move.context for move in moves})
    who = " and ".join(f"context {number}" for number in contexts)
    found.broken = LawBroken("LIVE-ends", f"{who} can go round for ever, {len(moves)} steps a turn")
    found.schedule = (*way(search.nodes, begin), *moves)
