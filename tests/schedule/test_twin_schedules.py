"""The twin's own text under a scheduler: exhausted as it is, refuted with a fault in it."""

import pytest

from pagefuzz.errors import UsageError
from pagefuzz.schedule.twin import explore
from pagefuzz.schedule.twin.cases import TWIN_CASES, TwinCase
from pagefuzz.schedule.twin.explore import TwinResult, explore_twin, replay_twin
from pagefuzz.schedule.twin.faults import TWIN_FAULTS
from pagefuzz.schedule.twin.runs import Runner
from pagefuzz.schedule.twin.scenes import ZoneScene
from pagefuzz.schedule.twin.watch import Watch, watched_kernels
from pageimpl.memory import LOADS, zone_lock_of
from pageimpl.source import Kernels
from pagespec.laws.law import LawBroken

BOUND = 2
"""Preemptions to which every case is exhausted here."""

WHOLE = ("put-put", "count-tell", "fold-fold", "count-fold")
"""Cases so small that more preemptions than they have stops leave no schedule out."""


COUNTS = {
    "alloc-alloc": (344, 821, 54),
    "alloc-free": (334, 611, 59),
    "free-free": (626, 1387, 65),
    "put-put": (42, 179, 40),
    "refill-drain": (748, 2067, 153),
    "list-drain": (769, 1699, 100),
    "count-tell": (6, 11, 4),
    "gather-count": (3813, 13245, 165),
    "refill-refill": (2486, 11991, 160),
    "bulk-drain": (609, 1174, 130),
    "free-isolate": (849, 2600, 93),
    "alloc-isolate": (1150, 4226, 131),
    "three": (5902, 16403, 102),
    "count-fold": (54, 147, 18),
    "fold-fold": (26, 51, 8),
    "inc-inc": (62, 175, 12),
}
"""Per case, the schedules, states and longest run to the bound, as the kernels' text is today."""


@pytest.mark.parametrize("case", TWIN_CASES)
def test_sound_text_is_exhausted(case: str) -> None:
    """No schedule with two preemptions breaks a law, and none of those drawn beyond.

    Fewer schedules than last time mean that some are no longer tried.
    """
    result = explore_twin(case, BOUND, seed=1)

    assert result.finding is None
    assert result.verdict == "exhausted"
    assert (result.schedules, result.states, result.depth) == COUNTS[case]
    assert result.drawn > 0


def test_words_that_are_found_late_are_points_too() -> None:
    """No two contexts use a word that any writes without stopping there, in any run there was."""
    watch = Watch()
    runner = Runner(TWIN_CASES["list-drain"].scene(watched_kernels(watch, {})), watch)
    runner.run(lambda stop: stop.default)
    first = watch.new_points()
    watch.points |= first
    runner.run(lambda stop: stop.enabled[-1])
    watch.points |= watch.new_points()

    assert first < watch.points
    assert len(watch.points) <= explore_twin("list-drain", 1, seed=1).points


def test_numbers_are_told_apart() -> None:
    """Cells of -1 and -2 are two states, and so are two words that have changed places."""
    watch = Watch()
    numbers = range(-30, 30)

    for told in (watch.after, watch.code):
        assert len({told(at, number) for at in numbers for number in numbers}) == 3600
    exchanged = watch.code(8, 1) ^ watch.code(16, 2), watch.code(8, 2) ^ watch.code(16, 1)
    assert len(set(exchanged)) == 2


@pytest.mark.parametrize("case", WHOLE)
def test_small_cases_have_no_more_schedules(case: str) -> None:
    """From some bound on there are no more states: then every schedule there is was tried."""
    few, more = (explore_twin(case, bound, seed=1) for bound in (9, 12))

    assert (few.states, few.schedules) == (more.states, more.schedules)
    assert few.verdict == more.verdict == "exhausted"


class Ends:
    """A scene that keeps what its memory held in the end, whenever all contexts had ended."""

    def __init__(self, scene: ZoneScene) -> None:
        self.scene, self.names = scene, scene.names
        self.seen: set[bytes] = set()

    def reset(self) -> None:
        self.scene.reset()

    def step(self, context: int, number: int) -> int:
        return self.scene.step(context, number)

    def broken(self, *, ended: bool) -> LawBroken | None:
        if ended:
            self.seen.add(bytes(self.scene.allocator.memory.array))
        return self.scene.broken(ended=ended)


