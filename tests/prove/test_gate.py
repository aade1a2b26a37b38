"""The gate fails where it must: refuted, worse than the row, other counts, no verdict."""

import re
from pathlib import Path

import pytest

from pagefuzz.cli._entry import run as command_line
from pagefuzz.exits import Exit
from pagefuzz.prove import ledger
from pagefuzz.prove.conditions import Condition, all_conditions
from pagefuzz.prove.engines import LEAST_S, TRIED_S, budget_of, joined
from pagefuzz.prove.gate import Judgement, entered, expected_s, judged, run_all
from pagefuzz.prove.ledger import Row
from pagefuzz.prove.verdict import Finding, Verdict

CONDITION = Condition("check", "pagespec.frames.buddy_of", 4)
CONFIRMED = Finding(Verdict.CONFIRMED, 1.0)
NOT_REFUTED = Finding(Verdict.NOT_REFUTED, 10.0)
REFUTED = Finding(Verdict.REFUTED, 1.0, says="false when calling f(1)")
VACUOUS = Finding(Verdict.VACUOUS, 1.0)
UNKNOWN = Finding(Verdict.UNKNOWN, 1.0, says="stopped")
SEVEN = Finding(Verdict.EXHAUSTED, 1.0, (("states", (2, 5)), ("steps", (7,))))
EIGHT = Finding(Verdict.EXHAUSTED, 1.0, (("states", (2, 5)), ("steps", (8,))))


@pytest.mark.parametrize(
    ("finding", "row", "code", "said"),
    [
        (CONFIRMED, CONFIRMED, Exit.HELD, ""),
        (CONFIRMED, NOT_REFUTED, Exit.HELD, "better"),
        (NOT_REFUTED, NOT_REFUTED, Exit.HELD, ""),
        (NOT_REFUTED, CONFIRMED, Exit.BROKEN, "worse than its row"),
        (REFUTED, NOT_REFUTED, Exit.BROKEN, "false when calling f(1)"),
        (REFUTED, None, Exit.BROKEN, "false when calling f(1)"),
        (VACUOUS, CONFIRMED, Exit.INCONCLUSIVE, "precondition never met"),
        (UNKNOWN, CONFIRMED, Exit.INCONCLUSIVE, "stopped"),
        (SEVEN, SEVEN, Exit.HELD, ""),
        (EIGHT, SEVEN, Exit.BROKEN, "steps: expected (7,) as before, got (8,)"),
        (CONFIRMED, None, Exit.HELD, "new"),
    ],
)
def test_a_finding_beside_its_row(
    finding: Finding, row: Finding | None, code: Exit, said: str
) -> None:
    """A finding may be better than its row, never worse."""
    rows = {} if row is None else {CONDITION[:2]: row}
    judgement = judged(CONDITION, finding, rows)

    assert judgement.code is code
    assert judgement.sentence.startswith(said)


PLANTED = '''
def half(pages: int) -> int:
    """Half the pages.

    pre: pages >= 0
    post: __return__ * 2 == pages
    """
    return pages // 2


def twice(pages: int) -> int:
    """Twice the pages.

    pre: pages >= 0
    post: __return__ == pages + pages
    """
    return pages * 2
'''


