"""The page's picture is what the spec does."""

from pathlib import Path

import pytest

from pagespec.compaction.machine import CompactionMachine
from pagespec.compaction.ops import perform, start
from pagespec.compaction.state import Compaction
from pagespec.compaction.verbs import CompactionOp, CompactionVerb, Result
from pagespec.era import ERAS
from pagespec.machine import Machine

PAGE = Path(__file__).parents[2] / "docs" / "compaction.md"
ROWS = [" ".join(line.split()) for line in PAGE.read_text().splitlines()]
HELD = (1, 4, 6, 11, 17, 20, 26, 29)


def drawn(compaction: Compaction) -> str:
    frames = ["m" if pfn in compaction.zone.held else "." for pfn in range(32)]
    return " ".join("".join(frames[first : first + 8]) for first in range(0, 32, 8))


@pytest.mark.parametrize(
    ("words", "eras"),
    [
        ("2.6.37, 2.6.39", ("2.6.37", "2.6.39")),
        ("4.10", ("4.10", "4.11-rc")),
        ("5.8, 6.1", ("5.8", "5.15", "6.1")),
        ("6.12", ("6.12",)),
    ],
)
def test_one_zone_in_six_releases(words: str, eras: tuple[str, ...]) -> None:
    for era in eras:
        compaction = start(CompactionMachine(Machine(32, 3, ERAS[era], pageblock=3)))
        for _ in range(32):
            perform(compaction, CompactionOp(CompactionVerb.ALLOC))
        for pfn in set(range(32)) - {*HELD}:
            perform(compaction, CompactionOp(CompactionVerb.FREE, pfn=pfn))
        before = drawn(compaction), *compaction.zone.nr_free
        asked = CompactionOp(CompactionVerb.COMPACT, order=3)

        assert perform(compaction, asked) == Result.SUCCESS
        assert " ".join(map(str, ("before", *before))) in ROWS
        moves = ", ".join(f"{move.source} -> {move.target}" for move in compaction.moves)
        free = " ".join(map(str, compaction.zone.nr_free))
        assert f"{words} {drawn(compaction)} {moves} {free}" in ROWS
