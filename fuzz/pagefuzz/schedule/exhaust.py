"""Every schedule of a scenario, by visiting every state that can be reached once.

A state is what is shared, and where each context stands with all that it still needs. So two
schedules that lead to one state have one future, and only one of them is followed. States are
visited in the order in which they are found.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from pagefuzz.schedule.explored import Explored
from pagefuzz.schedule.following import Course, Node, followed, started
from pagefuzz.schedule.loops import loop_in
from pagefuzz.schedule.tree import follow_tree
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Scenario
from pagespec.schedule.rules import Move

NOTHING: frozenset[str] = frozenset()
EVERY = 1000
"""States between two calls that tell how far it is."""


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


def exhaust(
    scenario: Scenario,
    *,
    hashed: bool = True,
    reduced: bool = True,
    bound: int | None = None,
    depth: int | None = None,
    without: frozenset[str] = NOTHING,
    told: Callable[[Explored], bool] | None = None,
) -> Explored:
    """Follow every schedule, or every one with so many preemptions or steps at most.

    hashed: whether schedules that meet in one state go on as one. reduced: whether steps that
    nobody else can see are taken at once; with a depth they are not, since it counts them.
    without: laws that are not asked. told: is told now and then how far it is; if it answers False,
    the search ends unfinished.
    """
    reduced = reduced and depth is None
    course, start = started(scenario, reduced=reduced, bound=bound, without=without)
    found = Explored(bound=bound, deepest=depth)
    if not hashed:
        follow_tree(course, start, found, told)
        return found
    search = Search(course, found, [start], {key_of(start): 0})
    finish(search, told)
    return found


def finish(search: Search, told: Callable[[Explored], bool] | None) -> None:
    """Go on from each node that has not been gone on from yet."""
    found = search.found
    while len(search.edges) < len(search.nodes) and found.broken is None:
        if told is not None and len(search.edges) % EVERY == 0 and not told(found):
            break
        expand(search)
    found.asked = frozenset(search.course.judge.asked)
    found.exhausted = len(search.edges) == len(search.nodes) and found.broken is None
    if found.exhausted and "LIVE-ends" in found.asked:
        judge_loops(search)


def key_of(node: Node) -> tuple[int, ...]:
    """What of a node its future follows from."""
    return (*node.state, node.last, node.left)


def expand(search: Search) -> None:
    """Take each move that may happen in the next node."""
    course, found = search.course, search.found
    at = len(search.edges)
    here = search.nodes[at]
    edges: list[Edge] = []
    if not here.nexts:
        course.freezer.thaw(here.state)
        found.final.add(course.freezer.final())
        found.ends = len(found.final)
    elif here.depth == found.deepest:
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
            number = search.seen.setdefault(key_of(node), len(search.nodes))
            if number == len(search.nodes):
                search.nodes.append(node)
                found.depth = max(found.depth, node.depth)
            edges.append(Edge(number, move, node.steps))
    search.edges.append(edges)
    found.states, found.steps = len(search.nodes), course.steps
    found.events.update(course.kinds)
    course.kinds.clear()


def way(nodes: list[Node], at: int) -> tuple[Move, ...]:
    """The moves from the start to a node."""
    path: list[Move] = []
    while at >= 0:
        node = nodes[at]
        if node.move is not None:
            path += [node.move] * node.steps
        at = node.parent
    return tuple(reversed(path))


def judge_loops(search: Search) -> None:
    """Break LIVE-ends if somebody can go round for ever."""
    loop = loop_in([[(edge.to, edge.move) for edge in edges] for edges in search.edges])
    if loop is None:
        return
    begin, path = loop
    moves: list[Move] = []
    for at, to in path:
        edge = next(edge for edge in search.edges[at] if edge.to == to)
        moves += [edge.move] * edge.steps
    contexts = sorted({move.context for move in moves})
    who = " and ".join(f"context {number}" for number in contexts)
    found = search.found
    found.broken = LawBroken("LIVE-ends", f"{who} can go round for ever, {len(moves)} steps a turn")
    found.schedule = (*way(search.nodes, begin), *moves)
    found.exhausted = False
