"""Each threshold has an explanation: the formula, kswapd, or a zone that grew behind its back."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.kernel.zones import NODES, OLD, without_cpu, zone_text

from pagefuzz.kernel.counting import Wakes, judge_run
from pagefuzz.kernel.findings import THRESHOLD, Findings
from pagefuzz.kernel.snapshots import reading
from pagefuzz.kernel.thresholds import Threshold, Why, judge_threshold
from pagefuzz.kernel.zoneinfo import read_zoneinfo
from pagespec.vmstat.threshold import normal_threshold

FILES = sorted((Path(__file__).parents[1] / "data" / "zoneinfo").glob("*.txt"))
"""As kernels printed them."""


def judged(text: str) -> Threshold:
    found = judge_threshold(read_zoneinfo("zoneinfo", text)[0])
    assert found is not None
    return found


def judged_in_turn(*texts: str) -> tuple[list[Why], Findings]:
    """What a run with these readings shows of their only zone, and its findings."""
    findings = Findings()
    readings = [reading(str(at), f"{at}/zoneinfo", text, {}) for at, text in enumerate(texts)]
    judge_run(findings, readings, Wakes())
    return [row.found.why for row in findings.thresholds], findings


MIB = 256
BY_HAND = [
    # Twice the doublings of the CPUs, times one more than those of the zone's units of 128 MiB.
    (1, 15 * MIB, 2),
    (2, 100 * MIB, 4),
    (2, 128 * MIB, 8),
    (3, 255 * MIB, 8),
    (4, 255 * MIB, 12),
    (4, 256 * MIB, 18),
    (7, 1024 * MIB, 30),
    (8, 1024 * MIB, 40),
    (64, 4096 * MIB, 98),
    (112, 62 * 1024 * MIB, 125),
]


@pytest.mark.parametrize(("cpus", "managed", "threshold"), BY_HAND)
def test_the_formula(cpus: int, managed: int, threshold: int) -> None:
    found = judged(zone_text(managed=managed, thresholds=[threshold] * cpus))
    assert found == Threshold((0, "Normal"), cpus, managed, (threshold,), threshold, Why.FORMULA)
    for wrong in (threshold - 1, threshold + 1):
        text = zone_text(managed=managed, thresholds=[wrong] * cpus)
        assert judged(text).why is Why.NOTHING


def test_releases_without_managed_frames_take_those_present() -> None:
    assert judged(OLD).why is Why.FORMULA
    assert judged(OLD).managed == 3920


def test_a_kernel_for_one_cpu_has_none() -> None:
    (zone,) = read_zoneinfo("zoneinfo", zone_text(thresholds=[None]))
    assert judge_threshold(zone) is None


def test_cpus_do_not_differ() -> None:
    found = judged(zone_text(thresholds=[8, 4]))
    assert (found.why, found.printed) == (Why.NOTHING, "4 and 8")
    assert judged(zone_text(managed=34_151, thresholds=[4, 8])).why is Why.NOTHING


LATE = zone_text(managed=34_151, thresholds=[4, 4])
"""As a 6.12 with 190 MB printed it, whose init code and initial files were freed late."""
LATER = zone_text(managed=34_151, thresholds=[8, 8])


def test_a_stale_threshold_is_that_of_a_slightly_smaller_zone() -> None:
    found = judged(LATE)
    assert (found.why, found.computed, found.behind) == (Why.STALE, 8, 34_151 - (2**15 - 1))
    assert found.shown == (
        "stale: right for 32767 frames, 1384 (5.4 MiB) less; boot freed these later"
    )


@pytest.mark.parametrize(
    ("managed", "threshold", "why"),
    [
        (32_768, 4, Why.STALE),
        (32_767, 8, Why.NOTHING),  # that of a larger zone
        (37_448, 4, Why.STALE),  # an eighth, rounded down, is 4,681 frames
        (37_449, 4, Why.NOTHING),
        (65_536, 8, Why.STALE),
        (65_536, 4, Why.NOTHING),
    ],
)
def test_how_much_smaller_is_slightly(managed: int, threshold: int, why: Why) -> None:
    marks = (0, 1000, 2000)  # so that kswapd's is 125
    text = zone_text(managed=managed, thresholds=[threshold] * 2, marks=marks)
    assert judged(text).why is why


def test_a_stale_threshold_stays_until_it_is_set_anew() -> None:
    assert judged_in_turn(LATE, LATE, LATER)[0] == [Why.STALE, Why.STALE, Why.FORMULA]
    small = zone_text(managed=32_000, thresholds=[4, 4])
    assert judged_in_turn(small, LATE)[0] == [Why.FORMULA, Why.STALE]


@pytest.mark.parametrize(
    "before", [LATER, zone_text(managed=34_151, thresholds=[4] * 3)], ids=["set anew", "a CPU went"]
)
def test_what_was_set_anew_is_not_stale(before: str) -> None:
    whys, findings = judged_in_turn(before, LATE)
    assert whys[-1] is Why.NOTHING
    (broken,) = findings.broken[-1:]
    assert (broken.law, broken.path, broken.line) == (THRESHOLD, "1/zoneinfo", 1)
    assert broken.sentence == (
        "node 0 Normal: expected a threshold of 8 for 2 CPUs and 34151 managed frames, got 4."
    )


@pytest.mark.parametrize(
    ("thresholds", "marks", "why"),
    [
        ([62, 62], (500, 625, 750), Why.PRESSURE),  # 125 frames for two CPUs
        ([63, 63], (500, 625, 750), Why.NOTHING),
        ([1, 1], (500, 501, 502), Why.PRESSURE),  # less than a frame for each
        ([125, 125], (500, 900, 1300), Why.PRESSURE),
        ([100], (500, 600, 700), Why.NOTHING),  # one CPU, and no drift mark by these marks
        ([3], (500, 503, 506), Why.PRESSURE),  # 4 of one CPU are more than the gap
        ([4], (500, 504, 508), Why.FORMULA),
    ],
)
def test_kswapd_lowers_it_where_a_drift_mark_may_stand(
    thresholds: Sequence[int], marks: tuple[int, int, int], why: Why
) -> None:
    assert judged(zone_text(thresholds=thresholds, marks=marks)).why is why


def test_a_cpu_less_is_seen_where_the_doublings_change() -> None:
    three = without_cpu(NODES.read_text(), 3)
    assert [row.found.why for row in _alone(three).thresholds] == [Why.NOTHING] * 3
    two = without_cpu(three, 2)
    assert [row.found.cpus for row in _alone(two).thresholds] == [2, 2, 2]
    assert len(_alone(two).broken) == 3


def _alone(text: str) -> Findings:
    return judged_in_turn(text)[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_real_files_follow_the_formula(path: Path) -> None:
    """Every zone that some CPU has cells of, on three releases and three numbers of CPUs."""
    text = path.read_text(encoding="utf-8")
    zones = [zone for zone in read_zoneinfo(path.name, text) if zone.pagesets]
    for zone in zones:
        printed = {cpu.threshold for cpu in zone.pagesets.values()}
        assert printed == {normal_threshold(len(zone.pagesets), zone.managed)}
    assert zones
