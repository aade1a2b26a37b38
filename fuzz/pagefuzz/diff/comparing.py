"""The whole comparison: every short trace on small machines, then walks on larger ones."""

from dataclasses import dataclass, field
from random import Random
from time import monotonic

from pagefuzz.diff.difference import Aspect
from pagefuzz.diff.keeping import Keeping
from pagefuzz.diff.machines import OTHER_BOUND, USUAL, machine_of, random_machine
from pagefuzz.diff.pair import Pair
from pagefuzz.diff.parting import Group, Parting
from pagefuzz.diff.search import Found, search
from pagefuzz.diff.seen import Side
from pagefuzz.diff.walks import shrunk, walk
from pagefuzz.errors import UsageError
from pagefuzz.report.console import Tell
from pagespec.types import DomainError

Sides = tuple[Side, Side]


@dataclass(slots=True)
class Task:
    """A machine on which all traces of up to `bound` requests are tried, and what is found."""

    words: str
    sides: Sides
    bound: int
    found: Found = field(default_factory=Found)


def tasks_of(pair: Pair, chosen: tuple[str, ...], bound: int | None) -> list[Task]:
    """The machines to search: those chosen, or else those of the default set that both serve.

    Raises UsageError for a chosen machine that one side does not serve.
    """
    tasks: list[Task] = []
    refused: Exception | None = None
    for words in chosen or USUAL:
        try:
            sides = pair.on(machine_of(words, pair.eras[0]))
        except UsageError as error:
            if chosen:
                raise
            refused = error
        except DomainError as error:
            if chosen:
                raise UsageError(f"machine {words!r}: {error}") from None
            refused = error
        else:
            usual = USUAL.get(words, OTHER_BOUND) - pair.walks_anew
            tasks.append(Task(words, sides, usual if bound is None else bound))
    if not tasks:
        raise UsageError(f"no machine of the default set is served by both: {refused}")
    return tasks


def search_all(
    tasks: list[Task], ignored: frozenset[Aspect], tell: Tell, keeping: Keeping | None
) -> None:
    """Try all short traces on every machine; keep what a machine shows before the next one."""
    for task in tasks:

        def told(line: str, words: str = task.words) -> None:
            tell(f"{words}\n{line}")

        search(task.sides, task.bound, task.found, ignored, told)
        if keeping is not None:
            keeping.keep(task.found.first.values())


def shortest(tasks: list[Task]) -> dict[Group, Task]:
    """For each group that was found, the first machine with the shortest trace."""
    best: dict[Group, Task] = {}
    for task in tasks:
        for group, parting in task.found.first.items():
            if group not in best or parting.length < best[group].found.first[group].length:
                best[group] = task
    return dict(sorted(best.items(), key=lambda item: _place(item[1].found.first[item[0]])))


def _place(parting: Parting) -> tuple[int, str]:
    """The shortest first, and those of one length always in the same order."""
    return parting.length, str(parting.group)


@dataclass(frozen=True, slots=True)
class Walks:
    """How long to walk: for so many seconds, or so many walks, whichever is given."""

    seed: int
    seconds: float
    count: int | None


class Walked:
    """What walks have found beyond the groups that are known, shrunk. done: how many there were."""

    def __init__(self) -> None:
        self.found = Found()
        self.done = 0


def walk_all(
    pair: Pair,
    tasks: list[Task],
    chosen: bool,
    walks: Walks,
    walked: Walked,
    ignored: frozenset[Aspect],
    tell: Tell,
    keeping: Keeping | None,
) -> None:
    """Walk on random machines, or if machines were chosen on these; keep what each finds."""
    known, started = shortest(tasks), monotonic()
    while walked.done != walks.count and (
        walks.count is not None or monotonic() - started < walks.seconds
    ):
        rng = Random(f"{walks.seed}/{walked.done}")
        walked.done += 1
        sides = tasks[walked.done % len(tasks)].sides if chosen else _random_sides(pair, rng)
        parting = walk(sides, rng, ignored, walked.found.tried)
        if parting is not None and parting.group not in known:
            walked.found.add(shrunk(parting, ignored))
            if keeping is not None:
                keeping.keep([walked.found.first[parting.group]])
        tell(f"{walked.done} walks, {len(walked.found.first)} more groups")


def _random_sides(pair: Pair, rng: Random) -> Sides:
    while True:
        try:
            return pair.on(random_machine(rng, pair.eras))
        except DomainError:
            continue
