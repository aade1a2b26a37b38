"""A search as a checkpoint, and going on with it from there."""

from pathlib import Path
from typing import NamedTuple

from pagefuzz.errors import UsageError
from pagefuzz.schedule.checkpoint import (
    Checkpoint,
    Kept,
    read,
    scenario_digest,
    source_digest,
    write,
)
from pagefuzz.schedule.following import remade
from pagefuzz.schedule.search import Edge, Search, key_of, settle
from pagespec.events import Kind
from pagespec.schedule.contexts import Scenario


class Options(NamedTuple):
    """What a search is asked for, as `exhaust` has it."""

    scenario: Scenario
    reduced: bool
    bound: int | None
    depth: int | None
    without: frozenset[str]

    def words(self) -> str:
        """All but the scenario, as a checkpoint says it."""
        bound, depth = ("-" if limit is None else limit for limit in (self.bound, self.depth))
        without = ",".join(sorted(self.without)) or "-"
        return f"reduced={int(self.reduced)} bound={bound} depth={depth} without={without}"


def keep(path: Path, search: Search, options: Options) -> None:
    """Write how far a search has come."""
    ways = []
    for here, edges in zip(search.nodes, search.edges, strict=False):
        numbers = {move: number for number, move in enumerate(here.nexts)}
        ways.append(tuple(Kept(numbers[edge.move], edge.to, edge.steps) for edge in edges))
    events = sorted((kind.name, count) for kind, count in search.found.events.items())
    point = Checkpoint(
        scenario_digest(options.scenario),
        source_digest(),
        options.words(),
        tuple(sorted(search.course.judge.asked)),
        tuple(events),
        tuple(ways),
    )
    write(path, point)


def resume_from(path: Path, search: Search, options: Options) -> None:
    """Bring a search that is at its start to where the checkpoint was written.

    Raises UsageError for a file that is not of this search.
    """
    point = read(path, options.scenario, options.words())
    try:
        for ways in point.ways:
            _expand_as(search, ways)
        for name, count in point.events:
            search.found.events[Kind[name]] += count
    except LookupError as error:
        raise UsageError(f"{path}: the checkpoint does not fit its scenario: {error}") from error
    search.course.judge.asked |= set(point.asked)


def _expand_as(search: Search, ways: tuple[Kept, ...]) -> None:
    at = len(search.edges)
    here = search.nodes[at]
    edges = []
    for number, to, steps in ways:
        move = here.nexts[number]
        if to == len(search.nodes):
            node = remade(search.course, here, at, move, steps)
            search.seen[key_of(search.course, node)] = to
            search.nodes.append(node)
        search.course.steps += steps
        edges.append(Edge(to, move, steps))
    if len(ways) < len(here.nexts):
        search.found.cut = True
    settle(search, edges)
