"""Counters by hand, request by request: what is told to whom, and what is stale until when."""

import pytest
from tests.spec.counters import (
    FREE,
    HIT,
    ISOLATED,
    ask,
    cell,
    counters_of,
    number_of,
    show,
    show_all,
    told,
)

from pagespec.types import Refusal
from pagespec.vmstat.counters import Counters
from pagespec.vmstat.ops import perform
from pagespec.vmstat.reads import in_truth
from pagespec.vmstat.verbs import CounterOp, CounterVerb

MOD, INC, LAND = CounterVerb.MOD, CounterVerb.INC, CounterVerb.LAND
COUNT, REFRESH, TAKE = CounterVerb.COUNT, CounterVerb.REFRESH, CounterVerb.TAKE
OF_NODE = {"item": ISOLATED}

# --- what is stale ------------------------------------------------------------------------------


def eight_cpus() -> Counters:
    """A zone of 256 MiB with a drift mark: 24 for each CPU are more than low less min, 128."""
    return counters_of((0, 65536), cpus=(0,) * 8, min_free=2048)


def test_min_free_leaves_thresholds_and_drift_marks() -> None:
    """Marks follow it at once, and no longer fit the drift mark, until a CPU comes or goes."""
    counters = eight_cpus()
    ask(counters, CounterVerb.MIN_FREE, pages=8192)

    assert counters.marks[0] == (2048, 2560, 3072)
    assert (counters.thresholds, counters.drift_marks) == ([24], [960])

    ask(counters, CounterVerb.UNPLUG, cpu=7)  # 7 CPUs: 7 * 18 = 126 are not more than 512
    assert (counters.thresholds, counters.drift_marks) == ([18], [960])

    ask(counters, CounterVerb.MIN_FREE, pages=400)  # min 100, low 165, high 230
    assert (counters.marks[0], counters.drift_marks) == ((100, 165, 230), [960])
    ask(counters, CounterVerb.PLUG, cpu=7)
    assert (counters.thresholds, counters.drift_marks) == ([24], [230 + 192])


def test_a_stale_drift_mark_still_lowers_thresholds() -> None:
    """By the marks as they are: the room between them has grown, and so has the threshold."""
    counters = eight_cpus()
    ask(counters, CounterVerb.MIN_FREE, pages=8192)
    ask(counters, CounterVerb.WAKE)
    assert counters.thresholds == [64]

    ask(counters, CounterVerb.REST)
    assert counters.thresholds == [24]


def test_cpus_undo_what_kswapd_has_lowered() -> None:
    """Also while it is awake."""
    counters = eight_cpus()
    ask(counters, CounterVerb.WAKE)
    assert counters.thresholds == [16]

    ask(counters, CounterVerb.UNPLUG, cpu=0)
    assert (counters.thresholds, counters.reclaiming) == ([18], {0})


def test_kswapd_lowers_nothing_where_no_drift_mark_is_due() -> None:
    """Four CPUs keep 72 frames at most, and from min to low there are 128."""
    counters = counters_of((0, 65536), cpus=(0,) * 4, min_free=2048, era="4.10")
    ask(counters, CounterVerb.WAKE)

    assert (counters.thresholds, counters.drift_marks) == ([18], [0])


@pytest.mark.parametrize(("cpus", "mark", "threshold"), [(1, 0, 6), (4, 4 * 18, 32)])
def test_cpus_that_come_up_before_the_marks_leave_a_drift_mark(
    cpus: int, mark: int, threshold: int
) -> None:
    """After 4.10 every zone has one, if there is a second CPU; here kswapd even raises thresholds.

    The marks stood at 0 then, so the mark is what all CPUs may keep. From min to low there are 128
    frames, 32 for each of four CPUs. A CPU that boots alone comes up before anybody asks.
    """
    counters = counters_of((0, 65536), cpus=(0,) * cpus, min_free=2048, era="5.15")
    ask(counters, CounterVerb.WAKE)

    assert (counters.drift_marks, counters.thresholds) == ([mark], [threshold])


def test_the_plain_way_counts_before_it_looks() -> None:
    """An increment that tells stands in the cell, too, until the cell is written at last.

    So a close look from elsewhere is too high by what was told, 1 more than the threshold and half
    of it; a change by more than one writes the cell only then, and counts what was in it twice.
    """
    one = counters_of((0, 64), cpus=(0, 0), normal=4)
    ask(one, CounterVerb.INC, times=4)
    ask(one, CounterVerb.INC, open=True)
    many = counters_of((0, 64), cpus=(0, 0), normal=4)
    ask(many, CounterVerb.MOD, by=4)
    ask(many, CounterVerb.MOD, by=1, open=True)
    assert (one.cells[0][0], many.cells[0][0]) == (5, 4)

    ask(one, CounterVerb.LAND)
    ask(many, CounterVerb.LAND)
    assert ask(one, CounterVerb.READ, close=True) == 69 + 7
    assert ask(many, CounterVerb.READ, close=True) == 69 + 4


