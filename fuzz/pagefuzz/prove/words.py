"""What CrossHair says, read as a verdict.

Its exit code is 0 for a condition that is confirmed, for one that is not, and for one whose
precondition is never met. Only the words tell, and a line that is missing tells too.
"""

import re
from collections.abc import Iterable

from pagefuzz.prove.verdict import STRENGTH, Finding, Verdict

LINE = re.compile(r"^.*?:\d+: (?P<kind>error|info|warning): (?P<words>.*)$")

SAID = {
    "Confirmed over all paths.": Verdict.CONFIRMED,
    "Not confirmed.": Verdict.NOT_REFUTED,
    "Unable to meet precondition.": Verdict.VACUOUS,
}

NO_DIFFERENCE = "No differences found."
ALL_PATHS = "All paths exhausted"
GIVEN = "Given: ("


def read_check(output: str, errors: str, postconditions: int) -> Finding:
    """The verdict of `crosshair check` on a function with so many postconditions: the weakest.

    Each postcondition must have its line. Any error is a counterexample, or a contract that is no
    Python, which nothing confirms either.
    """
    said = [found for line in output.splitlines() if (found := LINE.match(line))]
    wrong = [line["words"] for line in said if line["kind"] == "error"]
    if wrong:
        return Finding(Verdict.REFUTED, says="; ".join(wrong))
    verdicts = [SAID.get(line["words"], Verdict.UNKNOWN) for line in said]
    if len(verdicts) != postconditions:
        return Finding(
            Verdict.UNKNOWN,
            says=f"{len(verdicts)} of {postconditions} postconditions were spoken of"
            + _last(errors or output),
        )
    return Finding(min(verdicts, key=STRENGTH.__getitem__))


def read_diff(output: str, errors: str) -> Finding:
    """The verdict of `crosshair diffbehavior`."""
    if GIVEN in output:
        return Finding(Verdict.REFUTED, says=" ".join(output.split()))
    if NO_DIFFERENCE in output:
        return Finding(Verdict.EXHAUSTED if ALL_PATHS in output else Verdict.NOT_REFUTED)
    return Finding(Verdict.UNKNOWN, says="no word about differences" + _last(errors or output))


def _last(text: str) -> str:
    """The last line of a text, which in a traceback is the error, as the rest of a sentence."""
    lines: Iterable[str] = filter(None, (line.strip() for line in reversed(text.splitlines())))
    return "".join(f": {line}" for line in list(lines)[:1])
