"""The schedule with the fewest switches that breaks a law, if a few are enough.

States are visited by how many switches it took to come to them. A switch is that somebody else goes
on, which the coming of an interrupt is too, or that a task goes to another CPU.
"""

from itertools import pairwise
from typing import TypeAlias

from pagefuzz.schedule.frames import BY_FRAMES
from pagefuzz.schedule.frozen import Freezer, State
from pagefuzz.schedule.judging import Judge
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move, Scenario
from pagespec.schedule.opening import opened

NOBODY = -1
"""In place of who went on last, before anybody has."""

Node: TypeAlias = tuple[State, int]
"""A state, and who went on last."""


def is_switch(last: int, move: Move) -> bool:
    """Whether a move is a switch, after a step of that context."""
    return move.cpu is not None or (last != NOBODY and move.context != last)


def switches_of(schedule: tuple[Move, ...]) -> int:
    """How many switches a schedule has."""
    moves = (Move(NOBODY), *schedule)
    return sum(is_switch(last.context, move) for last, move in pairwise(moves))


class Search:
    """A search for one law in one scenario. came: from where each node was come to first."""

    def __init__(self, scenario: Scenario, law: str) -> None:
        self.world = opened(scenario, BY_FRAMES)
        self.freezer, self.judge, self.law = Freezer(self.world), Judge(), law
        self.came: dict[Node, tuple[Node, Move] | None] = {(self.freezer.freeze(), NOBODY): None}

    def fewest(self, *, switches: int, states: int) -> tuple[Move, ...] | None:
        """A schedule that breaks the law with the fewest switches, and with so many at most.

        None if there is none among the first so many states.
        """
        near, far = list(self.came), list[Node]()
        visited: set[Node] = set()
        for left in range(switches, -1, -1):
            later: tuple[Move, ...] | None = None
            while near and len(visited) < states:
                node = near.pop()
                if node in visited:
                    continue
                visited.add(node)
                for move, after in self.steps_from(node):
                    switched = is_switch(node[1], move)
                    there = (after, move.context) if after is not None else None
                    if there is not None and there not in visited:
                        if not switched or there not in self.came:
                            self.came[there] = node, move
                        (far if switched else near).append(there)
                    elif there is None and not switched:
                        return self.way_to(node, move)
                    elif there is None and left and later is None:
                        later = self.way_to(node, move)
            if later is not None:
                return later
            near, far = far, []
        return None

    def steps_from(self, node: Node) -> list[tuple[Move, State | None]]:
        """All that may happen at a node, with the state after it, or None if it breaks the law."""
        state, _ = node
        freezer = self.freezer
        freezer.thaw(state)
        steps: list[tuple[Move, State | None]] = []
        for move in freezer.moves_in(self.world):
            freezer.thaw(state)
            try:
                moment, after = freezer.step(move)
                broken = self.judge.broken(moment, freezer.shared_in(after))
            except LawBroken as stumbled:
                broken = stumbled
            if broken is None:
                steps.append((move, after))
            elif broken.law_id == self.law:
                steps.append((move, None))
        return steps

    def way_to(self, node: Node, move: Move) -> tuple[Move, ...]:
        """The moves from the beginning to a node, and the one after it."""
        way = [move]
        came = self.came[node]
        while came is not None:
            node, move = came
            way.append(move)
            came = self.came[node]
        return tuple(reversed(way))
