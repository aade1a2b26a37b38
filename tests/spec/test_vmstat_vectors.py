"""Thresholds, drift marks and tellings against values computed apart, from mm/vmstat.c."""

import pytest
from tests.spec.counters import ISOLATED, ask, cell, counters_of, told

from pagespec.vmstat.cell import Told, dec, exchange, inc, inc_without_overstep, mod
from pagespec.vmstat.drift import kept_by_cell
from pagespec.vmstat.laws.limits import due_normal, due_pressure
from pagespec.vmstat.threshold import (
    drift_mark,
    node_threshold,
    normal_threshold,
    pressure_threshold,
)
from pagespec.vmstat.verbs import CounterVerb
from pagespec.watermark.marks import Marks

INC, DEC = CounterVerb.INC, CounterVerb.DEC
MARKS = {65536: Marks(512, 640, 768), 262144: Marks(1024, 1286, 1548)}
"""By managed frames, the marks of a zone that is alone, as the kernel sets them since 4.6."""


def pages(gib: float) -> int:
    return int(gib * 2**18)


@pytest.mark.parametrize(
    ("cpus", "gib", "threshold"),
    [
        (1, 0.95, 8),
        (2, 1.0, 20),
        (2, 1.5, 20),
        (2, 3, 24),
        (2, 4, 28),
        (2, 12, 32),
        (4, 3, 36),
        (4, 12, 48),
        (4, 16, 54),
        (8, 1.5, 40),
        (8, 16, 72),
        (16, 0.1, 10),
        (64, 6, 98),
        (112, 62, 125),
    ],
)
def test_the_threshold_of_a_zone(cpus: int, gib: float, threshold: int) -> None:
    """As the formula has it; the laws' own way to it gets there, too, and so does boot."""
    counters = counters_of((0, pages(gib)), cpus=(0,) * cpus)

    assert normal_threshold(cpus, pages(gib)) == threshold
    assert due_normal(cpus, pages(gib)) == threshold
    assert counters.thresholds == [threshold]


@pytest.mark.parametrize(
    ("cpus", "gib", "comment", "threshold"),
    [
        (4, (2, 4), 30, 36),
        (8, (1, 2), 32, 40),
        (64, (2, 4), 70, 84),
        (64, (4, 8), 84, 98),
        (512, (4, 8), 108, 125),
    ],
)
def test_the_table_in_the_kernels_comment_is_not_the_formula(
    cpus: int, gib: tuple[int, int], comment: int, threshold: int
) -> None:
    """Rows of the comment above calculate_normal_threshold that no size in their range gives."""
    least, beyond = (pages(size) for size in gib)
    got = {normal_threshold(cpus, size) for size in range(least, beyond, 2**15)}

    assert got == {threshold}
    assert comment not in got


@pytest.mark.parametrize("pages_of_unit", [0, 1, 2**15 - 1])
def test_memory_counts_in_whole_units(pages_of_unit: int) -> None:
    """128 MiB less one frame count as nothing; the doublings of CPUs go by their highest bit."""
    assert normal_threshold(3, pages_of_unit) == 2 * 2 * 1
    assert normal_threshold(3, 2**15 + pages_of_unit) == 2 * 2 * 2
    assert normal_threshold(4, 2**15 + pages_of_unit) == 2 * 3 * 2


@pytest.mark.parametrize(
    ("managed", "cpus", "normal", "mark", "pressure"),
    [(65536, 4, 18, 0, 32), (65536, 8, 24, 960, 16), (262144, 64, 70, 6028, 4)],
)
def test_the_drift_mark_of_a_zone(
    managed: int, cpus: int, normal: int, mark: int, pressure: int
) -> None:
    """Where all CPUs could keep more than low less min; there kswapd lowers thresholds."""
    kbytes = 4 * MARKS[managed].min
    counters = counters_of((0, managed), cpus=(0,) * cpus, min_free=kbytes, era="4.10")
    ask(counters, CounterVerb.WAKE, where=0)

    assert normal_threshold(cpus, managed) == normal
    assert drift_mark(cpus, normal, MARKS[managed]) == mark
    assert pressure_threshold(cpus, MARKS[managed]) == pressure
    assert due_pressure(cpus, MARKS[managed]) == pressure
    assert (counters.marks, counters.drift_marks) == ([MARKS[managed]], [mark])
    assert counters.thresholds == [pressure if mark else normal]


@pytest.mark.parametrize(
    ("cpus", "room", "pressure"),
    [(1, 0, 1), (8, 7, 1), (8, 8, 1), (8, 16, 2), (2, 250, 125), (2, 252, 125), (2, 9999, 125)],
)
def test_the_threshold_under_pressure(cpus: int, room: int, pressure: int) -> None:
    """The room between the marks is shared out: at least 1 for each CPU, at most 125."""
    assert pressure_threshold(cpus, Marks(512, 512 + room, 9999)) == pressure


@pytest.mark.parametrize(("threshold", "mark"), [(32, 0), (33, 768 + 132)])
def test_a_drift_mark_is_due_strictly_above(threshold: int, mark: int) -> None:
    """Four CPUs, and 128 frames between min and low."""
    assert drift_mark(4, threshold, MARKS[65536]) == mark