def test_a_planted_false_contract_is_refuted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real engine finds it, and the gate gives the counterexample and exit 1."""
    (tmp_path / "planted.py").write_text(PLANTED)
    monkeypatch.syspath_prepend(str(tmp_path))
    conditions = [Condition("check", "planted.half"), Condition("check", "planted.twice")]
    rows = {condition[:2]: CONFIRMED for condition in conditions}
    half, twice = run_all(conditions, rows, lambda line: None)

    assert half.code is Exit.BROKEN
    assert half.sentence.startswith("false when calling half(")
    assert twice.code is Exit.HELD
    assert twice.finding.verdict is Verdict.CONFIRMED


def test_budgets() -> None:
    """Five times what the row needed; what is not refuted is tried for what the row says."""
    assert budget_of(CONDITION, Finding(Verdict.CONFIRMED, 7.0)) == 35.0
    assert budget_of(CONDITION, Finding(Verdict.CONFIRMED, 0.5)) == LEAST_S
    assert budget_of(CONDITION, NOT_REFUTED) == 10.0
    assert budget_of(CONDITION, None) == TRIED_S["check"]


def test_zones_are_joined_to_a_domain() -> None:
    """States stand zone by zone, steps in sum, and one zone without a verdict leaves none."""
    assert joined([SEVEN, EIGHT]) == Finding(
        Verdict.EXHAUSTED, 2.0, (("states", (2, 5, 2, 5)), ("steps", (15,)))
    )
    assert joined([SEVEN, UNKNOWN]) == UNKNOWN._replace(seconds=2.0)
    assert joined([UNKNOWN, REFUTED]) == REFUTED._replace(seconds=2.0)


def test_update_enters_verdicts_only() -> None:
    """A refuted condition keeps its row, one that is gone loses it, a new one gets one."""
    other, new = Condition("check", "other"), Condition("check", "new")
    rows = [Row(*CONDITION[:2], CONFIRMED), Row(*other[:2], CONFIRMED), Row("check", "gone", SEVEN)]
    judgements = [
        Judgement(CONDITION, REFUTED, Exit.BROKEN, ""),
        Judgement(new, NOT_REFUTED, Exit.HELD, ""),
    ]

    assert entered([CONDITION, other, new], rows, judgements) == [
        *rows[:2],
        Row(*new[:2], NOT_REFUTED),
    ]


def test_a_pattern_without_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was judged, so nothing held: a usage error."""
    assert command_line(["prove", "no such condition"]) == Exit.USAGE
    assert "no condition matches 'no such condition'" in capsys.readouterr().err


def test_one_condition_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The table names engine, condition and verdict; how long it takes is said before."""
    assert command_line(["prove", "Numbers PAIR_of"]) == Exit.HELD
    out, err = capsys.readouterr()
    assert "exhausted" in out
    assert re.match(r"1 condition: about \d+ s on \d+ idle cores?, by the ledger\n", err)


def test_conditions_are_picked_by_section_and_in_any_case() -> None:
    """What stands under a heading of the guide page is picked by how the heading begins."""
    page = (Path(__file__).parents[2] / "docs" / "proofs.md").read_text()
    conditions = all_conditions()
    for heading in ("Zones with pageblocks", "Zones whose CPUs keep lists", "Counters"):
        section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        rows = {line.split(" | ")[0].removeprefix("| ") for line in section.splitlines()}
        picked = {one.what for one in conditions if one.matches(heading[:-1].lower())}
        assert picked == {one.what for one in conditions if one.what in rows}
        assert picked
    upper = [one for one in conditions if one.matches("BUDDY_OF")]
    assert upper == [one for one in conditions if "buddy_of" in one.what]


def test_how_long_it_takes_is_told_by_the_ledger() -> None:
    """Work over cores, but no less than its longest part."""
    one, two, new = (Condition("check", name) for name in ("one", "two", "new"))
    rows = [Row(*each[:2], CONFIRMED._replace(seconds=6.0)) for each in (one, two)]

    assert expected_s([one, two, new], rows, 1) == 12.0
    assert expected_s([one, two], rows, 4) == 6.0
    assert expected_s([new], rows, 4) == 0.0


def test_only_what_was_quick(capsys: pytest.CaptureFixture[str]) -> None:
    """What took longer when it was entered is left out, and counted; no time at all is no run."""
    took = [row.finding.seconds for row in ledger.read() if row.what.endswith("pair_of")]
    least = min(took)
    longer = sum(seconds > least for seconds in took)
    assert longer > 0
    assert command_line(["prove", "*pair_of", "--within", f"{least}"]) == Exit.HELD
    out = capsys.readouterr().out
    assert f"{longer} of {len(took)} conditions left out: over {least:g} s" in out

    assert command_line(["prove", "pair_of", "--within", "0.01"]) == Exit.USAGE
    assert "no condition took 0.01 s or less" in capsys.readouterr().err
