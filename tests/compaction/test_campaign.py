"""Compaction in campaigns and commands: a finding is one file, and one command shows it again."""

from pathlib import Path

import pytest
from tests.fuzz.material import plan_of

from pagefuzz.campaign.canary import missed_by
from pagefuzz.campaign.unit import run_unit
from pagefuzz.cli._entry import run
from pagefuzz.compaction.floor import compaction_floor
from pagefuzz.compaction.under import compaction_factory_of
from pagefuzz.errors import UsageError
from pagefuzz.exits import Exit
from pagefuzz.target.builtin import Spec, Twin
from pagespec.era import ERAS

TEXT = """pagefuzz-trace 1
compaction pages=16 top=2 era=4.10 pageblock=2
a = alloc order=1 -> pfn 12
b = alloc order=1 -> pfn 14
c = alloc order=2 -> pfn 8
d = alloc order=2 -> pfn 4
e = alloc order=0 -> pfn 0
free b -> done
compact whole=1 -> complete
free e -> done
"""


def test_some_units_hold_and_reach_the_floor(tmp_path: Path) -> None:
    """Nearly: what one unit misses another meets, and each request is judged."""
    plan = plan_of(tmp_path, eras=("6.12",), gears=("compaction",), rounds=4)
    results = [run_unit(plan, number, Spec) for number in range(2)]
    reached = results[0].reached + results[1].reached

    assert [(result.law, result.complaint) for result in results] == [(None, "")] * 2
    assert sum(result.judged for result in results) > 1500
    assert compaction_floor(ERAS["6.12"]) - reached.keys() == set()


def test_eras_that_compact_nothing_have_nothing_to_do(tmp_path: Path) -> None:
    """And no event to reach."""
    result = run_unit(plan_of(tmp_path, eras=("2.6.11",), gears=("compaction",)), 0, Spec)

    assert (result.operations, result.law) == (0, None)
    assert compaction_floor(ERAS["2.6.11"]) == set()


def test_the_gear_catches_the_canary(tmp_path: Path) -> None:
    """It is asked like any other before its silence counts."""
    assert missed_by(plan_of(tmp_path, gears=("compaction",)), "exact") == []


def test_who_compacts_nothing_is_told(tmp_path: Path) -> None:
    """In one sentence."""
    with pytest.raises(UsageError, match="expected the target numba or spec"):
        compaction_factory_of(Twin)


def test_commands_take_such_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Replayed all laws hold; drawn a run shows what it moved."""
    file = tmp_path / "a.trace"
    file.write_text(TEXT)

    assert run(["replay", "--target", "spec", str(file)]) == Exit.HELD
    assert "every law held in 8 requests" in capsys.readouterr().out
    assert run(["show", str(file), "--step", "7"]) == Exit.HELD
    drawn = capsys.readouterr().out
    assert "page[0] -> page[15]" in drawn
    assert "held            page[4-7] M compound, page[8-11] M compound, page[12-13] M" in drawn
    assert run(["shrink", "--target", "spec", str(file), "--out", str(tmp_path)]) == Exit.USAGE
