"""What the spec's free scanner would log is what the check of real traces expects, and no more."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import pytest
from tests.kernel.material import Lines
from tests.spec.compactions import laid_out

from pagefuzz.kernel.compaction_ranges import isolate_targets
from pagefuzz.kernel.compaction_run import ALL, FREE
from pagefuzz.kernel.compaction_run import Run as Seen
from pagefuzz.kernel.era import LOGGED, STEALING, TraceEra
from pagefuzz.kernel.findings import CMP_FREE, CMP_RANGE, CMP_SCAN
from pagefuzz.kernel.places import BUDDY, put
from pagefuzz.kernel.state import Replay
from pagefuzz.kernel.tracefs import Event
from pagespec.compaction import freescan, scan
from pagespec.compaction.state import Compaction, Run, last_pageblock
from pagespec.compaction.targets import no_targets
from pagespec.compaction.verbs import MODES, WHOLE
from pagespec.frames import SIZES
from pagespec.steps import Steps, run
from pagespec.types import Order, Pfn

PAGEBLOCK = 5
WALKS = 4


class Range(NamedTuple):
    first: Pfn
    end: Pfn
    scanned: int
    taken: int

    def __str__(self) -> str:
        counts = f"nr_scanned={self.scanned} nr_taken={self.taken}"
        return f"range=({self.first:#x} ~ {self.end:#x}) {counts}"


class Walked(NamedTuple):
    """A zone as it was, one of its runs, and the ranges of each of the walks."""

    free: list[tuple[Pfn, Order]]
    wants: Run
    began: Pfn
    end: Pfn
    walks: list[list[Range]]


@pytest.fixture
def walked(monkeypatch: pytest.MonkeyPatch) -> list[Walked]:
    """Walks of the spec over random zones, until nothing is left; all that is taken is used up."""
    looked: list[Pfn] = []
    ranges: list[Range] = []
    skipped, scanned = scan.skipped_order, scan.scan_pageblock

    def look(compaction: Compaction, pfn: Pfn) -> Order | None:
        looked.append(pfn)
        return skipped(compaction, pfn)

    def record(
        compaction: Compaction, wants: Run, pfn: Pfn, end: Pfn, stride: int = 1
    ) -> Steps[Pfn]:
        looked.clear()
        before = wants.target_pages
        reached = yield from scanned(compaction, wants, pfn, end, stride)
        whole = sum(SIZES[order] - 1 for head, order in heads if head in looked)
        taken = wants.target_pages - before
        ranges.append(Range(pfn, reached, len(looked) + whole, taken))
        return reached

    monkeypatch.setattr(scan, "skipped_order", look)
    monkeypatch.setattr(freescan, "scan_pageblock", record)
    found = []
    for seed in range(40):
        random = Random(seed)
        weight = random.choice((1, 4, 20))
        frames = "".join(random.choices(".m", (weight, 2), k=random.randrange(130, 250)))
        compaction = laid_out(frames, "5.8", pageblock=PAGEBLOCK)
        heads = [*compaction.zone.tag.items()]
        began = last_pageblock(compaction.zone)
        wants = Run(WHOLE, mode=random.choice(MODES), free=began, wanted=random.choice((8, 32)))
        walks = []
        for _ in range(WALKS):
            wants.targets = no_targets(compaction)
            ranges.clear()
            run(freescan.isolate_freepages(compaction, wants))
            walks.append([*ranges])
        found.append(Walked(heads, wants, began, compaction.zone.machine.end, walks))
    return found


def judged(each: Walked, walks: list[list[Range]], era: TraceEra) -> tuple[Lines, int]:
    """The laws that the ranges break, and how many there are."""
    replay = Replay("trace", era, huge=PAGEBLOCK, top=PAGEBLOCK, started=True)
    replay.places = bytearray(each.end)
    for pfn, order in each.free:
        put(replay.places, pfn, order, BUDDY)
    seen = Seen("sh-1", 1, 0, each.end, (0, each.began), each.wants.mode, order=ALL)
    seen.below = each.began + 1
    for ranges in walks:
        seen.stride = seen.widest
        for text in map(str, ranges):
            isolate_targets(replay, Event(1, "sh-1", 0, ".....", FREE, text), seen)
    return [finding.law for finding in replay.findings.broken], sum(map(len, walks))


def altered(walks: list[list[Range]]) -> Iterator[tuple[str, list[list[Range]]]]:
    """The same walks, with one thing wrong in the first range that yielded anything."""
    at, number = next(
        (at, number)
        for at, ranges in enumerate(walks)
        for number, each in enumerate(ranges)
        if each.taken
    )
    right = walks[at][number]
    lower = right._replace(first=right.first + 1, end=right.end + 1)
    for law, wrong in (
        (CMP_RANGE, lower),
        (CMP_SCAN, right._replace(scanned=right.scanned + 2 * SIZES[PAGEBLOCK])),
        (CMP_FREE, right._replace(taken=right.taken + SIZES[PAGEBLOCK] + 1)),
    ):
        copy = [[*ranges] for ranges in walks]
        copy[at][number] = wrong
        yield law, copy


@pytest.mark.parametrize("era", [LOGGED, STEALING], ids=["6.1", "6.12"])
def test_the_check_accepts_what_the_spec_scans(walked: list[Walked], era: TraceEra) -> None:
    number = 0
    for each in walked:
        broken, ranges = judged(each, each.walks, era)
        assert broken == [], each.walks
        number += ranges
    assert number >= 100
    assert {each.wants.mode for each in walked} == {*MODES}


def test_the_check_refuses_what_the_spec_does_not(walked: list[Walked]) -> None:
    for each in walked:
        if any(found.taken for ranges in each.walks for found in ranges):
            for law, walks in altered(each.walks):
                assert law in judged(each, walks, LOGGED)[0]