def test_the_threshold_of_a_node() -> None:
    """The largest one of its zones."""
    counters = counters_of((0, 500), (0, pages(4)), (1, pages(1)), cpus=(0, 1))

    assert node_threshold([4, 28]) == 28
    assert counters.node_thresholds == {0: 28, 1: 20}


def test_kswapd_lowers_no_threshold_of_a_node() -> None:
    """Those of its zones alone, and those of no other node."""
    counters = counters_of((0, 64), (1, 64), (1, 70), normal=20, pressure=5)
    ask(counters, CounterVerb.WAKE, where=1)

    assert counters.thresholds == [20, 5, 5]
    assert counters.node_thresholds == {0: 20, 1: 20}


@pytest.mark.parametrize(("threshold", "fold"), [(1, 2), (2, 4), (20, 31), (125, 188)])
def test_how_much_an_increment_tells(threshold: int, fold: int) -> None:
    """The first one tells after t + 1 of them, any later one after so many as it tells."""
    counters = counters_of(normal=threshold)
    ask(counters, INC, item=ISOLATED, times=threshold)
    assert (told(counters), cell(counters)) == (0, threshold)

    ask(counters, INC, item=ISOLATED)
    assert (told(counters), cell(counters)) == (fold, threshold + 1 - fold)

    ask(counters, INC, item=ISOLATED, times=fold - 1)
    assert told(counters) == fold
    ask(counters, INC, item=ISOLATED)
    assert told(counters) == 2 * fold

    assert inc(threshold, threshold) == Told(fold, threshold + 1 - fold)
    assert dec(-threshold, threshold) == Told(-fold, fold - threshold - 1)
    assert exchange(threshold, 1, threshold, 1) == inc(threshold, threshold)


def test_a_plain_change_tells_all_of_it() -> None:
    """Strictly beyond the threshold, at either end; 512 frames always are."""
    assert [mod(120, delta, 125) for delta in (5, 6)] == [Told(0, 125), Told(126, 0)]
    assert [mod(-120, delta, 125) for delta in (-5, -6)] == [Told(0, -125), Told(-126, 0)]
    assert {mod(diff, 512, 125).left for diff in range(-125, 126)} == {0}
    assert [mod(0, delta, 0) for delta in (0, 1, -1)] == [Told(0, 0), Told(1, 0), Told(-1, 0)]


@pytest.mark.parametrize(
    ("fill", "then", "plain", "by_exchange"),
    [(DEC, INC, (0, -19), (-17, -2)), (INC, DEC, (0, 19), (17, 2))],
)
def test_only_an_exchange_looks_at_both_ends(
    fill: CounterVerb, then: CounterVerb, plain: tuple[int, int], by_exchange: tuple[int, int]
) -> None:
    """A cell with 20 whose threshold is lowered to 5, and a change towards 0."""
    for irqs_on, (pages, left) in ((False, plain), (True, by_exchange)):
        counters = counters_of(normal=20, pressure=5)
        ask(counters, fill, times=20)
        ask(counters, CounterVerb.WAKE)
        ask(counters, then, irqs_on=irqs_on)

        assert (counters.thresholds, counters.told[0] - 64) == ([5], pages)
        assert counters.cells[0][0] == left


def test_before_2_6_39_no_cell_is_exchanged() -> None:
    """With interrupts on they are turned off, and one end alone is looked at."""
    counters = counters_of(normal=20, era="2.6.37", cpus=(0, 0))
    ask(counters, DEC, times=20, irqs_on=True)
    ask(counters, INC, open=True, irqs_on=True)
    counters.thresholds[0] = 5
    ask(counters, INC, irqs_on=True)

    assert (counters.told[0], counters.cells[0][0], counters.updates) == (64, -18, [])


def test_the_ways_agree_within_the_threshold() -> None:
    """An exchange differs from the plain ways only where a threshold was lowered."""
    for threshold in range(13):
        for diff in range(-threshold, threshold + 1):
            assert exchange(diff, 1, threshold, 1) == inc(diff, threshold)
            assert exchange(diff, -1, threshold, -1) == dec(diff, threshold)
            for delta in range(-30, 31):
                assert exchange(diff, delta, threshold, 0) == mod(diff, delta, threshold)


def test_a_cell_without_a_sign_leaves_nothing_behind() -> None:
    """Of u16: 65,534 are told at once, and a cell never holds more."""
    assert inc_without_overstep(65532, 65533) == Told(0, 65533)
    assert inc_without_overstep(65533, 65533) == Told(65534, 0)


@pytest.mark.parametrize("threshold", [1, 2, 3, 20, 125])
def test_what_a_cell_keeps_is_reached_at_both_ends(threshold: int) -> None:
    """Walked from an empty cell with increments alone, and with both."""
    alone, both, diff, up = {0}, {0}, 0, 0
    for _ in range(3 * threshold + 3):
        up = inc(up, threshold).left
        alone.add(up)
    for step in [*[inc] * (threshold + 1), *[dec] * (2 * threshold + 1), *[inc] * threshold]:
        diff = step(diff, threshold).left
        both.add(diff)

    assert (min(alone), max(alone)) == kept_by_cell(threshold, "inc")
    assert (min(both), max(both)) == kept_by_cell(threshold, "any") == (-threshold, threshold)
