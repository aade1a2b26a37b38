"""Free frames against the lists, and NUMA sums: within what CPUs may keep, and no further."""

import random
import re

import pytest
from tests.kernel.zones import LIVE, NODES, OLD, replaced, zone_text

from pagefuzz.kernel import numastat
from pagefuzz.kernel.counting import Wakes, judge_alone, judge_run
from pagefuzz.kernel.findings import DRIFT, NUMA, Findings
from pagefuzz.kernel.freecounts import Outcome
from pagefuzz.kernel.snapshots import Reading, reading
from pagefuzz.kernel.zoneinfo import read_zoneinfo

FREE = 20_000
CPUS, THRESHOLD = 2, 8
ALL_KEPT = CPUS * THRESHOLD
ALL_KEPT_AWAKE = CPUS * 125


def lists(frames: int) -> str:
    return f"Node 0, zone   Normal {frames % 2} {frames // 2}\n"


def met(name: str, before: int, after: int | None = None) -> Reading:
    """A reading of a zone with 20,000 frames told, and so many more on the lists."""
    texts = {"buddyinfo.a": lists(FREE + before)}
    if after is not None:
        texts["buddyinfo.b"] = lists(FREE + after)
    return reading(name, f"{name}/zoneinfo", zone_text(free=FREE), texts)


def outcome(found: Reading, wakes: Wakes | None = None) -> tuple[Outcome, int, int]:
    """The outcome of a reading, and how often VM-drift broke and was passed over."""
    findings = Findings()
    judge_run(findings, [found], wakes or Wakes())
    (only,) = findings.drifts
    return only, [each.law for each in findings.broken].count(DRIFT), findings.passed[DRIFT]


ASLEEP = Wakes(by={"first": frozenset(), "zone": frozenset()})
AWAKE = Wakes(by={"first": frozenset(), "zone": frozenset({0})})
OTHER = Wakes(by={"first": frozenset(), "zone": frozenset({1})})


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize(
    ("frames", "wakes", "expected", "broken"),
    [
        (0, ASLEEP, Outcome.EQUAL, 0),
        (1, ASLEEP, Outcome.KEPT, 0),
        (ALL_KEPT, ASLEEP, Outcome.KEPT, 0),
        (ALL_KEPT + 1, ASLEEP, Outcome.BEYOND, 1),
        (ALL_KEPT + 1, OTHER, Outcome.BEYOND, 1),
        (ALL_KEPT + 1, AWAKE, Outcome.PRESSURE, 0),
        (ALL_KEPT + 1, Wakes(), Outcome.PRESSURE, 0),  # no trace: nothing is known
        (ALL_KEPT + 1, Wakes(by={"zone": frozenset()}), Outcome.PRESSURE, 0),  # nor before it
        (ALL_KEPT_AWAKE, AWAKE, Outcome.PRESSURE, 0),
        (ALL_KEPT_AWAKE + 1, AWAKE, Outcome.BEYOND, 1),
    ],
)
def test_what_cpus_keep(
    way: int, frames: int, wakes: Wakes, expected: Outcome, broken: int
) -> None:
    assert outcome(met("zone", way * frames, way * frames), wakes) == (expected, broken, 0)


def test_what_lies_between_two_readings_is_right() -> None:
    assert outcome(met("zone", -900, 900)) == (Outcome.KEPT, 0, 0)
    assert outcome(met("zone", 0, 900)) == (Outcome.KEPT, 0, 0)
    assert outcome(met("zone", 900, 900 + ALL_KEPT), ASLEEP) == (Outcome.MOVED, 0, 1)
    assert outcome(met("zone", ALL_KEPT, 900), ASLEEP) == (Outcome.KEPT, 0, 0)


def test_one_reading_cannot_tell_whether_the_zone_changed() -> None:
    assert outcome(met("zone", ALL_KEPT, None), ASLEEP) == (Outcome.KEPT, 0, 0)
    assert outcome(met("zone", ALL_KEPT_AWAKE + 1, None)) == (Outcome.MOVED, 0, 1)


