"""What a comparison found, for people: one shortest trace a group, then tables."""

from pagefuzz.diff.comparing import Task, Walked, shortest
from pagefuzz.diff.keeping import Keeping
from pagefuzz.diff.machines import words_of
from pagefuzz.diff.parting import Group
from pagefuzz.diff.telling import trace_of, ways_text
from pagefuzz.diff.vocabulary import words_tried
from pagefuzz.report import console
from pagespec.trace import text_of

COLUMNS = ("law", "what differs", "at", "way", "requests", "partings", "machine")


def report(
    names: tuple[str, str], tasks: list[Task], walked: Walked, keeping: Keeping | None
) -> bool:
    """Print it and keep what is not kept yet, if anything is; return whether anything differs."""
    best = shortest(tasks)
    partings = [task.found.first[group] for group, task in best.items()]
    deeper = sorted(walked.found.first.values(), key=lambda parting: parting.length)
    if keeping is not None:
        keeping.keep((*partings, *deeper))
    for parting in (*partings, *deeper):
        print(text_of(trace_of(parting)))
        if keeping is not None:
            print(f"{keeping.path_of(parting.group)}\n")
    if partings:
        rows = [
            (*_row(names, group), task.found.first[group].length, _count(tasks, group), task.words)
            for group, task in best.items()
        ]
        console.table(
            f"where {names[0]} and {names[1]} part, each kind by a shortest trace",
            COLUMNS,
            rows,
        )
    if deeper:
        console.table(
            "found by walks alone: shrunk, shorter traces may exist",
            COLUMNS,
            [
                (
                    *_row(names, parting.group),
                    parting.length,
                    walked.found.partings[parting.group],
                    words_of(parting.sides[0].machine),
                )
                for parting in deeper
            ],
        )
    console.table(
        "searched",
        ("machine", "all traces of up to", "pairs of states", "steps"),
        [(task.words, _tried(task), task.found.states, task.found.steps) for task in tasks],
    )
    tried = walked.found.tried.union(*(task.found.tried for task in tasks))
    print(f"vocabulary: {words_tried(tried)}")
    print(f"walks: {walked.done}")
    print(_verdict(names, tasks, len(partings) + len(deeper), walked.done))
    return bool(partings or deeper)


def _tried(task: Task) -> str:
    """Up to which length all traces were tried."""
    length = task.found.length
    return "not searched" if length is None else f"{length} requests"


def _row(names: tuple[str, str], group: Group) -> tuple[str, str, str, str]:
    at = group.verb.value if group.verb else "boot"
    return group.law or "both allowed", group.aspect, at, ways_text(names, group)


def _count(tasks: list[Task], group: Group) -> int:
    return sum(task.found.partings.get(group, 0) for task in tasks)


def _verdict(names: tuple[str, str], tasks: list[Task], groups: int, walks: int) -> str:
    """How far was looked, and no more than that."""
    searched = [task for task in tasks if task.found.length is not None]
    bounds = ", ".join(f"{_tried(task)} on {task.words!r}" for task in searched)
    beyond = f", nor in {walks} walks" if walks else ""
    if groups:
        return f"{names[0]} and {names[1]} part; kinds of difference: {groups}"
    return (
        f"{names[0]} and {names[1]}: no difference in any trace of this vocabulary of up to "
        f"{bounds or '0 requests'}{beyond}; not refuted beyond"
    )