@pytest.mark.parametrize(
    ("case", "bound"),
    [("alloc-free", 2), ("list-drain", 2), ("free-isolate", 2)],
)
def test_states_that_were_met_can_be_left(
    monkeypatch: pytest.MonkeyPatch, case: str, bound: int
) -> None:
    """Without it, more schedules come to the same verdict, and to no other end."""
    seen, counts = [], []
    for hashing in (True, False):
        scenes: list[Ends] = []

        def made(kernels: Kernels, scenes: list[Ends] = scenes) -> Ends:
            scene = TWIN_CASES[case].scene(kernels)
            assert isinstance(scene, ZoneScene)
            scenes.append(Ends(scene))
            return scenes[0]

        monkeypatch.setattr(explore, "TWIN_CASES", {case: TwinCase("", made)})
        monkeypatch.setattr(explore, "DRAWN", 0)
        result = explore_twin(case, bound, seed=1, hashing=hashing)
        assert result.verdict == "exhausted"
        seen.append(scenes[0].seen)
        counts.append(result.schedules)

    assert seen[0] == seen[1]
    assert len(seen[0]) > 1
    assert counts[0] < counts[1]


@pytest.mark.parametrize("fault", TWIN_FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    """Each with few switches, all of which say where in the kernels' text they are."""
    planted = TWIN_FAULTS[fault]

    result = explore_twin(planted.case, BOUND, seed=1, patches=planted.patches)

    finding = result.finding
    assert result.verdict == "refuted"
    assert finding is not None
    assert finding.law in planted.laws
    assert len(finding.switches) <= BOUND
    assert len(finding.told) <= 4
    assert all(told.line for told in finding.told[: len(finding.switches)])
    again = replay_twin(planted.case, finding.switches, finding.points, planted.patches)
    assert again == finding
    assert replay_twin(planted.case, finding.switches, finding.points) is None


@pytest.mark.parametrize(
    "fault", ["plain-event", "plain-reference", "plain-cell", "released-early"]
)
def test_faults_are_found_without_leaving_states(fault: str) -> None:
    """The same law breaks where every schedule is run."""
    planted = TWIN_FAULTS[fault]

    results = [
        explore_twin(planted.case, 1, seed=1, patches=planted.patches, hashing=on)
        for on in (True, False)
    ]

    assert [result.finding.law for result in results if result.finding] == 2 * [
        results[0].finding and results[0].finding.law
    ]


def test_a_case_is_its_seed() -> None:
    """The same case, bound and seed come to the same result, word for word."""
    fault = TWIN_FAULTS["tested-then-set"]

    results = {
        str(explore_twin("alloc-alloc", bound, seed=5, patches=patches))
        for patches in (None, fault.patches)
        for bound in (0, 0)
    }

    assert len(results) == 2


def test_drawn_schedules_find_what_no_bound_allows() -> None:
    """With no preemption at all nothing breaks; the drawn ones beyond it do, and are shrunk."""
    fault = TWIN_FAULTS["tested-then-set"]

    result = explore_twin(fault.case, 0, seed=1, patches=fault.patches)

    assert result.drawn > 0
    assert result.finding is not None
    assert len(result.finding.switches) <= 3


def test_contexts_stop_at_locks() -> None:
    """The zone's lock is one of the points, and what no context writes is none."""
    points = explore_twin("alloc-alloc", 0, seed=1, patches=TWIN_FAULTS["plain-event"].patches)

    assert points.finding is not None
    assert dict(LOADS)[zone_lock_of].offset in points.finding.points


@pytest.mark.parametrize(
    ("case", "bound", "said"), [("no-such", 1, "no case 'no-such'"), ("put-put", -1, "bound -1")]
)
def test_what_cannot_be_explored_is_refused(case: str, bound: int, said: str) -> None:
    """An unknown case, or a bound below 0."""
    with pytest.raises(UsageError, match=said):
        explore_twin(case, bound, seed=1)


def test_results_are_rows() -> None:
    """A result has a name and a plain value for every column."""
    result = explore_twin("fold-fold", 1, seed=1)

    assert isinstance(result, TwinResult)
    assert result._asdict()["case"] == "fold-fold"