@pytest.mark.parametrize(
    ("era", "silent", "threshold", "least"),
    [
        ("2.6.37", False, 8, 64),
        ("2.6.37", True, 8, 64),
        ("4.10", False, 12, 64),
        ("4.10", True, 8, 64),
        ("6.12", False, 12, 64),
    ],
)
def test_what_follows_a_zones_size(era: str, silent: bool, threshold: int, least: int) -> None:
    """Thresholds since 4.9; nothing at all follows when boot frees its own code late."""
    counters = counters_of((0, 32768), (0, 32768), cpus=(0, 0), era=era, min_free=512)
    other = counters.thresholds[1]
    ask(counters, CounterVerb.RESIZE, where=0, pages=3 * 32768, silent=silent)

    assert counters.thresholds == [threshold, other]
    assert counters.marks[0].min == (least if silent else 96)
    assert counters.marks[1].min == (least if silent else 32)
    assert (counters.pages[0], told(counters, FREE)) == (3 * 32768, 32768)


# --- refreshes and CPUs that go -----------------------------------------------------------------


def test_a_refresh_tells_all_and_counts_cells() -> None:
    """Those that had something."""
    counters = counters_of(cpus=(0, 0), normal=5)
    ask(counters, MOD, by=-4)
    ask(counters, INC, **OF_NODE, times=3)
    ask(counters, INC, **OF_NODE, cpu=1)

    assert ask(counters, REFRESH) == 2
    assert (told(counters, FREE), told(counters), cell(counters, cpu=1)) == (60, 3, 1)
    assert counters.cells[0] == [0] * len(counters.places)
    assert ask(counters, REFRESH) == 0


def test_a_refresh_tells_the_machine_at_last() -> None:
    """Once for each item; in between the zones are ahead of it."""
    counters = counters_of((0, 64), (1, 70), normal=5)
    for zone, by in ((0, -4), (1, 3)):
        ask(counters, MOD, where=zone, by=by)
    ask(counters, REFRESH, open=True)

    assert [show(counters, FREE, zone) for zone in (0, 1)] == [60, 73]
    assert show_all(counters, FREE) == 134
    ask(counters, LAND)
    assert (show_all(counters, FREE), counters.updates) == (133, [])


@pytest.mark.parametrize(("numa", "left"), [("longs", 7), ("events", 0), ("items", 0), ("u16", 0)])
def test_a_cpu_that_goes_keeps_nothing(numa: str, left: int) -> None:
    """But for the words of 2.6.9, which readers go on to count."""
    counters = counters_of(cpus=(0, 0), normal=20, numa=numa)
    ask(counters, INC, **OF_NODE, cpu=1, times=3)
    ask(counters, COUNT, cpu=1, times=7)
    ask(counters, CounterVerb.UNPLUG, cpu=1)

    assert (told(counters), cell(counters, cpu=1)) == (3, 0)
    assert (told(counters, HIT), cell(counters, HIT, cpu=1)) == (7 - left, left)
    assert show(counters, HIT) == 7
    assert perform(counters, CounterOp(INC, 1)) == Refusal.BAD_CPU


# --- readers ------------------------------------------------------------------------------------


def test_readers_see_nothing_below_zero() -> None:
    """Neither those of a node nor of the machine, told or added up; the counter goes on."""
    counters = counters_of(cpus=(0, 0), normal=5)
    ask(counters, MOD, **OF_NODE, by=-9)
    ask(counters, MOD, **OF_NODE, by=4, cpu=1)

    assert [show(counters, close=close) for close in (False, True)] == [0, 0]
    assert (show_all(counters, ISOLATED), told(counters)) == (0, -9)

    ask(counters, MOD, **OF_NODE, by=8, cpu=1)
    assert [show(counters, close=close) for close in (False, True)] == [3, 3]


def test_who_looks_closely_sees_what_cpus_keep() -> None:
    """Of the CPUs that run, each up to its threshold."""
    counters = counters_of(cpus=(0, 0, 0), normal=5)
    for cpu in range(3):
        ask(counters, INC, **OF_NODE, cpu=cpu, times=5)

    assert [show(counters, close=close) for close in (False, True)] == [0, 15]
    assert show_all(counters, ISOLATED) == 0


