"""Every schedule of a scenario, each run from the start, and how it ends.

Nothing is copied, hashed or remembered, so this is for the smallest scenarios; of others a part of
the schedules is drawn. Who may run when is said by `plain_machine`.
"""

from collections.abc import Callable, Hashable, Iterator
from typing import NamedTuple

from tests.schedule.plain_machine import Machine, Move

from pagespec.pcp.index import orders_of_lists
from pagespec.schedule.contexts import Scenario, placed
from pagespec.types import EndlessWalk
from pagespec.vmstat.counters import Counters
from pagespec.zone import Zone


class End(NamedTuple):
    """How a schedule ended: well, or in which trouble. outcomes, state: plain data."""

    trouble: str | None
    outcomes: tuple[tuple[int, ...], ...]
    state: Hashable


Choose = Callable[[list[Move]], Move]
"""Says what happens next."""


def end_of(scenario: Scenario, choose: Choose) -> End:
    """Run one schedule to its end, or to the first trouble. Nobody moves twice without a step."""
    machine, moved = Machine(scenario), set[int]()
    trouble = None
    while trouble is None:
        moves = machine.moves()
        moves = [each for each in moves if each.cpu is None or each.context not in moved]
        if not moves:
            stuck = any(worker.asked is not None for worker in machine.workers)
            trouble = "nobody can go on" if stuck else None
            break
        move = choose(moves)
        (moved.discard if move.cpu is None else moved.add)(move.context)
        try:
            machine.take(move)
        except EndlessWalk:
            trouble = "a drain goes round for ever"
        if any(len(machine.at_lists(cpu)) > 1 for cpu in range(scenario.cpus)):
            trouble = "two at one CPU's lists"
    outcomes = tuple(tuple(worker.outcomes) for worker in machine.workers)
    return End(trouble or lost_in(machine), outcomes, plain(machine.shared))


def every_end(scenario: Scenario) -> Iterator[End]:
    """The ends of all schedules, each run from the start: as an odometer turns."""
    digits: list[tuple[int, int]] = []
    while True:
        at = 0

        def choose(moves: list[Move]) -> Move:
            nonlocal at
            if at == len(digits):
                digits.append((0, len(moves)))
            at += 1
            return moves[digits[at - 1][0]]

        yield end_of(scenario, choose)
        while digits and digits[-1][0] + 1 == digits[-1][1]:
            digits.pop()
        if not digits:
            return
        digits[-1] = (digits[-1][0] + 1, digits[-1][1])


def lost_in(machine: Machine) -> str | None:
    """What is wrong with frames and counts when all is done, if anything is."""
    shared, before = machine.shared, machine.before
    if not isinstance(shared, Zone):
        return None
    once, twice = placed(shared)
    if twice:
        return "a frame in two places"
    if once != before:
        return "a frame is lost"
    for pcp in (pcp for pcps in shared.pcps for pcp in pcps):
        orders = orders_of_lists(shared.machine.era.lists, shared.machine.huge)
        if pcp.count != sum(
            len(pcp.lists[at]) << order for at, order in enumerate(orders) if pcp.lists[at]
        ):
            return "a count of lists is wrong"
    return None


def plain(shared: Zone | Counters) -> Hashable:
    """Where every frame is, or what every counter says."""
    if not isinstance(shared, Zone):
        return (tuple(shared.told), tuple(map(tuple, shared.cells)), tuple(shared.totals.values()))
    free = tuple(tuple(blocks) for listed in shared.free_area for blocks in listed.values())
    kept = tuple(tuple(x.items()) for pcps in shared.pcps for pcp in pcps for x in pcp.lists)
    return free, kept, frozenset(shared.held.items()), tuple(shared.pgallocs)
