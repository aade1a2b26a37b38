"""What a condition may come to, in words that claim no more than was done."""

from enum import Enum
from typing import NamedTuple


class Verdict(Enum):
    """One outcome, weakest first. The value is its word in the ledger and in reports."""

    REFUTED = "refuted"
    UNKNOWN = "no verdict"
    VACUOUS = "precondition never met"
    NOT_REFUTED = "not refuted"
    EXHAUSTED = "exhausted"
    CONFIRMED = "confirmed over all paths"


STRENGTH = {
    Verdict.REFUTED: 0,
    Verdict.UNKNOWN: 1,
    Verdict.VACUOUS: 1,
    Verdict.NOT_REFUTED: 2,
    Verdict.EXHAUSTED: 3,
    Verdict.CONFIRMED: 3,
}
"""A verdict may replace another in the ledger only if it is as strong."""


class Finding(NamedTuple):
    """A verdict, what it cost, what was counted, and the engine's own words where they matter.

    seconds: of CPU time. counts: numbers by name, the same on every run.
    """

    verdict: Verdict
    seconds: float = 0.0
    counts: tuple[tuple[str, tuple[int, ...]], ...] = ()
    says: str = ""
