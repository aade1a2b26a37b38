"""What `diff -o` has on disk: at once, the shortest alone, by the name of the law."""

from pathlib import Path

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.diff.difference import Aspect
from pagefuzz.diff.era_side import EraSide
from pagefuzz.diff.keeping import Keeping
from pagefuzz.diff.parting import Parting
from pagefuzz.diff.search import Found, search
from pagefuzz.diff.seen import Side
from pagefuzz.report.console import Tell
from pagespec.era import ERAS
from pagespec.machine import Machine

MACHINE = "pages=4 top=2 pageblock=1"


def one_parting(pages: int) -> Parting:
    """The first on a machine of so many pages."""
    one, other = (
        EraSide(Machine(pages, top=2, era=ERAS[era], pageblock=1)) for era in ("5.15", "6.1")
    )
    found = Found()
    search((one, other), 1, found)
    return next(iter(found.first.values()))


def test_a_trace_is_on_disk_before_the_next_machine_is_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a kill loses nothing: what the first machine shows is there, and the same later."""
    before: list[set[str]] = []

    def looked(
        sides: tuple[Side, Side], bound: int, found: Found, ignored: frozenset[Aspect], tell: Tell
    ) -> None:
        before.append({path.name for path in tmp_path.iterdir()})
        search(sides, bound, found, ignored, tell)

    monkeypatch.setattr("pagefuzz.diff.comparing.search", looked)
    machines = ("--machine", MACHINE, "--machine", "pages=4 top=1 pageblock=1")
    run(["diff", "5.15", "6.1", *machines, "--bound", "1", "--walks", "0", "-o", str(tmp_path)])

    assert before[0] == set()
    assert len(before[1]) > 1
    assert before[1] <= {path.name for path in tmp_path.iterdir()}


def test_a_trace_is_named_by_the_law_that_its_comment_tells(tmp_path: Path) -> None:
    """Whichever era has the law; only what both are allowed is named by none."""
    machine = ("--machine", "pages=8 top=3 pageblock=2", "--bound", "2")
    run(["diff", "6.1", "6.12", *machine, "--walks", "0", "-o", str(tmp_path)])
    names = set()
    for path in tmp_path.glob("*.trace"):
        kind = path.read_text().split(" part at ")[1].split(": ")[1].split(";")[0]
        law = "no-law" if kind == "both allowed" else kind.split(",")[0].split(" of ")[0]
        names.add(law)
        assert path.name.startswith(f"{law}-")

    assert len(names - {"no-law"}) > 0


def test_a_shorter_trace_takes_the_place_of_a_longer(tmp_path: Path) -> None:
    """But not that of one which an earlier run has left, nor a longer that of a shorter."""
    short = one_parting(4)
    assert short.length == 1
    longer = short._replace(path=short.path and short.path._replace(before=short.path))
    assert longer.length == 2
    first = Keeping(tmp_path)
    first.keep([longer])
    left = set(tmp_path.iterdir())
    again = Keeping(tmp_path)
    again.keep([longer, short])
    both = set(tmp_path.iterdir())
    first.keep([short, longer])

    assert len(left) == 1
    assert left < both == left | {again.path_of(short.group)}
    assert set(tmp_path.iterdir()) == {first.path_of(short.group)}
