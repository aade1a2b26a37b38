"""What people see of the hunts, and what it means to a script."""

from collections.abc import Iterable, Sequence

from pagefuzz.exits import Exit, worst
from pagefuzz.museum.hunting import Fate, Verdict
from pagefuzz.museum.shared import Judgement, judge_of
from pagefuzz.report import console
from pagefuzz.report.words import counted

SHORT_OF_TEN = 9
"""Of ten shrunk traces, how many must be short."""

EXITS = {
    Fate.KILLED: Exit.HELD,
    Fate.MISNAMED: Exit.BROKEN,
    Fate.SURVIVED: Exit.BROKEN,
    Fate.LOST: Exit.INCONCLUSIVE,
}


def show_verdicts(verdicts: Sequence[Verdict]) -> Exit:
    """Print a row for each mutant, the worst over its seeds, and what they come to."""
    console.table(
        "mutants, the worst of each one's seeds",
        ("mutant", "kind", "source", "operations", "seconds", "requests", "laws", "verdict"),
        [_row(verdict) for verdict in verdicts],
    )
    for verdict in verdicts:
        _explain(verdict)
    codes = [EXITS[verdict.fate] for verdict in verdicts]
    hunts = sum(len(verdict.kills) for verdict in verdicts)
    found = sum(len(verdict.found) for verdict in verdicts)
    print(f"{counted(len(verdicts), 'mutant')}, {counted(hunts, 'hunt')}: {found} found it")
    for longest in sorted({verdict.mutant.limits.requests for verdict in verdicts}):
        codes.append(_lengths(verdicts, longest))
    return worst(codes)


def _lengths(verdicts: Sequence[Verdict], longest: int) -> Exit:
    """Say how many traces are short, of those mutants that are to have such traces."""
    sizes = [
        kill.requests
        for verdict in verdicts
        if verdict.mutant.limits.requests == longest
        for kill in verdict.found
    ]
    short = sum(size <= longest for size in sizes)
    print(f"{short} of {len(sizes)} traces shrunk to {longest} requests or fewer")
    if 10 * short >= SHORT_OF_TEN * len(sizes):
        return Exit.HELD
    print(f"error: of ten shrunk traces {SHORT_OF_TEN} must have {longest} requests")
    return Exit.BROKEN


def _row(verdict: Verdict) -> tuple[object, ...]:
    mutant, found = verdict.mutant, verdict.found
    sizes = sorted(kill.requests for kill in found)
    return (
        mutant.id,
        mutant.kind,
        mutant.source,
        max(kill.operations for kill in found) if found else "",
        round(max(kill.seconds for kill in found), 2) if found else "",
        f"{sizes[0]}..{sizes[-1]}" if found else "",
        ", ".join(f"{law} {count}" for law, count in verdict.laws.most_common()),
        verdict.fate.value,
    )


def _explain(verdict: Verdict) -> None:
    """One line for each seed under which a mutant was not found, or not named."""
    for seed, kill in verdict.kills.items():
        if kill is None:
            print(f"error: {verdict.mutant.id} survived the hunt of seed {seed:08x}")
        elif kill.law not in verdict.mutant.laws:
            due = " or ".join(sorted(verdict.mutant.laws))
            print(f"error: {verdict.mutant.id} broke {kill.law}, expected {due}; the trace:")
            print(kill.trace)


def show_judgements(judgements: Iterable[Judgement]) -> Exit:
    """Print who stopped each slip that spec and twin share."""
    judgements = list(judgements)
    console.table(
        "planted in spec and twin alike",
        ("slip", "lockstep", "killed by", "tests", "verdict"),
        [
            (
                judgement.slip.id,
                judgement.law or "silent",
                _killer(judgement),
                len(judgement.killers),
                _verdict(judgement),
            )
            for judgement in judgements
        ],
    )
    return Exit.HELD if all(judgement.expected for judgement in judgements) else Exit.BROKEN


def _killer(judgement: Judgement) -> str:
    if not judgement.killers:
        return "nothing"
    first = judgement.killers[0]
    return f"{judge_of(first)} {first.rpartition('::')[2]}"


def _verdict(judgement: Judgement) -> str:
    if judgement.law:
        return "NOT SHARED"
    if judgement.killers:
        return "killed" if judgement.slip.killable else "KILLED, listed as unkillable"
    return "SURVIVED" if judgement.slip.killable else "listed: nothing outside speaks of it"
