"""`pagefuzz show` on machines with pageblocks: every turn in words, and no line too long."""

import re
from pathlib import Path
from random import Random

import pytest

from pagefuzz.campaign.grouped import grouped_machine
from pagefuzz.campaign.walk import FUZZED_ERAS, walk
from pagefuzz.cli._entry import run
from pagefuzz.drawing import LEGEND
from pagefuzz.exits import Exit
from pagefuzz.lockstep import Lockstep
from pagefuzz.record import trace_of
from pagefuzz.target.builtin import Spec
from pagespec.era import Era
from pagespec.laws.law import LawBroken
from pagespec.trace import text_of

GROUPED_ERAS = tuple(era for era in FUZZED_ERAS if era.numbering is not None)
BORROWS = """\
pagefuzz-trace 1
machine pages=16 top=3 era=6.12 pageblock=2 types=U2M2
a = alloc order=0 mt=E
b = contig pfn=9 pages=2 mt=M
isolate pfn=0 pages=4
unreserve mt=U
"""


def shown(path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> str:
    path.write_text(text)
    assert run(["show", str(path)]) == Exit.HELD
    return capsys.readouterr().out


def test_turns_are_told_in_the_kernel_s_letters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whose block serves whom, what becomes of the pageblocks, and what the frames are then."""
    out = shown(tmp_path / "a.trace", BORROWS, capsys)
    boot, *steps = out.split("\n\n")[1:]

    assert out.startswith(LEGEND)
    assert "        free_area[3] U -> page[0-7]\n                     M -> page[8-15]\n" in boot
    assert "        types   0       U   U   M   M\n" in boot
    assert "    all pageblocks of page[0] order 3 become E\n" in steps[0]
    assert "    fallback: E is served page[0] order 0 of U's order 3\n" in steps[0]
    assert (
        "        types   0       E   E   M   M\n        frames  0       #..............."
        in steps[0]
    )
    assert "return pages -> page[9-10]\n" in steps[1]
    assert "        frames  0       #........##....." in steps[1]
    assert "    pageblock page[0] is isolated\n" in steps[2]
    assert "        types   0       I   E   M   M\n" in steps[2]
    assert steps[3].startswith("4: unreserve    none\n")


KEEPS = """\
pagefuzz-trace 1
machine pages=16 top=3 era=6.1 cpus=1 batch=2 high=2 min_free=64
a = alloc order=0
b = alloc order=0 contended=1 emergency=1
c = alloc order=0 emergency=1
d = alloc order=0 emergency=1
free c
free d
free b contended=1
bulk pages=1
"""


def test_what_happens_to_lists_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Marks that fail a request; then lists that are refilled, drained and passed by."""
    steps = shown(tmp_path / "a.trace", KEEPS, capsys).split("\n\n")[1:]
    told = [
        [line.strip() for line in step.splitlines() if re.match("    [^ ]", line)] for step in steps
    ]

    below = "the zone would fall below its mark"
    assert told[0] == [below, "kswapd is woken", below, below]
    # An emergency tries the marks first.
    assert told[1][:3] == [below, "kswapd is woken", below]
    assert told[1][3] == "the CPU's lists are out of reach: the request goes to the free lists"
    assert "the list of U order 0 is refilled with 2 blocks" in told[2]
    assert told[2][-1] == "page[1] order 0 comes from the CPU's list"
    assert told[3][3:] == ["page[2] order 0 comes from the CPU's list"]
    assert told[4] == ["page[1] order 0 goes to the CPU's list of U"]
    assert told[5][:2] == [
        "page[2] order 0 goes to the CPU's list of U",
        "drain: page[1] order 0 goes back to the free lists of U",
    ]
    assert told[6][0] == "the CPU's lists are out of reach: the request goes to the free lists"


HOST = """\
pagefuzz-trace 1
host era=6.1 top=3 cpus=0,1 min_free=48
zone class=DMA32 node=0 pages=16
zone class=NORMAL node=0 pages=16 start=16
zone class=NORMAL node=1 pages=16 start=32
"""
FIRST, SECOND, THIRD = "zone 0 (DMA32 of", "zone 1 (NORMAL of", "zone 2 (NORMAL of"


@pytest.mark.parametrize(
    ("request_line", "zones"),
    [
        ("disable pfn=16", [SECOND]),
        ("enable pfn=47", [THIRD]),
        ("alloc order=0 node=1", [THIRD]),
        ("alloc order=0 node=2", []),
        ("alloc order=0 cpu=2", []),
        ("bulk pages=0", []),
        ("drain cpu=7", []),
        ("plug cpu=1", []),
        ("unreserve", []),
        ("get pfn=99", []),
        ("get pfn=40", [THIRD]),
        ("free pfn=0 order=0", [FIRST]),
        ("rest", [FIRST, SECOND, THIRD]),
    ],
)
def test_the_zones_of_a_host_are_drawn_that_a_request_concerns(
    request_line: str, zones: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that it came to, or that its frame is of; not the first one for every refusal."""
    step = shown(tmp_path / "a.trace", HOST + request_line, capsys).split("\n\n")[1]

    assert step.startswith(f"1: {request_line}")
    assert re.findall(r"^    (zone \d \(\w+ of)", step, re.MULTILINE) == zones


@pytest.mark.parametrize("era", GROUPED_ERAS, ids=lambda era: era.name)
def test_a_hundred_columns_are_enough(
    era: Era, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever a walk did is drawn, within the width of a terminal."""
    told: set[str] = set()
    for seed in range(6):
        rng = Random(seed)
        lockstep = Lockstep(grouped_machine(rng, era), Spec, "outside")
        walk(lockstep, rng, 60)
        trace = trace_of(lockstep.machine, lockstep.done, LawBroken("BUD-maximal", "made up"))
        out = shown(tmp_path / f"{seed}.trace", text_of(trace), capsys)

        assert [line for line in out.splitlines() if len(line) > 100] == []
        told |= {line.split()[0] for line in out.splitlines() if line.startswith("    ")}
    assert {"expand:", "merge:", "fallback:", "pageblock"} <= told
