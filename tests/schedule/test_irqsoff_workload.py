"""A workload that wants huge pages: what has interrupts off in it, by spec, twin and command."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from pagefuzz.cli._entry import run
from pagefuzz.exits import Exit
from pagefuzz.irqsoff import picture, workload
from pagefuzz.irqsoff.sampled import parse, total
from pagefuzz.irqsoff.scanners import ScanRow, scan_rows
from pagefuzz.irqsoff.sides import Recorder, Side, run_sides
from pagefuzz.irqsoff.stepped import Stepped
from pagefuzz.irqsoff.stretches import PARTS, Part, Recorded, Sample, end_round, in_us, in_visits
from pagefuzz.irqsoff.workload import Shape, Workload, machine_of
from pagespec.compaction.laws import windows
from pagespec.compaction.laws.windows import Scanner
from pagespec.compaction.machine import CompactionMachine

Capture = pytest.CaptureFixture[str]

SHAPE = Shape(4096, 5, 7)
SMALL = ("--pages", "4096", "--pageblock", "5", "--seed", "7")
ERAS = ("2.6.37", "2.6.39", "5.8")


def ran(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """The code, and what was printed."""
    code = run(["irqsoff", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return code, out, err


def on_twin(machine: CompactionMachine) -> Recorder:
    """The twin, whose kernels are loaded by whoever needs them."""
    from pagefuzz.irqsoff.recording import Recording

    return Recording(machine)


@cache
def spec_sides() -> list[Side]:
    """Two rounds by the spec."""
    return run_sides(SHAPE, ERAS, Stepped, 2, None, lambda _: None)


def test_a_round_is_sampled_once() -> None:
    """By its longest stretch in each unit; of equal ones the first part counts, in their order."""
    recorded = Recorded(rate=2.0)
    rounds: list[tuple[dict[Scanner, int], dict[Part, int]]] = [
        ({"migrate": 7, "free": 9}, {"give": 4100, "free": 4000, "migrate": 11}),
        ({"migrate": 9, "free": 9}, {"free": 4100}),
        ({}, {"give": 4100}),
        ({}, {}),
    ]
    for visits, ticks in rounds:
        end_round(recorded, visits, ticks)

    assert recorded.rounds == 4
    assert recorded.by_visits == [Sample("free", 9), Sample("free", 9)]
    assert recorded.most == {"free": 9, "migrate": 9}
    assert [tuple(each) for each in in_visits(recorded)] == [
        ("compaction_alloc", "compaction_alloc", 9, 2)
    ]
    assert sorted(tuple(each) for each in in_us(recorded)) == [
        ("compaction_alloc", "compaction_alloc", 2050, 1),
        ("free_pcppages_bulk", "free_pcppages_bulk", 2050, 2),
    ]


def test_the_twin_records_what_the_steps_of_the_spec_visit() -> None:
    """The same requests, windows and samples, round by round, and how often scanners walked."""
    twins = run_sides(SHAPE, ERAS, on_twin, 2, None, lambda _: None)

    for spec, twin in zip(spec_sides(), twins, strict=True):
        assert (twin.asked, twin.got) == (spec.asked, spec.got)
        assert twin.recorded.most == spec.recorded.most
        assert twin.recorded.by_visits == spec.recorded.by_visits
        for part in ("free", "lists", "migrate", "give"):
            assert twin.recorded.counts[part] == spec.recorded.counts[part]
        for part in PARTS:
            buckets = twin.recorded.buckets
            assert sum(buckets[part, number] for number in range(64)) == twin.recorded.timed[part]
            assert twin.recorded.timed[part] <= twin.recorded.counts[part]
        assert (twin.recorded.left_out > 0) == (twin.recorded.timed != twin.recorded.counts)


def test_windows_shrink_from_one_way_to_the_next() -> None:
    """From nearly all of the zone to a pageblock, and to what is left of it."""
    locked, rechecks, lazy = (side.recorded.most["free"] for side in spec_sides())
    pages, size = SHAPE.pages, 1 << SHAPE.pageblock

    assert locked > pages // 2
    assert size < rechecks <= 2 * size + 5
    assert lazy <= 2 * size


class Following(Stepped):
    """The spec as an engine, which counts the moves that it has told of."""

    moves = 0

    def moved(self) -> Sequence[tuple[int, int]]:
        """As the engine has it."""
        told = [*super().moved()]
        self.moves += len(told)
        return told


@pytest.mark.parametrize("era", ["2.6.37", "6.12"])
def test_the_workload_knows_where_its_blocks_are(era: str) -> None:
    """After moves, frees and pins: it holds what the zone says is held."""
    engine = Following(machine_of(era, SHAPE))
    work = Workload(SHAPE, engine)
    work.fill()
    for _ in range(6):  # Before the fourth hardly anything is moved.
        work.round()

    held = engine.compaction.zone.held
    assert {pfn for pfn in range(SHAPE.pages) if work.number[pfn] >= 0} == set(held)
    assert all(work.number[work.place[number]] == number for number in work.lru)
    assert work.free == SHAPE.pages - sum(1 << block.order for block in held.values())
    assert work.got
    assert engine.moves > 0
    assert {held[work.place[number]].refs for number in work.pinned} == {2}


@cache
def rows() -> list[ScanRow]:
    """The worst cases of the eras that differ."""
    return list(scan_rows(["2.6.37", "2.6.39", "4.10", "5.8", "6.12"]))


def test_scanners_worst_cases_come_near_their_bounds() -> None:
    """But in 6.12, whose bound allows for two pageblocks that become movable in one stretch."""
    assert [row for row in rows() if row.seen > row.bound] == []
    far = {(row.era, row.scanner) for row in rows() if row.seen < 0.9 * row.bound}
    assert far == {("6.12", "free"), ("6.12", "lists")}


@pytest.mark.parametrize(
    ("era", "scanner", "visits"),
    [
        # Pageblocks 2 to 1023 of 512 frames are looked at first, then frame by frame; 31 frames are
        # taken above, and the 256 of the last: a list node and a frame to be listed for each.
        ("2.6.37", "free", 1022 * (1 + 512) + 2 * (31 + 256)),
        # What is left of the first pageblock behind its 32 frames, and all of the next.
        ("2.6.37", "migrate", 512 - 32 + 512),
        # A look at the pageblock and at the block, its list node, two pageblocks that become
        # movable, and 1024 frames that are listed.
        ("2.6.39", "free", 1 + 1 + 1 + 2 + 1024),
        # The first frame again, 31 others, and a list node for every other one.
        ("4.10", "free", 1 + 31 + 16),
        # The pair at the beginning again, and its list node; then 255 odd frames, of which 30 are
        # single frames that are taken.
        ("5.8", "free", 2 + 255 + 30),
        # 256 entries of a list, the node that is taken, and the pageblock that becomes movable.
        ("5.8", "lists", 256 + 1 + 1),
        # In 6.12 also the 512 frames of that pageblock, as it moves to another list.
        ("4.10", "migrate", 1 + 31),
    ],
)
def test_scanners_worst_cases_as_worked_by_hand(era: str, scanner: str, visits: int) -> None:
    assert [row.seen for row in rows() if (row.era, row.scanner) == (era, scanner)] == [visits]


def test_the_command_reports_side_by_side(capsys: Capture, tmp_path: Path) -> None:
    """Seed first and last; a report that adds up in each column; a picture where it is wanted."""
    code, out, _ = ran(capsys, "--workload", *SMALL, "--rounds", "2", "--plot", str(tmp_path))

    assert code == Exit.HELD
    lines = out.splitlines()
    assert lines[0] == lines[-1] == "seed 00000007"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(picture.FILES)
    begin = lines.index(next(line for line in lines if line.startswith("sampled, in us")))
    rows = [line.strip("│").split("│") for line in lines[begin:] if line.startswith("│")][:3]
    assert len(rows[0]) == 2
    for column in range(2):
        report = [row[column].strip() for row in rows if row[column].strip()]
        assert sum(stretch.times for stretch in parse("\n".join(report))) == 2
        assert report[0].endswith(f": {total(parse(chr(10).join(report)))}")
    assert "cannot arise here" in out
    assert "8,409 us" in out


def test_the_same_seed_gives_the_same_visits(capsys: Capture) -> None:
    """By rounds, and where the time was over after the first of many."""
    first = ran(capsys, "--workload", *SMALL, "--json", "--rounds", "1")
    again = ran(capsys, "--workload", *SMALL, "--json", "--rounds", "9", "--seconds", "1e-9")

    (one, other) = (json.loads(out) for _, out, _ in (first, again))
    assert one["rounds"] == other["rounds"] == 1
    assert [era["era"] for era in one["eras"]] == ["2.6.37", "2.6.39"]
    for mine, its in zip(one["eras"], other["eras"], strict=True):
        assert mine["sampled_visits"] == its["sampled_visits"]
        assert mine["huge_got"] == its["huge_got"]
        assert mine["total_us"] == sum(each["time"] * each["times"] for each in mine["sampled_us"])


def test_a_window_beyond_its_bound_is_an_error(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the workload, and of the worst cases."""
    monkeypatch.setattr(windows, "migrate_bound", lambda machine, *, strays: 8)

    code, out, _ = ran(capsys, "--workload", *SMALL, "--rounds", "1", "--era", "5.8")
    assert code == Exit.BROKEN
    assert "error: CMP-window: the migrate scanner visited" in out
    code, out, _ = ran(capsys, "--era", "5.8")
    assert code == Exit.BROKEN
    assert "error: CMP-window: migrate scanner of era 5.8 visited 32 places, at most 8" in out


