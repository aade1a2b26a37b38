"""One exploration as a task for a process, and what came of it as plain data."""

from collections.abc import Mapping
from pathlib import Path
from time import process_time
from typing import NamedTuple

from pagefuzz.explore.pool import is_told_to_stop
from pagefuzz.findings import make_ready
from pagefuzz.schedule.exhaust import exhaust
from pagefuzz.schedule.explored import Explored
from pagefuzz.schedule.kindjudge import is_of_kind
from pagefuzz.schedule.replayed import exhaust_kind
from pagespec.events import Kind
from pagespec.schedule.contexts import Move, Scenario


class Reach(NamedTuple):
    """How far to look: so many preemptions and steps at most, if not None; and how.

    bound: of slabs and compaction it bounds the switches, which are no fewer than the preemptions.
    hashed: whether schedules that meet in one state go on as one.
    """

    bound: int | None = None
    depth: int | None = None
    hashed: bool = True


DEFAULT = Reach()
"""Every schedule."""


class Task(NamedTuple):
    """A scenario to explore, by name.

    checkpoint: a file to keep the states in, so that the search can be gone on with. resume:
    whether it goes on from there.
    """

    name: str
    scenario: Scenario
    reach: Reach = DEFAULT
    checkpoint: Path | None = None
    resume: bool = False


class Counts(NamedTuple):
    """How much there was: the same on every machine, whatever its speed."""

    states: int
    steps: int
    ends: int
    depth: int


class Result(NamedTuple):
    """What came of a task.

    extent: how far was looked, in the words of a verdict. law, complaint, schedule: what broke, if
    anything did, and how to come there. asked: the laws that were asked. events: what happened.
    """

    task: Task
    counts: Counts
    extent: str
    exhausted: bool
    law: str | None
    complaint: str
    schedule: tuple[Move, ...]
    asked: frozenset[str]
    events: frozenset[Kind]
    seconds: float


def run(task: Task) -> Result:
    """Explore a scenario, until it is exhausted or the search is told to stop."""
    begin = process_time()
    bound, depth, hashed = task.reach
    if is_of_kind(task.scenario):
        # Which is a matter of seconds: nothing is kept to be gone on with.
        explored = exhaust_kind(
            task.scenario,
            hashed=hashed,
            switches=bound,
            depth=depth,
            told=lambda found: not is_told_to_stop(),
        )
        return result_of(task, explored, process_time() - begin)
    explored = exhaust(
        task.scenario,
        hashed=hashed,
        bound=bound,
        depth=depth,
        told=lambda found: not is_told_to_stop(),
        checkpoint=task.checkpoint,
        resume=task.checkpoint if task.resume else None,
    )
    return result_of(task, explored, process_time() - begin)


def result_of(task: Task, explored: Explored, seconds: float) -> Result:
    """What came of it without what only the search needs."""
    broken = explored.broken
    return Result(
        task,
        Counts(explored.states, explored.steps, explored.ends, explored.depth),
        explored.extent(),
        explored.exhausted,
        None if broken is None else broken.law_id,
        "" if broken is None else broken.complaint,
        explored.schedule,
        explored.asked,
        frozenset(explored.events),
        seconds,
    )


def tasks_of(
    scenarios: Mapping[str, Scenario], reach: Reach, checkpoint: Path | None, *, resume: bool
) -> list[Task]:
    """A task for each scenario. checkpoint: a directory for the states of each, made if need be.

    Raises UsageError if none can be made there.
    """
    if checkpoint is None:
        return [Task(name, scenario, reach) for name, scenario in scenarios.items()]
    make_ready(checkpoint, "--checkpoint", "states")
    files = {name: checkpoint / f"{name}.states" for name in scenarios}
    return [
        Task(name, scenario, reach, files[name], resume and files[name].exists())
        for name, scenario in scenarios.items()
    ]
