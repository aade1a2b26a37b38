"""`pagefuzz drift`: figures by hand and by counting, and answers that carry them."""

import doctest
from itertools import pairwise
from random import Random
from types import ModuleType

import pytest

from pagefuzz.drift import words
from pagefuzz.drift.answers import does_it_scale, why_not_alike
from pagefuzz.drift.designs import design_row
from pagefuzz.drift.figures import (
    CPU_COUNTS,
    STEPS,
    cpu_rows,
    folds,
    passed_from,
    saturated_from,
    threshold_rows,
    zone_row,
)
from pagefuzz.drift.machine import REVIEWED, Asked, asked
from pagefuzz.report import words as report_words
from pagespec.era import ERAS
from pagespec.vmstat.counters import boot_counters
from pagespec.vmstat.machine import CountedZone, CounterMachine
from pagespec.vmstat.numa import NUMA_DESIGNS, RELEASES, NumaName
from pagespec.vmstat.ops import perform
from pagespec.vmstat.reads import in_truth
from pagespec.vmstat.verbs import CounterOp, CounterVerb

GIB = 2**18


def one_zone(pages: int, cpus: int, era: str = "5.15", min_free: int | None = None) -> Asked:
    return asked(era, cpus, (CountedZone(0, pages),), min_free)


# --- figures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pages", "cpus", "expected"),
    [
        # normal, drift mark, pressure, the marks' gap: worked out on paper from the formulas
        (65536, 4, (18, 4 * 18, 32, 128)),
        (65536, 8, (24, 768 + 192, 16, 128)),
        (262144, 64, (70, 1548 + 4480, 4, 262)),
    ],
)
def test_a_zone_has_the_worked_out_thresholds(
    pages: int, cpus: int, expected: tuple[int, int, int | None, int]
) -> None:
    """Thresholds and drift mark of zones that were calculated by hand."""
    row = zone_row(one_zone(pages, cpus), CountedZone(0, pages))

    assert (row.normal, row.mark, row.pressure, row.gap) == expected
    assert row.at_normal == cpus * expected[0]


def test_a_mark_left_from_boot_raises_the_threshold_and_the_drift() -> None:
    """4 CPUs in 2 GiB: a gap of 524 for 4 * 36 frames, so none is due; awake it is 524 // 4."""
    zone = CountedZone(0, 2 * GIB)
    left, none, one_cpu = (
        zone_row(one_zone(zone.pages, cpus, era), zone)
        for cpus, era in ((4, "6.12"), (4, "4.10"), (1, "6.12"))
    )

    assert (left.normal, left.gap, left.is_due) == (36, 524, False)
    assert (left.mark, left.pressure, left.at_normal, left.at_rest) == (4 * 36, 125, 144, 500)
    assert left.one_each == 4 * (125 + 188)
    assert (none.mark, none.pressure, none.at_rest) == (0, None, 144)
    assert (one_cpu.mark, one_cpu.pressure) == (0, None)


@pytest.mark.parametrize("era", [name for name, era in ERAS.items() if era.cells != "none"])
@pytest.mark.parametrize(("cpus", "pages"), [(1, GIB), (2, 4096), (4, 2 * GIB), (64, GIB)])
def test_a_zone_counts_as_the_specs_counters_do(era: str, cpus: int, pages: int) -> None:
    """At boot and with kswapd awake, with every CPU as full as its threshold allows then."""
    machine = one_zone(pages, cpus, era)
    counters = boot_counters(
        CounterMachine(machine.era, (0,) * cpus, machine.zones, machine.min_free)
    )
    row = zone_row(machine, machine.largest)
    assert (row.marks, row.normal) == (counters.marks[0], counters.thresholds[0])
    assert row.mark == counters.drift_marks[0]

    kept = []
    for verb in (CounterVerb.REST, CounterVerb.WAKE):
        perform(counters, CounterOp(verb))
        full = counters.thresholds[0]
        for cpu in range(cpus):
            perform(counters, CounterOp(CounterVerb.REFRESH, cpu))
            perform(counters, CounterOp(CounterVerb.MOD, cpu, by=-full))
        kept.append(counters.told[0] - in_truth(counters, 0))
    assert (kept[0], max(kept)) == (row.at_normal, row.at_rest)
    assert counters.thresholds[0] == (row.normal if row.pressure is None else row.pressure)


def test_the_reviews_machine_by_hand() -> None:
    """112 CPUs that keep 125 each, and an increment under way on each that took 188 along."""
    machine = asked(*REVIEWED)
    rows = [zone_row(machine, zone) for zone in machine.zones]

    assert [row.normal for row in rows] == [125, 125]
    assert [row.at_rest for row in rows] == [14000, 14000]
    assert [row.one_each for row in rows] == [112 * (125 + 125 + 1 + 62)] * 2
    assert [row.mark for row in rows] == [row.marks.high + 14000 for row in rows]


