"""Every schedule of a scenario, by visiting every state that can be reached once.

A state is what is shared, and where each context stands with all that it still needs. So two
schedules that lead to one state have one future, and only one of them is followed. States are
visited in the order in which they are found.
"""

from collections.abc import Callable
from pathlib import Path

from pagefuzz.errors import UsageError
from pagefuzz.schedule.explored import Explored
from pagefuzz.schedule.following import started
from pagefuzz.schedule.resuming import Options, keep, resume_from
from pagefuzz.schedule.search import Search, expand, is_symmetric, judge_loops, key_of
from pagefuzz.schedule.tree import follow_tree
from pagespec.schedule.contexts import Scenario

NOTHING: frozenset[str] = frozenset()
EVERY = 1000
"""States between two calls that tell how far it is."""
FIRST = 2000
"""States until a checkpoint is written, at least; later a share of those that there are, so that
writing takes a share of the time."""


def exhaust(
    scenario: Scenario,
    *,
    hashed: bool = True,
    reduced: bool = True,
    bound: int | None = None,
    depth: int | None = None,
    without: frozenset[str] = NOTHING,
    told: Callable[[Explored], bool] | None = None,
    checkpoint: Path | None = None,
    resume: Path | None = None,
) -> Explored:
    """Follow every schedule, or every one with so many preemptions or steps at most.

    hashed: whether schedules that meet in one state go on as one. reduced: whether steps that
    nobody else can see are taken at once, and states that differ only in places are one; not with a
    depth, which counts steps one by one.
    without: laws that are not asked. told: is told now and then how far it is; if it answers False,
    the search ends unfinished. checkpoint: a file to write now and then, and when the search ends
    unfinished, so that it can be gone on with. resume: such a file.

    Raises UsageError for a file that cannot be written, or gone on from.
    """
    reduced = reduced and depth is None
    options = Options(scenario, reduced, bound, depth, without)
    course, start = started(scenario, reduced=reduced, bound=bound, without=without)
    found = Explored(bound=bound, deepest=depth)
    if not hashed:
        if checkpoint is not None or resume is not None:
            raise UsageError("a search without hashing keeps no checkpoint, expected one with it")
        follow_tree(course, start, found, told)
        return found
    search = Search(course, found, [start], {key_of(course, start): 0})
    if resume is not None:
        resume_from(resume, search, options)
    try:
        finish(search, told, checkpoint, options)
    finally:
        # Also when it is interrupted; what was under way then is done again.
        if checkpoint is not None and found.broken is None:
            keep(checkpoint, search, options)
    return found


def finish(
    search: Search,
    told: Callable[[Explored], bool] | None,
    checkpoint: Path | None,
    options: Options,
) -> None:
    """Go on from each node that has not been gone on from yet."""
    found = search.found
    due = len(search.edges) + FIRST
    while len(search.edges) < len(search.nodes) and found.broken is None:
        done = len(search.edges)
        if told is not None and done % EVERY == 0 and not told(found):
            break
        if checkpoint is not None and done >= due:
            keep(checkpoint, search, options)
            due = done + max(FIRST, done // 2)
        expand(search)
    found.asked = frozenset(search.course.judge.asked)
    found.exhausted = len(search.edges) == len(search.nodes) and found.broken is None
    if found.exhausted and "LIVE-ends" in found.asked:
        judge_loops(search)
        if found.broken is not None and is_symmetric(search.course):
            name_who_goes_round(found, told, options)


def name_who_goes_round(
    found: Explored, told: Callable[[Explored], bool] | None, options: Options
) -> None:
    """Look for the loop again where every state stands for itself, unless that is told to end."""
    plain = exhaust(
        options.scenario, reduced=False, bound=options.bound, without=options.without, told=told
    )
    if plain.broken is not None:
        found.broken, found.schedule = plain.broken, plain.schedule
