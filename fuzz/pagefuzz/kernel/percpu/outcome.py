"""Noting what is explained and what is not: every judged event counts once."""

from pagefuzz.kernel.percpu.lists import Judge

UNEXPLAINED = "unexplained"


def explained(judge: Judge, law: str, what: str, cause: str) -> None:
    """Count an event under its cause."""
    judge.findings.checked[law] += 1
    judge.findings.listing[law, what, cause] += 1


def broken(judge: Judge, law: str, what: str, line: int, sentence: str) -> None:
    """Count an event that no cause explains, and report it."""
    explained(judge, law, what, UNEXPLAINED)
    judge.findings.breach(line, law, sentence)
