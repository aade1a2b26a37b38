"""The museum's shrunk traces as files: one a mutant, each the smallest that its hunts found."""

from collections.abc import Iterable
from pathlib import Path

from pagefuzz.museum.hunting import Kill, Verdict


def smallest(verdict: Verdict) -> Kill | None:
    """The shortest trace that broke a law which fits; of equals the first in the alphabet."""
    fitting = [kill for kill in verdict.found if kill.law in verdict.mutant.laws]
    return min(fitting, key=lambda kill: (kill.requests, len(kill.trace), kill.trace), default=None)


def write(verdicts: Iterable[Verdict], folder: Path) -> int:
    """Write the traces, and return how many there are. Other files of the folder are left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for verdict in verdicts:
        kill = smallest(verdict)
        if kill is not None:
            path = folder / f"{verdict.mutant.id}.trace"
            path.write_text(kill.trace, encoding="utf-8")
            written += 1
    return written
