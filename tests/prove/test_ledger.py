"""The ledger is read as it was written, and every condition has its row."""

from pathlib import Path

import pytest

from pagefuzz.errors import UsageError
from pagefuzz.prove.conditions import Condition, all_conditions
from pagefuzz.prove.gate import check_complete
from pagefuzz.prove.ledger import Row, read, write
from pagefuzz.prove.verdict import Finding, Verdict

ROWS = [
    Row("check", "pagespec.frames.buddy_of", Finding(Verdict.CONFIRMED, 1.2)),
    Row("diffbehavior", "buddy_of", Finding(Verdict.NOT_REFUTED, 10.0)),
    Row(
        "exhaust",
        "era 6.1 top 1 start 0 pages 1..3",
        Finding(Verdict.EXHAUSTED, 0.1, (("states", (2, 4, 12)), ("steps", (41,)))),
    ),
]


def test_round_trip(tmp_path: Path) -> None:
    """Written and read again, a ledger is the same."""
    path = tmp_path / "ledger.txt"
    write(ROWS, path)

    assert read(path) == ROWS


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("check | f | confirmed over all paths", "3 cells between bars, expected 5"),
        ("check | f | proved | 1.0 |", "'proved' is not a valid Verdict"),
        ("check | f | exhausted | soon |", "could not convert string to float: 'soon'"),
        ("check | f | exhausted | 1.0 | states=many", "invalid literal for int()"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, said: str) -> None:
    """By file, line and fault; nothing is guessed."""
    path = tmp_path / "ledger.txt"
    path.write_text(f"# a ledger\n{line}\n")

    with pytest.raises(UsageError) as raised:
        read(path)
    assert str(raised.value).startswith(f"{path}:2: {said}")


def test_a_row_stands_once(tmp_path: Path) -> None:
    """Of two rows for one condition nobody could say which holds."""
    path = tmp_path / "ledger.txt"
    write([ROWS[0], ROWS[0]], path)

    with pytest.raises(UsageError, match="stands here twice"):
        read(path)


def test_the_committed_ledger_is_complete() -> None:
    """Every condition of the code has its row, and every row its condition."""
    check_complete(all_conditions(), read())


def test_a_condition_without_a_row_is_an_error() -> None:
    """It says which, and what to do."""
    new = Condition("check", "pagespec.frames.new")

    with pytest.raises(UsageError, match=r"`pagefuzz prove 'pagespec\.frames\.new' --update`"):
        check_complete([new], [])


def test_a_row_without_a_condition_is_an_error() -> None:
    """A contract that was deleted must not go unseen."""
    with pytest.raises(UsageError, match=r"check pagespec\.frames\.buddy_of is a row without"):
        check_complete([], ROWS[:1])


def test_no_row_is_weaker_than_not_refuted() -> None:
    """The committed ledger holds verdicts, not failures."""
    weak = {Verdict.REFUTED, Verdict.UNKNOWN, Verdict.VACUOUS}

    assert [row for row in read() if row.finding.verdict in weak] == []