def test_a_workload_that_never_scans_is_no_verdict(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workload.Workload, "round", lambda work: None)

    code, out, _ = ran(capsys, "--workload", *SMALL, "--json", "--era", "5.8")

    assert code == Exit.INCONCLUSIVE
    assert json.loads(out)["errors"] == ["the free scanner never had interrupts off in era 5.8"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rounds", "3"], "--rounds: expected --workload with it"),
        (["--json"], "--json: expected --workload with it"),
        (["--workload", "--era", "2.6.11"], "--era 2.6.11: it compacts nothing; expected one of"),
        (["--workload", "--pages", "8192"], "--pages 8192: expected 16384 or more, 32 pageblocks"),
        (["--workload", "--pages", "100"], "100 is not in the range 4096<=x<="),
        (["--workload", "--seconds", "nan"], "--seconds nan: expected a number above 0"),
        (["--workload", "--seconds", "0"], "--seconds 0.0: expected a number above 0"),
        (["--workload", "--seed", "x"], "'x' is no seed"),
        (["--workload", "--plot", "/proc/none"], "--plot /proc/none: "),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], sentence: str, capsys: Capture) -> None:
    """On stderr, with the offending value and what was expected; nothing is run."""
    code, out, err = ran(capsys, *arguments)

    assert (code, out) == (Exit.USAGE, "")
    assert sentence in err
