"""Every schedule of a scenario, by visiting every state that can be reached once.

A state is the zone, and where each context stands with all that it still needs. So two schedules
that lead to one state have one future, and only one of them is followed. States are visited in the
order in which they are found.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from pagefuzz.schedule.bounds import preempts
from pagefuzz.schedule.explored import Explored
from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.frozen import Freezer, State
from pagefuzz.schedule.judging import Judge
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Scenario, opened
from pagespec.schedule.rules import Move

NOTHING: frozenset[str] = frozenset()
EVERY = 1000
"""States between two calls that tell how far it is."""


@dataclass(slots=True)
class Node:
    """A state that was found: from which, by which move, and how many steps that move stands for.

    last: who took the step to it; left: the preemptions that are left. Both are 0 without a bound.
    """

    state: State
    nexts: tuple[Move, ...]
    parent: int
    move: Move | None
    steps: int
    depth: int
    last: int | None = None
    left: int = 0


@dataclass(slots=True)
class Search:
    """A search under way. at: the next node to go on from."""

    freezer: Freezer
    judge: Judge
    found: Explored
    nodes: list[Node]
    seen: dict[tuple[int, ...], int]
    at: int = 0
    edges: list[list[int]] = field(default_factory=list)


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
    nobody else can see are taken as one with the step before. without: laws that are not asked.
    told: is told now and then how far it is; if it answers False, the search ends unfinished.
    """
    search = begun(scenario, without, bound, depth)
    found = search.found
    while search.at < len(search.nodes) and found.broken is None:
        if told is not None and search.at % EVERY == 0 and not told(found):
            break
        expand(search)
    found.exhausted = search.at == len(search.nodes) and found.broken is None
    found.asked = frozenset(search.judge.asked)
    return found


def begun(
    scenario: Scenario, without: frozenset[str], bound: int | None, depth: int | None
) -> Search:
    """A search of which only the start is known."""
    world = opened(scenario, BY_FRAMES)
    freezer = Freezer(world)
    state = freezer.freeze()
    start = Node(state, freezer.moves_in(world), -1, None, 0, 0, left=bound or 0)
    found = Explored(bound=bound, deepest=depth)
    return Search(freezer, Judge(without), found, [start], {key_of(start): 0})


def key_of(node: Node) -> tuple[int, ...]:
    """What of a node its future follows from."""
    return (*node.state, -1 if node.last is None else node.last, node.left)


def expand(search: Search) -> None:
    """Take each move that may happen in the next node."""
    freezer, found = search.freezer, search.found
    at = search.at
    here = search.nodes[at]
    search.at += 1
    if not here.nexts:
        found.ends += 1
        freezer.thaw(here.state)
        found.final.add(freezer.final())
        return
    if here.depth == found.deepest:
        found.cut = True
        return
    for move in here.nexts:
        freezer.thaw(here.state)
        last, left = None, 0
        if found.bound is not None:
            last = move.context
            left = here.left - preempts(freezer.world, here.nexts, here.last, move)
            if left < 0:
                found.cut = True
                continue
        found.steps += 1
        try:
            moment, state = freezer.step(move)
            broken = search.judge.broken(moment, freezer.shared_in(state))
        except LawBroken as stumbled:
            broken = stumbled
        if broken is not None:
            found.broken = broken
            found.schedule = (*way(search.nodes, at), move)
            return
        for event in moment.log:
            found.events[event.kind] += 1
        node = Node(state, tuple(moment.nexts), at, move, 1, here.depth + 1, last, left)
        number = search.seen.setdefault(key_of(node), len(search.nodes))
        if number == len(search.nodes):
            search.nodes.append(node)
            found.states += 1
            found.depth = max(found.depth, node.depth)


def way(nodes: list[Node], at: int) -> tuple[Move, ...]:
    """The moves from the start to a node."""
    path: list[Move] = []
    while at >= 0:
        node = nodes[at]
        if node.move is not None:
            path += [node.move] * node.steps
        at = node.parent
    return tuple(reversed(path))
