"""CrossHair's words, as it really printed them, read as verdicts."""

import pytest

from pagefuzz.prove.verdict import Verdict
from pagefuzz.prove.words import read_check, read_diff

CONFIRMED = "frames.py:4: info: Confirmed over all paths."
NOT_CONFIRMED = "frames.py:5: info: Not confirmed."
UNMET = "frames.py:28: info: Unable to meet precondition."
FALSE = "frames.py:17: error: false when calling refuted(99) (which returns False)"
RAISES = "frames.py:24: error: ZeroDivisionError:  when calling raises(7)"
NO_PYTHON = "frames.py:34: error: invalid syntax (<string>, line 1)"
NO_NAME = (
    "frames.py:41: error: Error while evaluating post condition: NameError: name 'nonsense' is "
    "not defined when calling unknown_name(0) (which returns True)"
)


@pytest.mark.parametrize(
    ("lines", "postconditions", "verdict"),
    [
        ([CONFIRMED, CONFIRMED], 2, Verdict.CONFIRMED),
        ([CONFIRMED, NOT_CONFIRMED], 2, Verdict.NOT_REFUTED),
        ([NOT_CONFIRMED], 1, Verdict.NOT_REFUTED),
        ([FALSE], 1, Verdict.REFUTED),
        ([RAISES], 1, Verdict.REFUTED),
        ([CONFIRMED, FALSE], 2, Verdict.REFUTED),
        ([NO_PYTHON], 1, Verdict.REFUTED),
        ([NO_NAME], 1, Verdict.REFUTED),
        ([UNMET], 1, Verdict.VACUOUS),
        ([UNMET, CONFIRMED], 2, Verdict.VACUOUS),
        ([CONFIRMED], 2, Verdict.UNKNOWN),
        ([], 1, Verdict.UNKNOWN),
        (["WARNING: Targets found, but contain no checkable functions."], 1, Verdict.UNKNOWN),
        (["frames.py:4: info: Confirmed, probably."], 1, Verdict.UNKNOWN),
    ],
)
def test_check(lines: list[str], postconditions: int, verdict: Verdict) -> None:
    """The weakest word counts, and a postcondition without one has no verdict."""
    assert read_check("\n".join(lines), "", postconditions).verdict is verdict


def test_a_counterexample_is_passed_on() -> None:
    """Whoever reads the report needs the call that refutes."""
    assert read_check(FALSE, "", 1).says == "false when calling refuted(99) (which returns False)"


def test_a_load_error_says_why() -> None:
    """A module that cannot be imported is no verdict; its traceback's last line is the error."""
    errors = (
        "Could not import your code:\n\nTraceback (most recent call last):\n"
        '  File "cap.py", line 1, in <module>\n    import missing\n'
        "ModuleNotFoundError: No module named 'missing'\n"
    )
    finding = read_check("", errors, 3)

    assert finding.verdict is Verdict.UNKNOWN
    assert finding.says == (
        "0 of 3 postconditions were spoken of: ModuleNotFoundError: No module named 'missing'"
    )


SAME = "No differences found. (attempted 38 iterations)"
EXHAUSTED = "All paths exhausted, functions are likely the same!"
OUT_OF_TIME = "Consider increasing the --max_uninteresting_iterations option."
DIFFERENT = "Given: (x=99),\n  kinds.refuted : returns False\n   kinds.raises : returns True"


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ([SAME, EXHAUSTED], Verdict.EXHAUSTED),
        ([SAME, OUT_OF_TIME], Verdict.NOT_REFUTED),
        ([DIFFERENT], Verdict.REFUTED),
        ([], Verdict.UNKNOWN),
    ],
)
def test_diffbehavior(lines: list[str], verdict: Verdict) -> None:
    """Exit code 0 stands for exhausted and for out of time; the words do not."""
    assert read_diff("\n".join(lines), "").verdict is verdict


def test_a_difference_is_passed_on() -> None:
    """In one line, with the arguments and both values."""
    assert read_diff(DIFFERENT, "").says == (
        "Given: (x=99), kinds.refuted : returns False kinds.raises : returns True"
    )