def test_what_cpus_kept_stays_when_the_threshold_falls() -> None:
    """A CPU that goes lowers the others' threshold, and not what they keep."""
    before = reading("first", "first/zoneinfo", zone_text(thresholds=[12] * 4), {})
    findings = Findings()
    judge_run(findings, [before, met("zone", 24, 24)], ASLEEP)
    assert findings.drifts == {Outcome.KEPT: 1}
    judge_run(findings, [before, met("zone", 25, 25)], ASLEEP)
    assert [each.law for each in findings.broken] == [DRIFT]
    assert findings.broken[0].sentence == (
        "node 0 Normal: buddyinfo has 25 frames more than nr_free_pages 20000: expected at most"
        " 24, which 2 CPUs may keep to themselves."
    )


def test_a_kernel_for_one_cpu_is_exact() -> None:
    for frames, broken in ((0, 0), (1, 1)):
        texts = {name: lists(FREE + frames) for name in ("buddyinfo.a", "buddyinfo.b")}
        found = reading("zone", "zoneinfo", zone_text(free=FREE, thresholds=[None]), texts)
        assert outcome(found, ASLEEP)[1] == broken


def numa_complaints(text: str) -> int:
    findings = Findings()
    judge_alone(findings, reading("", "zoneinfo", text, {}))
    return [each.law for each in findings.broken].count(NUMA)


def test_real_sums_agree() -> None:
    assert [numa_complaints(path.read_text()) for path in (NODES, LIVE)] == [0, 0]


@pytest.mark.parametrize(
    ("numa", "complaints"),
    [
        ((1000, 50, 50, 900, 150), 0),
        ((1000, 50, 50, 900, 154), 0),  # two CPUs may be counting one each, in either sum
        ((1000, 50, 50, 900, 155), 1),
        ((1005, 50, 50, 900, 150), 1),
        ((1000, 50, 52, 900, 150), 0),
        ((1000, 50, 53, 900, 150), 1),
        ((1000, 55, 50, 900, 150), 2),
    ],
)
def test_sums_that_readers_see_in_full(
    numa: tuple[int, int, int, int, int], complaints: int
) -> None:
    assert numa_complaints(zone_text(numa=numa)) == complaints


def test_up_to_4_13_a_reader_sees_what_cpus_have_told() -> None:
    """A counter that only grows leaves from half a threshold too much to a whole one too few.

    Here two CPUs, with a threshold of 4, may make each counter appear up to 4 too high or 8 too
    low. So two sums of two counters may be 24 apart, and a miss 12 from a foreign one.
    """
    for local, foreign, complaints in ((25, 12, 0), (26, 12, 1), (25, 13, 1)):
        text = replaced(OLD, "numa_local   1\n", f"numa_local   {local}\n")
        text = replaced(text, "numa_foreign 0\n", f"numa_foreign {foreign}\n")
        assert numa_complaints(text) == complaints, (local, foreign)


def test_the_place_of_the_words_tells_how_they_are_kept() -> None:
    later = zone_text(numa=(30, 0, 0, 10, 0))
    assert numa_complaints(later) == 1
    cma = "      nr_free_cma  0\n"
    earlier = replaced(later, cma, "")
    earlier = replaced(earlier, "  pagesets\n", cma + "  pagesets\n")
    assert numa_complaints(earlier) == 0


@pytest.mark.parametrize("word", ["hit", "local", "other"])
def test_counters_dealt_out_anew_are_found(word: str) -> None:
    """Every order of the zones' counters but the right one breaks a zone's sums."""
    text, found = NODES.read_text(), re.compile(rf"numa_{word} +(\d+)\n")
    values = found.findall(text)
    for seed in range(5):
        dealt = random.Random(seed).sample(values, len(values))
        parts = found.split(text)
        parts[1::2] = [f"numa_{word} {value}\n" for value in dealt]
        assert bool(numa_complaints("".join(parts))) == (dealt != values)


def test_zones_that_do_not_count_so_are_not_asked() -> None:
    text = re.sub(r" +numa_\w+ +\d+\n", "", NODES.read_text())
    assert numastat.zones_counted(read_zoneinfo("zoneinfo", text)) == []
    findings = Findings()
    judge_alone(findings, reading("", "zoneinfo", text, {}))
    assert findings.checked[NUMA] == 0