@pytest.mark.parametrize("threshold", [1, 2, 7, 20, 125])
def test_folds_one_way_are_those_of_a_cell_that_is_counted(threshold: int) -> None:
    """A cell that is incremented often folds as often as the rate says."""
    cell = told = 0
    for _ in range(200_000):
        cell += 1
        if cell > threshold:
            cell, told = -(threshold // 2), told + 1

    assert folds(threshold).up == pytest.approx(told / 200, rel=0.005)


@pytest.mark.parametrize(("threshold", "step"), [(1, 1), (8, 1), (125, 31), (125, 63), (20, 31)])
def test_folds_both_ways_are_about_those_of_a_walk(threshold: int, step: int) -> None:
    """Ups and downs by the toss of a coin fold as often as the rate says, give or take chance."""
    coin, cell, told, updates = Random(5), 0, 0, 200_000
    half = threshold // 2 if step == 1 else 0
    for _ in range(updates):
        cell += step if coin.random() < 0.5 else -step
        if abs(cell) > threshold:
            cell, told = (-half if cell > 0 else half), told + 1

    both = folds(threshold, step, overstep=step == 1).both
    assert both == pytest.approx(1000 * told / updates, rel=0.05)


def test_a_cell_without_a_sign_folds_at_every_65_534th() -> None:
    """No overstep, and no way down."""
    assert folds(65533, overstep=False, sign=False) == (1000 / 65534, None)


def test_thresholds_are_named_and_ascend() -> None:
    """Those to compare, the normal one, kswapd's and the designs' own, each once."""
    rows = threshold_rows(asked(*REVIEWED), tuple(NUMA_DESIGNS))

    assert [row.threshold for row in rows] == [*STEPS[:-1], 72, 125, 32765, 65533]
    assert {row.threshold: row.whose for row in rows if row.whose} == {
        72: "pressure",
        125: "normal",
        32765: "s16-draft",
        65533: "u16",
    }
    assert [row.at_rest for row in rows] == [112 * row.threshold for row in rows]
    for less, more in pairwise(rows):
        assert less.ones.up > more.ones.up
        assert more.refills is None or less.refills is None or less.refills >= more.refills


@pytest.mark.parametrize(("era", "batch"), [("4.10", 31), ("6.1", 63)])
def test_refills_smaller_than_a_threshold_are_spared_folds(era: str, batch: int) -> None:
    """One above the threshold always folds, of smaller ones as many as fit do not."""
    rows = {row.threshold: row for row in threshold_rows(one_zone(16 * GIB, 112, era), ())}

    assert rows[16].refills == 1000
    assert rows[125].refills == 1000 / (125 // batch + 1)


def test_refills_of_6_12_count_frame_by_frame() -> None:
    """They leave nothing behind: 126 frames a fold, where increments take 188."""
    rows = {row.threshold: row for row in threshold_rows(one_zone(16 * GIB, 112, "6.12"), ())}

    assert (rows[125].ones.up, rows[125].refills) == (1000 / 188, 1000 / 126)


def test_a_batch_of_one_is_no_increment() -> None:
    """A tiny zone's batch is one frame, which leaves nothing behind when it folds."""
    rows = {row.threshold: row for row in threshold_rows(one_zone(100, 2), ())}

    assert (rows[8].ones.up, rows[8].refills) == (1000 / 13, 1000 / 9)


@pytest.mark.parametrize(
    ("gib", "full", "marked"), [(1, None, 8), (8, 128, 27), (31, 64, 66), (512, 16, None)]
)
def test_where_thresholds_are_full_and_zones_marked(
    gib: int, full: int | None, marked: int | None
) -> None:
    """The smallest counts of CPUs, against plain arithmetic: a thousandth of the zone is the gap.

    From 8 GiB on that is more than a quarter of min.
    """
    pages = gib * GIB
    by_hand = [(n, min(125, 2 * n.bit_length() * (1 + (8 * gib).bit_length()))) for n in CPUS]
    gap = pages // 10000 * 10 + pages % 10000 * 10 // 10000

    assert saturated_from(pages) == full == next((n for n, t in by_hand if t == 125), None)
    assert passed_from(one_zone(pages, 1)) == marked
    assert marked == next((n for n, t in by_hand if n * t > gap), None)


CPUS = range(1, 1025)


def test_by_cpus_only_drift_grows_once_the_threshold_is_full() -> None:
    """From 64 CPUs on in 31 GiB twice the CPUs keep back twice as much, and fold no less often."""
    rows = cpu_rows(asked(*REVIEWED), CPU_COUNTS)
    full = rows[CPU_COUNTS.index(64) :]

    assert [row.at_rest for row in full] == [125 * 64 * 2**more for more in range(5)]
    assert {row.normal for row in full} == {125}
    assert {row.gap for row in rows} == {8126}


# --- NUMA designs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("longs", (None, 0, 0, 0)),
        ("items", (90, 16 * 90, 16 * (90 + 90 + 40), 1000 / 136)),
        ("u16", (65533, 0, 3 * 16 * 65533, 1000 / 65534)),
        ("s16-draft", (32765, 0, 2 * 16 * 32765, 1000 / 49148)),
        ("events", (None, 0, 0, 0)),
    ],
)
def test_designs_by_hand(name: NumaName, expected: tuple[int | None, int, int, float]) -> None:
    """What readers miss of one zone and of all three, and how often an increment folds."""
    zones = (CountedZone(0, 16 * GIB), CountedZone(1, 16 * GIB), CountedZone(1, GIB // 2))
    row = design_row(asked("4.10", 16, zones), name)

    assert (row.threshold, row.lag, row.lag_in_all) == expected[:3]
    assert row.told == pytest.approx(expected[3])


def test_every_design_has_its_releases() -> None:
    """The table of words has a line for each."""
    assert list(RELEASES) == list(NUMA_DESIGNS)


# --- answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("machine", "said", "unsaid"),
    [
        (
            asked(*REVIEWED),
            ["8,126 pages (31.7 MiB)", "14,000 pages (54.7 MiB), 1.72 times", "34,283", "is 72."],
            ["no drift mark", "boot"],
        ),
        (
            one_zone(GIB, 4),
            [
                *("1 GiB", "4 CPUs can keep back 120 pages", "no drift mark is due"),
                *("left from boot", "below 120 pages", "the threshold is 65", "260 pages"),
            ],
            ["needs no"],
        ),
        (one_zone(GIB, 4, "4.10"), ["needs no drift mark"], ["kswapd", "boot"]),
        (one_zone(GIB, 64, "2.6.37"), ["whoever asks while kswapd works"], ["kswapd is awake"]),
        (one_zone(100, 1), ["added up always"], ["fewer than"]),
        (one_zone(2**32, 1), ["still no more than the gap"], ["added up"]),
    ],
)
def test_why_counters_differ(machine: Asked, said: list[str], unsaid: list[str]) -> None:
    """The first answer has this machine's figures, and only what is true of it."""
    answer = why_not_alike(machine, tuple(NUMA_DESIGNS))

    assert [one for one in said if one not in answer] == []
    assert [one for one in unsaid if one in answer] == []


@pytest.mark.parametrize(
    ("machine", "said", "unsaid"),
    [
        (
            asked(*REVIEWED),
            ["Up to 64 CPUs", "there or beyond", "35.7 to 5.32", "16-fold, to 500 MiB", "From 66"],
            ["short of"],
        ),
        (one_zone(8 * GIB, 4), ["Up to 128 CPUs", "short of that", "8-fold"], ["beyond"]),
        (one_zone(2 * GIB, 4), ["Up to 1,024 CPUs"], ["From there"]),
        (one_zone(GIB, 4), ["does not reach 125", "rises from 10 to 110"], ["Up to"]),
        (one_zone(512 * GIB, 4), ["Even 1,024 CPUs keep back no more"], ["kswapd"]),
        (one_zone(GIB, 4, "2.6.37"), ["From 8 CPUs on"], ["kswapd"]),
    ],
)
def test_whether_it_scales(machine: Asked, said: list[str], unsaid: list[str]) -> None:
    """The second answer says where the threshold is full and what follows, for this zone."""
    answer = does_it_scale(machine)

    assert [one for one in said if one not in answer] == []
    assert [one for one in unsaid if one in answer] == []


@pytest.mark.parametrize(
    ("era", "designs", "said", "unsaid"),
    [
        ("6.12", ("u16",), ["as events: no cell is told", "With 65,533", "With u16"], ["draft"]),
        (
            "4.10",
            ("events",),
            ["as items: a CPU folds 12.2", "With events no cell"],
            ["u16", "s16"],
        ),
        ("4.10", ("items",), ["as items", "up to 216 may be"], ["With items", "u16"]),
        ("5.15", ("s16-draft",), ["With 32,765", "131,060 may be", "0 from a node's"], ["u16"]),
    ],
)
def test_the_answer_is_about_the_eras_own_design_and_those_asked_for(
    era: str, designs: tuple[NumaName, ...], said: list[str], unsaid: list[str]
) -> None:
    """4 CPUs and 16 GiB, with a normal threshold of 54: told at each 82nd increment."""
    answer = why_not_alike(one_zone(16 * GIB, 4, era), designs)

    assert [one for one in said if one not in answer] == []
    assert [one for one in unsaid if one in answer] == []


@pytest.mark.parametrize("module", [words, report_words])
def test_the_examples_of_words_are_true(module: ModuleType) -> None:
    """Numbers in sentences and in cells look as their docstrings say."""
    failed, tried = doctest.testmod(module)

    assert (failed, tried > 2) == (0, True)
