"""Every schedule of a scenario one by one, whether it meets others or not.

It takes far longer than visiting states, and shows that nothing was lost by that.
"""

from collections.abc import Callable

from pagefuzz.schedule.explored import Explored
from pagefuzz.schedule.following import Course, Node, followed
from pagespec.laws.law import LawBroken
from pagespec.schedule.contexts import Move

EVERY = 1000
"""States between two calls that tell how far it is."""


def follow_tree(
    course: Course, start: Node, found: Explored, told: Callable[[Explored], bool] | None
) -> None:
    """Follow every schedule from the start to its end, the last choice changed first.

    A schedule that comes back to where it has been would go on for ever.
    """
    path = [start]
    choices = [list(reversed(start.nexts))]
    on_path = {start.state: 0}
    finished = True
    while path and found.broken is None:
        here = path[-1]
        if not choices[-1]:
            del on_path[here.state]
            path.pop()
            choices.pop()
            continue
        move = choices[-1].pop()
        node = followed(course, here, 0, move)
        if course.stopped is not None:
            found.broken, steps = course.stopped
            found.schedule = (*moves_of(path), *[move] * steps)
            break
        if node is None:
            found.cut = True
            continue
        found.states += 1
        if told is not None and found.states % EVERY == 0 and not told(found):
            finished = False
            break
        found.depth = max(found.depth, node.depth)
        if node.state in on_path:
            round_trip = moves_of([*path[on_path[node.state] + 1 :], node])
            if any(each.cpu is None for each in round_trip):
                complaint = f"a turn of {len(round_trip)} steps can be taken for ever"
                found.broken = LawBroken("LIVE-ends", complaint)
                found.schedule = moves_of([*path, node])
            continue
        if not node.nexts:
            course.freezer.thaw(node.state)
            found.final.add(course.freezer.final())
            continue
        if node.depth == found.deepest:
            found.cut = True
            continue
        on_path[node.state] = len(path)
        path.append(node)
        choices.append(list(reversed(node.nexts)))
    found.ends, found.steps, found.events = len(found.final), course.steps, course.kinds
    found.asked = frozenset(course.judge.asked)
    found.exhausted = finished and found.broken is None


def moves_of(path: list[Node]) -> tuple[Move, ...]:
    """The moves that lead along nodes."""
    return tuple(
        move for node in path if node.move is not None for move in [node.move] * node.steps
    )
