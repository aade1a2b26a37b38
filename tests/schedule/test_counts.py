"""The committed counts: read and written, compared, and the same wherever they are counted."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from pagefuzz.errors import UsageError
from pagefuzz.explore import counts
from pagefuzz.explore.tasks import Counts, Reach, Task, run
from pagefuzz.schedule.every import EVERY_SCENARIO

COMMITTED: Final = counts.read()
SMALL: Final = [name for name, each in COMMITTED.items() if each.states <= 400]
"""The scenarios that are explored here; `pagefuzz explore` compares them all."""
SMALLEST: Final = [name for name, each in COMMITTED.items() if each.states <= 60]


def test_every_scenario_has_its_counts_in_order() -> None:
    counts.check_complete(EVERY_SCENARIO, COMMITTED)
    assert list(COMMITTED) == list(EVERY_SCENARIO)


def test_enough_are_small() -> None:
    """Of each topic one at least, so that most changes of a step are seen here."""
    assert len(SMALL) >= 60
    assert len(SMALLEST) >= 10


@pytest.mark.parametrize("name", SMALL)
def test_small_scenarios_come_to_what_is_committed(name: str) -> None:
    result = run(Task(name, EVERY_SCENARIO[name]))
    assert result.law is None, result.complaint
    assert result.counts == COMMITTED[name]


@pytest.mark.parametrize("name", SMALLEST)
def test_hashing_changes_no_verdict_and_no_end(name: str) -> None:
    """Every way to a state gone by itself: as deep, with the same laws asked, and none broken."""
    hashed, every_way = (
        run(Task(name, EVERY_SCENARIO[name], Reach(hashed=on))) for on in (True, False)
    )
    assert every_way.law is hashed.law is None
    assert every_way.exhausted
    assert hashed.exhausted
    assert every_way.asked == hashed.asked
    assert every_way.counts.states >= hashed.counts.states


@pytest.mark.parametrize("hash_seed", ["0", "1", "4711"])
def test_counts_do_not_depend_on_hashes(hash_seed: str) -> None:
    """In a process of its own, since the seed is read when Python starts."""
    names = SMALL[:: len(SMALL) // 8]
    text = (
        "from pagefuzz.schedule.every import EVERY_SCENARIO\n"
        "from pagefuzz.explore.tasks import Task, run\n"
        f"for name in {names!r}: print(*run(Task(name, EVERY_SCENARIO[name])).counts)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    told = [Counts(*map(int, line.split())) for line in done.stdout.splitlines()]
    assert told == [COMMITTED[name] for name in names]


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "counts.txt"
    counts.write(COMMITTED, path)
    assert counts.read(path) == COMMITTED
    assert path.read_text() == counts.COUNTS.read_text()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("one | 1 | 2 | 3", "expected `scenario | states | steps | ends | depth`, got 'one"),
        ("one | 1 | 2 | 3 | four", "got 'one | 1 | 2 | 3 | four'; write it anew by --update"),
        ("two | 1 | 2 | 3 | 4", "two stands here twice"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, sentence: str) -> None:
    path = tmp_path / "counts.txt"
    path.write_text(f"# counts\ntwo | 1 | 2 | 3 | 4\n{line}\n")
    with pytest.raises(UsageError) as caught:
        counts.read(path)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert sentence in str(caught.value)


def test_scenarios_and_counts_belong_together() -> None:
    with pytest.raises(UsageError, match="scenario new has no committed counts: enter them by"):
        counts.check_complete(["new"], {})
    with pytest.raises(UsageError, match="there are counts of gone and no such scenario"):
        counts.check_complete([], {"gone": Counts(1, 1, 1, 1)})


def test_changes_are_named_with_both_numbers() -> None:
    was = {"one": Counts(10, 20, 1, 5)}
    assert counts.changes("one", Counts(10, 20, 1, 5), was) is None
    assert counts.changes("one", Counts(11, 20, 1, 6), was) == (
        "states 11, expected 10; depth 6, expected 5"
    )
    assert counts.changes("another", Counts(1, 1, 1, 1), was) is None


def test_new_counts_stand_in_the_order_of_the_scenarios() -> None:
    one, two = Counts(1, 1, 1, 1), Counts(2, 2, 2, 2)
    entered = counts.entered(["a", "b", "c"], {"c": one, "gone": one}, {"b": two})
    assert list(entered.items()) == [("b", two), ("c", one)]
