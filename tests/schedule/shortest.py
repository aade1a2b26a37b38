"""The schedule with the fewest switches and interrupts that breaks a law, among all that there are.

States are visited by how many switches it took to come to them, and then by how many steps: the
first break of the law that comes up is the shortest. It is slow, and an oracle for the search that
commands use.
"""

from heapq import heappop, heappush

from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.fewest import is_switch
from pagefuzz.schedule.following import Node, followed, started
from pagefuzz.schedule.search import way
from pagespec.laws.state import STATE_LAWS
from pagespec.schedule.contexts import Move, Scenario
from pagespec.schedule.laws import AT_EVERY_STEP

EVERY_LAW = frozenset(
    [*(law.id for law in AT_EVERY_STEP.laws), *(law.id for law in STATE_LAWS.laws)]
)


def shortest(scenario: Scenario, law: str) -> tuple[Move, ...] | None:
    """A schedule that breaks that law, with the fewest switches and then steps; None if none does.

    What other laws say on the way is not asked. An endless loop that takes several steps has no
    length of its own: it is given as `exhaust` finds it.
    """
    course, start = started(scenario, reduced=False, bound=None, without=EVERY_LAW - {law})
    nodes: list[Node] = [start]
    breaks: set[int] = set()
    queue = [(0, 0, 0)]
    visited: set[tuple[int, ...]] = set()
    while queue:
        switched, _, at = heappop(queue)
        here = nodes[at]
        if at in breaks:
            return way(nodes, at)
        key = (*here.state, here.last)
        if key in visited:
            continue
        visited.add(key)
        for move in here.nexts:
            node = followed(course, here, at, move)
            if node is None:
                assert course.stopped is not None
                (broken, _), course.stopped = course.stopped, None
                if broken.law_id != law:
                    continue
                breaks.add(len(nodes))
                node = here._replace(parent=at, move=move, steps=1, depth=here.depth + 1)
            node = node._replace(last=move.context)
            heappush(queue, (switched + is_switch(here.last, move), node.depth, len(nodes)))
            nodes.append(node)
    found = exhaust(scenario, without=EVERY_LAW - {law})
    return found.schedule if found.broken is not None else None