def test_a_plain_change_is_counted_twice_for_a_moment() -> None:
    """It tells the zone first and writes the cell last, so that another CPU sees both."""
    counters = counters_of(cpus=(0, 0), normal=20)
    ask(counters, MOD, **OF_NODE, by=20)
    ask(counters, MOD, **OF_NODE, by=6, open=True)
    assert show(counters, close=True) == 20

    ask(counters, LAND)
    assert (show(counters), show(counters, close=True)) == (26, 46)
    assert (show_all(counters, ISOLATED), in_truth(counters, number_of(counters, ISOLATED))) == (
        0,
        26,
    )
    ask(counters, LAND)
    assert (show_all(counters, ISOLATED), show(counters, close=True)) == (26, 46)
    ask(counters, LAND)
    assert (show(counters, close=True), counters.updates) == (26, [])


def test_an_exchanged_change_is_missing_for_a_moment() -> None:
    """The cell is written first; what it had is in neither until the zone is told."""
    counters = counters_of(cpus=(0, 0), normal=20)
    ask(counters, INC, **OF_NODE, times=20)
    ask(counters, INC, **OF_NODE, irqs_on=True, open=True)

    assert (show(counters, close=True), cell(counters)) == (0, -10)
    ask(counters, LAND)
    assert (show(counters), show(counters, close=True)) == (31, 21)
    assert show_all(counters, ISOLATED) == 0
    ask(counters, LAND)
    assert (show_all(counters, ISOLATED), counters.updates) == (31, [])


def test_a_plain_change_holds_its_cpu_up() -> None:
    """Interrupts are off; an exchange leaves the CPU to others, which fill the cell anew."""
    counters = counters_of(normal=1)
    ask(counters, MOD, **OF_NODE, by=2, open=True)
    assert perform(counters, CounterOp(INC, item=ISOLATED)) == Refusal.BUSY

    counters = counters_of(normal=1)
    for _ in range(2):
        ask(counters, INC, **OF_NODE)
        ask(counters, INC, **OF_NODE, irqs_on=True, open=True)
    assert (show(counters), in_truth(counters, number_of(counters, ISOLATED))) == (0, 4)


# --- what a check of the marks concludes --------------------------------------------------------


def drained() -> Counters:
    """A zone of 64 frames, marks 16, 20 and 24, of which two CPUs have taken more than they say."""
    counters = counters_of(cpus=(0, 0), normal=20, pressure=5, min_free=64)
    for cpu in (0, 1):
        ask(counters, MOD, cpu=cpu, by=-20)
    return counters


@pytest.mark.parametrize(
    ("level", "cheap", "close"), [("min", 1, 1), ("low", 1, 1), ("high", 1, 0)]
)
def test_reclaim_looks_closely(level: str, cheap: int, close: int) -> None:
    """Told are 64, and there are 24; since 2.6.39 a request goes by what is told."""
    counters = drained()

    assert (counters.marks[0], counters.drift_marks) == ((16, 20, 24), [64])
    ask(counters, MOD, by=-1)  # told are 43, of the 23 that there are
    assert (show(counters, FREE), show(counters, FREE, close=True)) == (43, 23)
    for reclaim, due in ((False, cheap), (True, close)):
        got = ask(counters, CounterVerb.CHECK, level=level, reclaim=reclaim)
        assert got == due


def test_the_last_frames_go_by_a_count_that_is_late() -> None:
    """A request that must leave 16 frames takes all there are: told are 40 too many."""
    counters = drained()
    for _ in range(3):
        ask(counters, TAKE, order=3)

    assert in_truth(counters, 0) == 0
    assert perform(counters, CounterOp(TAKE)) == 0


def test_at_its_drift_mark_a_zone_can_be_at_its_high_mark() -> None:
    """Not above: reclaim, which need not look closely there, takes it for balanced all the same."""
    counters = drained()

    assert (show(counters, FREE), in_truth(counters, 0)) == (64, 24)
    assert ask(counters, CounterVerb.CHECK, level="high", reclaim=True) == 1


def test_in_2_6_37_all_look_closely_while_kswapd_is_awake() -> None:
    """Requests as well, and reclaim not before."""
    counters = counters_of(cpus=(0, 0), normal=20, min_free=64, era="2.6.37")
    for cpu, by in ((0, -20), (1, -20), (0, -1)):
        ask(counters, MOD, cpu=cpu, by=by)
    ask(counters, MOD, by=-3)  # told are 43, and there are 20: the low mark
    check = CounterOp(CounterVerb.CHECK, level="low")

    assert [perform(counters, check._replace(reclaim=reclaim)) for reclaim in (False, True)] == [
        1,
        1,
    ]
    ask(counters, CounterVerb.WAKE)
    assert [perform(counters, check._replace(reclaim=reclaim)) for reclaim in (False, True)] == [
        0,
        0,
    ]
